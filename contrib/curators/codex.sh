#!/bin/sh
# memd curator: the Codex CLI. Usage: codex.sh MODEL <input
# No shell, no web search, no MCP servers or hooks of the user, no session file.
set -eu
model=${1:?name of a model expected}

exec codex exec --model "$model" \
  --sandbox read-only --disable shell_tool --disable hooks -c 'web_search="disabled"' \
  --ignore-user-config --ephemeral --skip-git-repo-check --color never -
