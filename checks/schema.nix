# The options come from the schema that the program writes.
{ pkgs, memd }:
pkgs.runCommand "memd-schema" { nativeBuildInputs = [ memd ]; } ''
  export HOME=$PWD
  memd config schema >schema.json
  diff ${../pkgs/memd/settings.schema.json} schema.json || {
    echo 'pkgs/memd/settings.schema.json is not what the program says: `make docs` writes it' >&2
    exit 1
  }
  touch "$out"
''
