# Stand-in for `nixosSystem`: the options that the NixOS module and the checks set, and user units rendered as NixOS does.
{ lib }: { modules }: lib.evalModules {
  modules = modules ++ [ ({ config, ... }: let
    inherit (lib) mkOption types;
    any = mkOption { type = types.anything; default = { }; };
    line = key: value: map (v: "${key}=${if lib.isBool v then lib.boolToString v else toString v}\n") (lib.toList value);
    section = name: values: "[${name}]\n" + lib.concatStrings (lib.concatLists (lib.mapAttrsToList line values));
    triggers = name: u: lib.optionalAttrs (u.restartTriggers != [ ]) { X-Restart-Triggers = "/nix/store/X-Restart-Triggers-${name}"; };
    unit = name: u: section "Unit" ({ Description = u.description; } // u.unitConfig // triggers name u);
    service = name: u: unit name u + "\n[Service]\n"
      + lib.concatStrings (lib.mapAttrsToList (n: v: "Environment=${builtins.toJSON "${n}=${v}"}\n") u.environment)
      + lib.optionalString (!u.restartIfChanged) "X-RestartIfChanged=false\n" + lib.removePrefix "[Service]\n" (section "Service" u.serviceConfig);
    timer = name: u: unit name u + "\n" + section "Timer" u.timerConfig + "\n" + section "Install" { WantedBy = u.wantedBy; };
    rendered = suffix: render: us: lib.mapAttrs' (name: u: lib.nameValuePair "${name}.${suffix}" { text = render name u; }) us;
    units = options: mkOption { default = { }; type = types.attrsOf (types.submodule { options = {
      description = mkOption { type = types.str; default = ""; }; unitConfig = any; wantedBy = mkOption { type = types.listOf types.str; default = [ ]; };
      restartTriggers = mkOption { type = types.listOf types.raw; default = [ ]; }; restartIfChanged = mkOption { type = types.bool; default = true; }; } // options; }); };
  in {
    options = {
      assertions = mkOption { type = types.listOf types.raw; default = [ ]; };
      environment = { systemPackages = mkOption { type = types.listOf types.package; default = [ ]; };
        etc = mkOption { default = { }; type = types.attrsOf (types.submodule ({ config, name, ... }: { options = { text = mkOption { type = types.lines; default = ""; }; source = mkOption { type = types.path; default = builtins.toFile "etc" config.text; }; }; })); }; };
      systemd.user = { services = units { environment = mkOption { type = types.attrsOf types.str; default = { PATH = "the default of NixOS"; }; }; serviceConfig = any; }; timers = units { timerConfig = any; }; units = any; };
      users.users = any; boot = any; fileSystems = any; system = any; nixpkgs.pkgs = mkOption { type = types.raw; };
    };
    config = { _module.args.pkgs = config.nixpkgs.pkgs;
      systemd.user.units = rendered "service" service config.systemd.user.services // rendered "timer" timer config.systemd.user.timers; };
  }) ];
}
