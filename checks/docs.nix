# The options have documentation that can be rendered without building memd.
{ lib, pkgs }:
let
  # Nothing but the options: the rest of both systems is not there, and no package is.
  render =
    module:
    let
      evaluated = lib.evalModules {
        modules = [
          module
          {
            _module = {
              args.pkgs = throw "the documentation needs a package";
              check = false;
            };
          }
        ];
      };
    in
    (pkgs.nixosOptionsDoc { options = { inherit (evaluated.options) services; }; }).optionsCommonMark;
in
pkgs.runCommand "memd-option-docs" { } ''
  mkdir "$out"
  cp ${render ../modules/home-manager} "$out/home-manager.md"
  cp ${render ../modules/nixos} "$out/nixos.md"
  for file in "$out"/*.md; do
    grep -q 'services\\*.memd\\*.settings\\*.sweep\\*_jobs' "$file"
    grep -q 'integer, 1 or more' "$file"
  done
''
