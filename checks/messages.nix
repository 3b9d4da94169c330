# What cannot work says which option is meant, before anything is built.
{
  lib,
  pkgs,
  home,
}:
let
  evaluates =
    module: (builtins.tryEval (builtins.seq (home module).activationPackage.drvPath true)).success;

  refused = {
    claude-dir-outside-the-home.settings.claude_dir = "/srv/claude";
    interval-of-nothing.sweep.interval = "0s";
    interval-without-unit.sweep.interval = "30";
    interval-with-a-second-line.sweep.interval = "30min\nOnCalendar=daily";
    path-with-a-quote.sweep.path = [ "/opt/\"x" ];
    path-with-a-second-line.sweep.path = [ "/opt\nExecStart=/bin/false" ];
    relative-path.sweep.path = [ "bin" ];
    no-such-option.sweeps.enable = true;
  };
  accepted = {
    claude-dir-in-the-home.settings.claude_dir = "~/claude";
    claude-dir-outside-without-hooks = {
      settings.claude_dir = "/srv/claude";
      installClaudeHooks = false;
    };
    combined.sweep.interval = "1h 30min";
  };

  test = expected: name: value: lib.optional (evaluates { services.memd = value; } != expected) name;
  wrong = lib.concatLists (
    lib.mapAttrsToList (test true) accepted ++ lib.mapAttrsToList (test false) refused
  );
in
if wrong == [ ] then
  pkgs.runCommand "memd-messages" { } ''touch "$out"''
else
  throw "services.memd: accepted or refused by mistake: ${toString wrong}"
