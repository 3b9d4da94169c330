# services.memd for one user, with Home Manager.
{
  config,
  lib,
  options,
  osConfig ? null,
  pkgs,
  ...
}:
let
  cfg = config.services.memd;
  sweep = import ../common/sweep.nix { inherit lib cfg; };
  timespan = import ../common/timespan.nix { inherit lib; };
  plugin = "${cfg.package}/share/memd/claude-plugin";

  hasSystemHooks = osConfig.services.memd.installClaudeHooks or false;

  inherit (config.home) homeDirectory;
  claude = config.programs.claude-code or { enable = false; };
  # Before 2026 the option was a list, or missing.
  isPluginOfClaude =
    claude.enable
    && options.programs.claude-code ? plugins
    && options.programs.claude-code.plugins.type.check { };

  claudeDir =
    let
      named =
        if claude.enable then
          claude.configDir or "~/.claude"
        else if cfg.settings.claude_dir != null then
          cfg.settings.claude_dir
        else
          config.home.sessionVariables.CLAUDE_CONFIG_DIR or "~/.claude";
      below = lib.foldl' (text: home: lib.removePrefix "${home}/" text) named [
        "~"
        "$HOME"
        "\${HOME}"
      ];
    in
    if lib.hasPrefix "/" below then below else "${homeDirectory}/${below}";

  # The shell's variables do not reach units and agents.
  environment = lib.optionalAttrs (claudeDir != "${homeDirectory}/.claude") {
    CLAUDE_CONFIG_DIR = claudeDir;
  };

  searchPath =
    home: escape:
    sweep.searchPath {
      inherit home escape;
      profiles = [
        (escape "${config.home.profileDirectory}/bin")
      ]
      ++ lib.optional pkgs.stdenv.hostPlatform.isDarwin "/opt/homebrew/bin";
    };

  specifier = lib.replaceStrings [ "%" ] [ "%%" ];
in
{
  imports = [ ../common/options.nix ];

  options.services.memd.installClaudeHooks = lib.mkOption {
    type = lib.types.bool;
    default = !hasSystemHooks;
    defaultText = lib.literalMD "`true`, unless NixOS installs the hooks for all users";
    description = ''
      Whether sessions of Claude Code start with a brief from memd and are learned from when they
      end. A plugin does this, linked into Claude Code's `skills` directory; no file of yours is
      edited. Do not run {command}`memd install-hooks` besides: sessions would be told everything
      twice.
    '';
  };

  config = lib.mkIf cfg.enable {
    assertions = [
      {
        assertion = !(cfg.installClaudeHooks && hasSystemHooks);
        message = "services.memd.installClaudeHooks: NixOS installs the hooks for all users already; set it to false here or there";
      }
      {
        assertion = !cfg.installClaudeHooks || lib.hasPrefix "${homeDirectory}/" claudeDir;
        message = "services.memd.installClaudeHooks: ${claudeDir} is not below ${homeDirectory}, where nothing can be linked; set it to false and run `memd install-hooks`, or change services.memd.settings.claude_dir";
      }
    ];

    home.packages = [ cfg.package ];

    xdg.configFile."memd/config.json".source = cfg.configFile;

    programs = lib.mkIf (cfg.installClaudeHooks && isPluginOfClaude) {
      claude-code.plugins.memd = plugin;
    };

    home.file = lib.mkIf (cfg.installClaudeHooks && !isPluginOfClaude) {
      "${claudeDir}/skills/memd".source = plugin;
    };

    systemd.user = lib.mkIf cfg.sweep.enable {
      services.memd-sweep = {
        Unit = {
          Description = sweep.description;
          # A switch does not end a distill that is on its way.
          X-SwitchMethod = "keep-old";
          X-Restart-Triggers = [ "${cfg.configFile}" ];
        };
        Service = sweep.service // {
          ExecStart = lib.concatStringsSep " " sweep.command;
          Environment = lib.mapAttrsToList (name: value: "\"${name}=${value}\"") (
            { PATH = searchPath "%h" specifier; } // lib.mapAttrs (_: specifier) environment
          );
        };
      };
      timers.memd-sweep = {
        Unit.Description = "When to sweep project memories";
        Timer = sweep.timer;
        Install.WantedBy = [ "timers.target" ];
      };
    };

    launchd.agents.memd-sweep = {
      inherit (cfg.sweep) enable;
      config = {
        ProgramArguments = sweep.command;
        EnvironmentVariables = {
          PATH = searchPath homeDirectory lib.id;
        }
        // environment;
        StartInterval = timespan.toSeconds cfg.sweep.interval;
        ProcessType = "Background";
        LowPriorityIO = true;
        Nice = sweep.service.Nice;
        Umask = 63; # 0077
      };
    };
  };
}
