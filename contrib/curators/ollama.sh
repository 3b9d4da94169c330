#!/bin/sh
# memd curator: a local model run by ollama. Usage: ollama.sh MODEL <input
set -eu
model=${1:?name of a local ollama model expected}

# `ollama run` would download a model that is not there.
ollama show "$model" >/dev/null
exec ollama run "$model" --format json --hidethinking
