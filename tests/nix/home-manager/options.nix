# What Home Manager's own modules declare, as far as memd's module and the checks use it.
{ config, lib, pkgs, ... }:
let
  inherit (lib) mkOption types; c = config;
  any = default: mkOption { type = types.anything; inherit default; };
  fileType = base: types.attrsOf (types.submodule ({ name, config, ... }: { options = {
    enable = mkOption { type = types.bool; default = true; }; target = mkOption { type = types.str; default = name; apply = p: lib.removePrefix "${c.home.homeDirectory}/" (if lib.hasPrefix "/" p then p else base + p); };
    text = mkOption { type = types.nullOr types.lines; default = null; }; source = mkOption { type = types.path; default = pkgs.writeText "hm_file" config.text; }; executable = mkOption { type = types.nullOr types.bool; default = null; };
    recursive = mkOption { type = types.bool; default = false; }; force = mkOption { type = types.bool; default = false; }; onChange = mkOption { type = types.lines; default = ""; }; }; }));
  unitType = types.attrsOf (types.submodule { freeformType = with types; attrsOf (attrsOf (oneOf [ bool int str path (listOf (oneOf [ bool int str path ])) ])); });
  unit = kind: name: u: let text = lib.generators.toINI { listsAsDuplicateKeys = true; } (lib.filterAttrs (_: s: s != { }) (lib.mapAttrs (_: lib.filterAttrs (_: v: v != null && v != [ ])) u));
      source = "${pkgs.writeTextFile { name = "${name}.${kind}"; inherit text; destination = "/${name}.${kind}"; }}/${name}.${kind}"; in
    [ (lib.nameValuePair "systemd/user/${name}.${kind}" { inherit source; }) ] ++ map (t: lib.nameValuePair "systemd/user/${t}.wants/${name}.${kind}" { inherit source; }) (lib.toList (u.Install.WantedBy or [ ]));
in {
  options = {
    assertions = mkOption { type = types.listOf types.raw; default = [ ]; }; warnings = mkOption { type = types.listOf types.str; default = [ ]; }; meta = any { }; news = any { }; manual = any { }; lib = any { };
    home = { username = mkOption { type = types.str; }; homeDirectory = mkOption { type = types.path; }; stateVersion = mkOption { type = types.str; }; packages = mkOption { type = types.listOf types.package; default = [ ]; }; sessionVariables = any { }; shellAliases = any { }; enableNixpkgsReleaseCheck = any true; profileDirectory = any "${c.home.homeDirectory}/.nix-profile";
      file = mkOption { type = fileType ""; default = { }; }; activation = mkOption { type = types.attrsOf types.raw; default = { }; }; activationPackage = mkOption { type = types.package; }; };
    home-files = mkOption { type = types.package; };
    xdg = { enable = any true; configHome = mkOption { type = types.str; default = "${c.home.homeDirectory}/.config"; }; dataHome = mkOption { type = types.str; default = "${c.home.homeDirectory}/.local/share"; }; stateHome = mkOption { type = types.str; default = "${c.home.homeDirectory}/.local/state"; }; cacheHome = mkOption { type = types.str; default = "${c.home.homeDirectory}/.cache"; };
      configFile = mkOption { type = fileType "${c.xdg.configHome}/"; default = { }; }; dataFile = mkOption { type = fileType "${c.xdg.dataHome}/"; default = { }; }; };
    systemd.user = lib.genAttrs [ "services" "timers" "sockets" "paths" "targets" "slices" ] (_: mkOption { type = unitType; default = { }; }) // { enable = any pkgs.stdenv.hostPlatform.isLinux; startServices = any true; sessionVariables = any { }; tmpfiles = any { }; systemctlPath = any "systemctl"; };
    launchd.agents = mkOption { type = types.attrsOf (types.submodule { options = { enable = mkOption { type = types.bool; default = false; }; config = mkOption { type = types.anything; default = { }; }; }; }); default = { }; };
    programs = { claude-code = { enable = mkOption { type = types.bool; default = false; }; package = mkOption { type = types.nullOr types.package; default = null; }; settings = mkOption { type = types.json; default = { }; }; configDir = mkOption { type = types.str; default = "${c.home.homeDirectory}/.claude"; }; hooks = any { }; plugins = mkOption { type = types.attrsOf types.path; default = { }; }; mcpServers = any { }; skills = any { }; commands = any { }; }; home-manager = any { }; man = any { }; git = any { }; };
  };
  config = {
    xdg.configFile = lib.mkIf c.systemd.user.enable (lib.listToAttrs (lib.concatLists (lib.concatMap (k: lib.mapAttrsToList (unit (lib.removeSuffix "s" k)) c.systemd.user.${k}) [ "services" "timers" "sockets" "paths" "targets" "slices" ])));
    home.file = lib.mkMerge [ (lib.mapAttrs' (n: f: lib.nameValuePair "${c.xdg.configHome}/${n}" { inherit (f) enable executable; source = f.source; }) c.xdg.configFile)
      (lib.mkIf c.programs.claude-code.enable (lib.mapAttrs' (n: p: lib.nameValuePair "${c.programs.claude-code.configDir}/skills/${n}" { source = p; }) c.programs.claude-code.plugins))
      (lib.mkIf (c.programs.claude-code.enable && c.programs.claude-code.settings != { }) { "${c.programs.claude-code.configDir}/settings.json".source = (pkgs.formats.json { }).generate "claude-code-settings.json" (c.programs.claude-code.settings // { "$schema" = "https://json.schemastore.org/claude-code-settings.json"; }); }) ];
    home-files = pkgs.linkFarm "home-manager-files" (lib.mapAttrsToList (_: f: { name = f.target; path = f.source; }) (lib.filterAttrs (_: f: f.enable) c.home.file));
    home.activationPackage = pkgs.runCommand "home-manager-generation" { agents = builtins.toJSON (if pkgs.stdenv.hostPlatform.isDarwin then c.launchd.agents else { }); } "mkdir $out; ln -s ${c.home-files} $out/home-files; cp ${pkgs.writeText "activate" (lib.concatLines (lib.mapAttrsToList (n: e: "echo Activating ${n}\n${e.data or e}") c.home.activation))} $out/activate";
  };
}
