# Units and files as they are generated, word for word but for hashes and versions of store paths.
{
  lib,
  pkgs,
  home,
  nixos,
}:
let
  ofHome =
    module:
    let
      inherit ((home module).config) xdg;
      source = name: xdg.configFile.${name}.source;
    in
    {
      "config.json" = source "memd/config.json";
      "memd-sweep.service" = source "systemd/user/memd-sweep.service";
      "memd-sweep.timer" = source "systemd/user/memd-sweep.timer";
    };

  ofNixos =
    module:
    let
      inherit ((nixos module).config) environment systemd;
      # Only the words: what they name need not be built.
      unit =
        name: pkgs.writeText name (builtins.unsafeDiscardStringContext systemd.user.units.${name}.text);
    in
    {
      "config.json" = environment.etc."xdg/memd/config.json".source;
      "memd-sweep.service" = unit "memd-sweep.service";
      "memd-sweep.timer" = unit "memd-sweep.timer";
    };

  generated = {
    home-manager = ofHome { };
    home-manager-everything = ofHome (import ./everything.nix);
    nixos = ofNixos { };
    nixos-for-some = ofNixos {
      services.memd = {
        users = [
          "alice"
          "bob"
        ];
        settings.model_small = "haiku";
        sweep.path = [ "~/.npm-global/bin" ];
      };
    };
  };

  normalised = pkgs.runCommand "memd-generated" { } (
    lib.concatStrings (
      lib.mapAttrsToList (
        folder: files:
        "mkdir -p $out/${folder}\n"
        + lib.concatStrings (
          lib.mapAttrsToList (name: source: ''
            sed -E \
              -e '/LOCALE_ARCHIVE=|TZDIR=/d' \
              -e 's#/nix/store/[a-z0-9]{32}-#/nix/store/#g' \
              -e 's#(/nix/store/[a-zA-Z-]+)-[0-9][0-9.]*#\1#g' \
              -e 's#(/nix/store/[a-zA-Z-]+)-(host|bin)/#\1/#g' \
              ${source} | cat -s >$out/${folder}/${name}
          '') files
        )
      ) generated
    )
  );
in
pkgs.runCommand "memd-golden" { } ''
  diff -ru ${./golden} ${normalised} || {
    echo "What the modules generate has changed. If that is meant:" >&2
    echo "  cp -r --no-preserve=mode ${normalised}/. checks/golden/" >&2
    exit 1
  }
  touch "$out"
''
