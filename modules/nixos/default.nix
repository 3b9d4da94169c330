# services.memd for all users of a machine, or for some, with NixOS.
{
  config,
  lib,
  ...
}:
let
  cfg = config.services.memd;
  sweep = import ../common/sweep.nix { inherit lib cfg; };
  # System users, root among them, have no sessions to remember.
  forUsers.ConditionUser = if cfg.users == null then "!@system" else map (name: "|${name}") cfg.users;
in
{
  imports = [ ../common/options.nix ];

  options.services.memd = {
    users = lib.mkOption {
      type = lib.types.nullOr (lib.types.listOf (lib.types.strMatching "[A-Za-z_][A-Za-z0-9_.-]*"));
      default = null;
      example = [ "alice" ];
      description = "Whose sessions are swept. Null: those of all users except system users.";
    };

    installClaudeHooks = lib.mkOption {
      type = lib.types.bool;
      default = false;
      description = ''
        Whether sessions of Claude Code, those of all users, start with a brief from memd and are
        learned from when they end. The hooks are managed settings in
        {file}`/etc/claude-code/managed-settings.d`: users cannot turn them off with
        `disableAllHooks`.
      '';
    };
  };

  config = lib.mkIf cfg.enable {
    assertions = [
      {
        assertion = cfg.users != [ ];
        message = "services.memd.users: the list is empty; name users, or set it to null for all of them, or services.memd.sweep.enable to false for none";
      }
    ];

    environment = {
      systemPackages = [ cfg.package ];
      etc = {
        "xdg/memd/config.json".source = cfg.configFile;
        "claude-code/managed-settings.d/50-memd.json" = lib.mkIf cfg.installClaudeHooks {
          source = "${cfg.package}/share/memd/claude-plugin/hooks/hooks.json";
        };
      };
    };

    systemd.user = lib.mkIf cfg.sweep.enable {
      services.memd-sweep = {
        inherit (sweep) description;
        unitConfig = forUsers;
        # A switch does not end a distill that is on its way.
        restartIfChanged = false;
        restartTriggers = [ cfg.configFile ];
        environment.PATH = lib.mkForce (
          sweep.searchPath {
            home = "%h";
            escape = lib.replaceStrings [ "%" ] [ "%%" ];
            profiles = [ "/etc/profiles/per-user/%u/bin" ];
          }
        );
        serviceConfig = sweep.service // {
          ExecStart = lib.concatStringsSep " " sweep.command;
        };
      };
      timers.memd-sweep = {
        description = "When to sweep project memories";
        wantedBy = [ "timers.target" ];
        unitConfig = forUsers;
        timerConfig = sweep.timer;
      };
    };
  };
}
