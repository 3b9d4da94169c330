# Formatted as `nix fmt` does; not the stand-ins, which are dense.
{ lib, pkgs }:
let
  source = lib.fileset.toSource {
    root = ../.;
    fileset = lib.fileset.difference (lib.fileset.fileFilter (file: file.hasExt "nix") ../.) ../tests/nix;
  };
in
pkgs.runCommand "memd-format" { nativeBuildInputs = [ pkgs.nixfmt ]; } ''
  find ${source} -name '*.nix' -exec nixfmt --check {} +
  touch "$out"
''
