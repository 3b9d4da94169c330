#!/bin/sh
# memd curator: any model of the `llm` command. Usage: llm.sh MODEL <input
# `llm` offers a model no tools unless it is told to; nothing is logged.
set -eu
model=${1:?name of a model expected}

exec llm prompt --model "$model" --no-stream --no-log
