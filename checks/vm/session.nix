# A session of Claude Code in ~/shop, as its transcript has it.
{ home }:
let
  record = type: uuid: content: {
    inherit type uuid;
    cwd = "${home}/shop";
    isSidechain = false;
    message = {
      inherit content;
      role = type;
    };
    sessionId = "5b0d2a5e-7a53-4c5e-9a0c-6d3e1f2a9b10";
    timestamp = "2026-11-30T10:00:00.000Z";
    version = "2.1.332";
  };
in
builtins.concatStringsSep "\n" (
  map builtins.toJSON [
    (record "user" "a1" "From now on we use sqlite, not postgres.")
    (record "assistant" "a2" [
      {
        type = "text";
        text = "We decided: the shop keeps its data in sqlite.";
      }
    ])
  ]
)
+ "\n"
