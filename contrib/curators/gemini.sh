#!/bin/sh
# memd curator: the Gemini CLI. Usage: gemini.sh MODEL <input
# The policy file beside this script denies every tool, so that none is offered.
set -eu
model=${1:?name of a model expected}
policy=$(dirname -- "$0")/gemini-no-tools.toml
[ -r "$policy" ] || { echo "gemini.sh: $policy is missing" >&2; exit 1; }

# Trust is about the working directory, which is memd's own and empty.
export GEMINI_CLI_TRUST_WORKSPACE=true
exec gemini --model "$model" \
  --approval-mode default --policy "$policy" --extensions none --output-format text
