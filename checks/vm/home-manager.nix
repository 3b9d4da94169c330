# With Home Manager the timer fires, and a note and a session become committed memory.
{ home-manager, lib, ... }:
{
  name = "memd-home-manager";

  nodes.machine = {
    imports = [ (import ./user.nix home-manager) ];
    environment.etc."memd-test/session.jsonl".text = import ./session.nix { home = "/home/alice"; };
  };

  testScript =
    { nodes, ... }:
    ''
      memd = "${lib.getExe nodes.machine.home-manager.users.alice.services.memd.package}"
      machine.wait_for_unit("multi-user.target")
      machine.wait_until_succeeds("systemctl --user -M alice@ is-active memd-sweep.timer")

      def alice(command):
          return f"su -l alice -c '{command}'"

      with subtest("a note"):
          machine.succeed(alice(f"git init -q notes && {memd} init notes && {memd} note --project notes -m \"the API listens on 9090\""))
          machine.wait_until_succeeds(alice("git -C notes/.memory show HEAD:state.md | grep 9090"))
          machine.fail(alice("ls notes/.memory/inbox/*.md"))

      with subtest("a session of a repository that memd has not seen"):
          machine.succeed(alice("git init -q shop && mkdir -p .claude/projects/-home-alice-shop"))
          machine.succeed(alice("cp /etc/memd-test/session.jsonl .claude/projects/-home-alice-shop/5b0d2a5e-7a53-4c5e-9a0c-6d3e1f2a9b10.jsonl"))
          machine.wait_until_succeeds(alice("git -C shop/.memory show HEAD:decisions.md | grep sqlite"))
          machine.succeed(alice("git -C shop/.memory log --format=%B | grep Memd-Session:"))

      with subtest("a switch leaves a running sweep alone"):
          machine.succeed("grep -x X-SwitchMethod=keep-old /home/alice/.config/systemd/user/memd-sweep.service")
    '';
}
