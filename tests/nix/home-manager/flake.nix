{
  description = "Stand-in for home-manager: the options that the module sets, rendered as Home Manager does";
  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
  outputs = { nixpkgs, ... }: let inherit (nixpkgs) lib; in {
    lib.homeManagerConfiguration = { pkgs, modules }: let
        evaluated = lib.evalModules { modules = [ ./options.nix { _module.args = { inherit pkgs; osConfig = null; }; } ] ++ modules; };
        failed = lib.filter (a: !a.assertion) evaluated.config.assertions;
      in evaluated // { activationPackage = if failed == [ ] then evaluated.config.home.activationPackage else throw "Failed assertions:\n${lib.concatLines (map (a: "- ${a.message}") failed)}"; };
    nixosModules.home-manager = { config, pkgs, ... }: {
      options.home-manager = lib.genAttrs [ "useGlobalPkgs" "useUserPackages" ] (_: lib.mkOption { type = lib.types.bool; default = false; }) // {
        users = lib.mkOption { default = { }; type = lib.types.attrsOf (lib.types.submoduleWith { modules = [ ./options.nix ({ name, ... }: {
          _module.args = { inherit pkgs; osConfig = config; };
          home = { username = name; homeDirectory = "/home/${name}"; profileDirectory = "/etc/profiles/per-user/${name}"; };
        }) ]; }); };
      };
      config.assertions = lib.concatMap (user: user.assertions) (lib.attrValues config.home-manager.users);
    };
  };
}
