# Time spans as systemd writes them ("30min", "1h 30min"), also in seconds for launchd.
{ lib }:
let
  units = {
    ms = 0.001;
    s = 1;
    sec = 1;
    min = 60;
    h = 3600;
    hr = 3600;
    d = 86400;
    day = 86400;
    w = 604800;
    week = 604800;
  };
  part = "(0|[1-9][0-9]{0,8})(${lib.concatStringsSep "|" (lib.attrNames units)})";

  seconds =
    text:
    lib.foldl' (sum: found: sum + builtins.fromJSON (lib.head found) * units.${lib.last found}) 0 (
      lib.filter lib.isList (builtins.split part text)
    );

  type =
    least: description:
    lib.types.addCheck lib.types.str (
      text: builtins.match "${part}( ?${part})*" text != null && seconds text >= least
    )
    // {
      inherit description;
    };
in
{
  span = type 0 ''time span, like "90s", "30min" or "1h 30min"'';
  interval = type 1 ''time span of a second or more, like "90s", "30min" or "1h 30min"'';

  toSeconds = text: builtins.ceil (seconds text);
}
