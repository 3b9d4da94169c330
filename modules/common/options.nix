# The options that Home Manager and NixOS have in common.
{
  config,
  lib,
  pkgs,
  ...
}:
let
  inherit (lib) mkOption types;
  timespan = import ./timespan.nix { inherit lib; };
  settings = import ./settings.nix {
    inherit lib;
    schema = lib.importJSON ../../pkgs/memd/settings.schema.json;
  };
  cfg = config.services.memd;
in
{
  options.services.memd = {
    enable = lib.mkEnableOption "memd, the memory of AI coding CLIs";

    package = mkOption {
      type = types.package;
      default = pkgs.callPackage ../../pkgs/memd/package.nix { };
      defaultText = lib.literalMD "memd of this flake, built with your `pkgs`";
      description = "The memd to install and to run.";
    };

    settings = mkOption {
      type = types.submodule { inherit (settings) options; };
      default = { };
      example = {
        model_small = "haiku";
        budgets."state.md" = 8000;
      };
      description = ''
        What goes into {file}`config.json`. Options that are not set stay out of the file; the
        defaults named here are the program's. {command}`memd config check` has to accept the file
        before it is installed.
      '';
    };

    configFile = mkOption {
      type = types.package;
      internal = true;
      readOnly = true;
      default =
        pkgs.runCommand "memd-config.json"
          {
            text = builtins.toJSON (settings.prune cfg.settings);
            passAsFile = [ "text" ];
            nativeBuildInputs = [
              cfg.package
              pkgs.jq
            ];
          }
          ''
            export HOME=$PWD
            jq . "$textPath" >config.json
            if ! memd config check config.json 2>problems >/dev/null; then
              echo "services.memd.settings is not accepted by memd:" >&2
              cat problems >&2
              exit 1
            fi
            cp config.json "$out"
          '';
      description = "The checked {file}`config.json`.";
    };

    sweep = {
      enable = mkOption {
        type = types.bool;
        default = true;
        description = ''
          Whether to run {command}`memd sweep` regularly: for sessions that no hook reported, for
          notes, and for the size limits.
        '';
      };

      interval = mkOption {
        type = timespan.interval;
        default = "30min";
        description = "How long after the end of a sweep the next one starts.";
      };

      onBoot = mkOption {
        type = timespan.span;
        default = "5min";
        description = "How long after boot the first sweep starts. Not on darwin, which knows only the interval.";
      };

      randomizedDelay = mkOption {
        type = timespan.span;
        default = "2min";
        description = "By how much, at random, a sweep starts later. Not on darwin.";
      };

      accuracy = mkOption {
        type = timespan.span;
        default = "1min";
        description = ''
          How late a sweep may start so that the machine wakes up less often. An interval of seconds
          needs a smaller value. Not on darwin.
        '';
      };

      path = mkOption {
        type = types.listOf (
          types.either types.package (
            types.addCheck types.str (text: builtins.match "(/|~/)[^:\"\\\n]*" text != null)
            // {
              description = "directory: absolute or below ~/, without a colon, a quote or a backslash";
            }
          )
        );
        default = [ ];
        example = lib.literalExpression ''[ pkgs.claude-code "~/.npm-global/bin" ]'';
        description = ''
          Packages, and directories with programs, where a sweep looks for the curator
          ({command}`claude`, or what `settings.curator_cmd` names). memd comes before them and the usual
          profiles after them; git comes with memd.
        '';
      };
    };
  };
}
