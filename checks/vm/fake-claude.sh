# A session of Claude Code, as far as its hooks can tell: prints what they print at its start and
# leaves the transcript SESSION behind.
set -eu
session=$1
id=5b0d2a5e-7a53-4c5e-9a0c-6d3e1f2a9b10
folder=$HOME/.claude/projects/$(printf %s "$PWD" | tr -c 'A-Za-z0-9' -)
mkdir -p "$folder"
export CLAUDE_PROJECT_DIR=$PWD

fire() { # fire EVENT FIELDS: each command that a plugin has for the event, in a session of its own
  for hooks in "$HOME"/.claude/skills/*/hooks/hooks.json; do
    sed -n "/\"$1\"/,/\"timeout\"/s/^ *\"command\": \"\(.*\)\",*$/\1/p" "$hooks" | while read -r command; do
      printf '{"session_id":"%s","transcript_path":"%s","cwd":"%s","hook_event_name":"%s",%s}' \
        "$id" "$folder/$id.jsonl" "$PWD" "$1" "$2" | setsid -w sh -c "$command"
    done
  done
}

fire SessionStart '"source":"startup"'
cat "$session" >"$folder/$id.jsonl"
fire SessionEnd '"reason":"other"'
