{
  description = "memd: the memory of AI coding CLIs";

  inputs = {
    nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";
    home-manager = {
      url = "github:nix-community/home-manager";
      inputs.nixpkgs.follows = "nixpkgs";
    };
  };

  outputs =
    {
      self,
      nixpkgs,
      home-manager,
    }:
    let
      inherit (nixpkgs) lib;
      systems = [
        "x86_64-linux"
        "aarch64-linux"
        "aarch64-darwin"
      ];
      eachSystem =
        outputs: lib.genAttrs systems (system: outputs nixpkgs.legacyPackages.${system} system);
    in
    {
      overlays.default = final: _: { memd = final.callPackage ./pkgs/memd/package.nix { }; };

      packages = eachSystem (
        pkgs: system: {
          memd = pkgs.callPackage ./pkgs/memd/package.nix { };
          default = self.packages.${system}.memd;
        }
      );

      apps = eachSystem (
        _: system: {
          memd = {
            type = "app";
            program = lib.getExe self.packages.${system}.memd;
            meta.description = "Look at and tend the memory of your projects";
          };
          default = self.apps.${system}.memd;
        }
      );

      homeModules = {
        memd = ./modules/home-manager;
        default = self.homeModules.memd;
      };

      # The name of old.
      homeManagerModules = self.homeModules;

      nixosModules = {
        memd = ./modules/nixos;
        default = self.nixosModules.memd;
      };

      checks = eachSystem (
        pkgs: system:
        import ./checks {
          inherit
            lib
            pkgs
            nixpkgs
            home-manager
            ;
          memd = self.packages.${system}.memd;
        }
      );

      devShells = eachSystem (
        pkgs: system: {
          default = pkgs.mkShell {
            inputsFrom = [ self.packages.${system}.memd ];
            packages = [
              pkgs.git
              pkgs.ruff
              pkgs.mypy
              pkgs.nixfmt
            ];
            shellHook = ''
              export PYTHONPATH=$PWD/pkgs/memd/src''${PYTHONPATH:+:$PYTHONPATH} PATH=$PWD/bin:$PATH
            '';
          };
        }
      );

      formatter = eachSystem (pkgs: _: pkgs.nixfmt-tree);
    };
}
