# What goes in as `settings` comes out as the file says it, or fails at evaluation.
{ lib, pkgs }:
let
  settings = import ../modules/common/settings.nix {
    inherit lib;
    schema = lib.importJSON ../pkgs/memd/settings.schema.json;
  };

  written =
    modules:
    settings.prune
      (lib.evalModules {
        modules = [
          {
            options.settings = lib.mkOption {
              type = lib.types.submodule { inherit (settings) options; };
              default = { };
            };
          }
        ]
        ++ map (value: { settings = value; }) modules;
      }).config.settings;

  accepted = {
    nothing = {
      from = [ { } ];
      to = { };
    };
    null = {
      from = [
        {
          model_small = null;
          budgets."todo.md" = null;
        }
      ];
      to = { };
    };
    false-zero-and-empty-are-values = rec {
      from = [ to ];
      to = {
        auto_scaffold = false;
        escalate_chars = 0;
        exclude = [ ];
        projects."/srv/app" = { };
      };
    };
    negative-where-it-has-a-meaning = rec {
      from = [ to ];
      to.global_brief_chars = -1;
    };
    modules-merge = {
      from = [
        {
          budgets."state.md" = 1;
          exclude = [ "/a" ];
          projects."~/a".name = "a";
        }
        {
          budgets."todo.md" = 2;
          exclude = [ "/b" ];
          projects."~/b" = { };
        }
        { projects."~/a".extra_sources = [ "x" ]; }
      ];
      to = {
        budgets = {
          "state.md" = 1;
          "todo.md" = 2;
        };
        exclude = [
          "/a"
          "/b"
        ];
        projects = {
          "~/a" = {
            name = "a";
            extra_sources = [ "x" ];
          };
          "~/b" = { };
        };
      };
    };
    defaults-give-way = {
      from = [
        { model_small = lib.mkDefault "opus"; }
        { model_small = "haiku"; }
      ];
      to.model_small = "haiku";
    };
    names-are-not-counted-in-bytes = rec {
      from = [ to ];
      to.projects."~/x".name = "шшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшшш";
    };
  };

  refused = {
    wrong-type = {
      sweep_jobs = "4";
    };
    truth-as-text = {
      git_commit = "yes";
    };
    text-as-list = {
      exclude = "/a";
    };
    unknown-key = {
      modell_small = "haiku";
    };
    unknown-budget = {
      budgets."notes.md" = 1;
    };
    unknown-project-key = {
      projects."/a".nmae = "a";
    };
    negative-budget = {
      budgets."state.md" = -1;
    };
    no-budget = {
      budgets."state.md" = 0;
    };
    too-large = {
      curator_timeout_seconds = 86401;
    };
    no-model = {
      model_small = "";
    };
    relative-path = {
      exclude = [ "work" ];
    };
    another-home = {
      claude_dir = "~bob/.claude";
    };
    relative-project = {
      projects.shop = { };
    };
  };

  same =
    name:
    { from, to }:
    let
      got = builtins.toJSON (written from);
    in
    lib.optional (got != builtins.toJSON to) "${name}: ${got}";

  fails =
    name: value:
    lib.optional (builtins.tryEval (builtins.toJSON (written [ value ]))).success "${name}: accepted";

  wrong = lib.concatLists (lib.mapAttrsToList same accepted ++ lib.mapAttrsToList fails refused);
in
if wrong == [ ] then
  pkgs.runCommand "memd-settings" { } ''touch "$out"''
else
  throw "services.memd.settings: ${lib.concatStringsSep "\n" wrong}"
