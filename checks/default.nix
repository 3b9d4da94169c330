# One file per promise. `nix flake check` builds them all.
{
  lib,
  pkgs,
  nixpkgs,
  home-manager,
  memd,
}:
let
  home =
    modules:
    home-manager.lib.homeManagerConfiguration {
      inherit pkgs;
      modules = [
        ../modules/home-manager
        {
          # One evaluation of nixpkgs serves all.
          _module.args.pkgs = lib.mkForce pkgs;
          home = {
            username = "alice";
            homeDirectory = "/home/alice";
            stateVersion = "25.11";
          };
          services.memd.enable = true;
        }
      ]
      ++ lib.toList modules;
    };

  nixos =
    modules:
    nixpkgs.lib.nixosSystem {
      modules = [
        ../modules/nixos
        {
          nixpkgs = { inherit pkgs; };
          boot.loader.grub.enable = false;
          fileSystems."/" = {
            device = "/dev/vda";
            fsType = "ext4";
          };
          system.stateVersion = "25.11";
          services.memd.enable = true;
        }
      ]
      ++ lib.toList modules;
    };

  vm = file: pkgs.testers.runNixOSTest (import file { inherit lib home-manager; });
in
{
  package = memd;
  schema = import ./schema.nix { inherit pkgs memd; };
  settings = import ./settings.nix { inherit lib pkgs; };
  messages = import ./messages.nix { inherit lib pkgs home; };
  docs = import ./docs.nix { inherit lib pkgs; };
  format = import ./format.nix { inherit lib pkgs; };
  home-manager = (home (import ./everything.nix)).activationPackage;
  home-manager-with-claude-code =
    (home {
      programs.claude-code = {
        enable = true;
        package = null;
        settings.theme = "dark";
      };
    }).activationPackage;
}
// lib.optionalAttrs pkgs.stdenv.hostPlatform.isLinux {
  golden = import ./golden.nix { inherit lib pkgs home nixos; };
  vm-home-manager = vm ./vm/home-manager.nix;
  vm-nixos = vm ./vm/nixos.nix;
  vm-claude-settings = vm ./vm/claude-settings.nix;
  vm-hooks = vm ./vm/hooks.nix;
}
