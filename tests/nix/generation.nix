# A Home Manager generation of the stand-ins, with a sweep that comes at once.
{ home }:
let
  lib = import ./nixpkgs/lib.nix;
  home-manager = (import ./home-manager/flake.nix).outputs { nixpkgs = { inherit lib; }; };
in
(home-manager.lib.homeManagerConfiguration {
  pkgs = import ./nixpkgs/pkgs.nix {
    inherit lib;
    system = builtins.currentSystem;
  };
  modules = [
    ../../modules/home-manager
    ../../checks/vm/quick.nix
    {
      home = {
        username = "root";
        homeDirectory = home;
        stateVersion = "25.11";
      };
    }
  ];
}).activationPackage
