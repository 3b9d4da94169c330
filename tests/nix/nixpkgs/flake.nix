{
  description = "Stand-in for nixpkgs: the part of lib that the flake uses, builders on the host's tools";
  outputs = _: let lib = import ./lib.nix; in {
    lib = lib // { nixosSystem = import ./nixos.nix { inherit lib; }; };
    legacyPackages = lib.genAttrs [ "x86_64-linux" "aarch64-linux" "aarch64-darwin" ] (system: import ./pkgs.nix { inherit lib system; });
  };
}
