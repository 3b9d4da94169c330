# The hooks fire in a session: it is told the memory, once, and is learned from when it ends.
{ home-manager, ... }:
{
  name = "memd-hooks";

  nodes.machine = {
    imports = [ (import ./user.nix home-manager) ];
    # What is learned here is learned by the hooks.
    home-manager.users.alice.services.memd.sweep.enable = false;
    environment.etc = {
      "memd-test/session.jsonl".text = import ./session.nix { home = "/home/alice"; };
      "memd-test/claude".source = ./fake-claude.sh;
    };
  };

  testScript = ''
    machine.wait_for_unit("multi-user.target")
    machine.wait_until_succeeds("test -e /home/alice/.claude/skills/memd/hooks/hooks.json")

    def alice(command):
        return f"su -l alice -c '{command}'"

    session = alice("cd shop && bash /etc/memd-test/claude /etc/memd-test/session.jsonl")
    machine.succeed(alice("git init -q shop"))
    machine.succeed(session)
    machine.wait_until_succeeds(alice("git -C shop/.memory show HEAD:decisions.md | grep sqlite"))
    machine.succeed(alice("git -C shop/.memory log --format=%B | grep \"Memd-Trigger: session-end\""))

    told = machine.succeed(session)
    assert told.count("hookSpecificOutput") == 1 and "sqlite" in told, told
  '';
}
