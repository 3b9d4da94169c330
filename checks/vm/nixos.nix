# With NixOS the timer fires for two users, and each keeps a memory of its own.
{ lib, ... }:
{
  name = "memd-nixos";

  nodes.machine =
    { pkgs, ... }:
    {
      imports = [
        ../../modules/nixos
        ./quick.nix
      ];
      environment.systemPackages = [ pkgs.git ];
      services.memd.users = [
        "alice"
        "bob"
      ];
      users.users = {
        alice = {
          isNormalUser = true;
          linger = true;
        };
        bob = {
          isNormalUser = true;
          linger = true;
        };
        carol = {
          isNormalUser = true;
          linger = true;
        };
      };
    };

  testScript =
    { nodes, ... }:
    ''
      memd = "${lib.getExe nodes.machine.services.memd.package}"
      machine.wait_for_unit("multi-user.target")

      def run(user, command):
          return f"su -l {user} -c '{command}'"

      for user, fact in (("alice", "alice listens on 9090"), ("bob", "bob listens on 8080")):
          machine.wait_until_succeeds(f"systemctl --user -M {user}@ is-active memd-sweep.timer")
          machine.succeed(run(user, f"git init -q shop && {memd} init shop && {memd} note --project shop -m \"{fact}\""))

      with subtest("both have their own"):
          machine.wait_until_succeeds(run("alice", "git -C shop/.memory show HEAD:state.md | grep 9090"))
          machine.wait_until_succeeds(run("bob", "git -C shop/.memory show HEAD:state.md | grep 8080"))
          machine.fail("grep -r 8080 /home/alice/shop/.memory/state.md")
          machine.fail("grep -r 9090 /home/bob/shop/.memory/state.md")
          machine.succeed("stat -c %U /home/bob/shop/.memory/state.md | grep -x bob")

      with subtest("who is not listed has no timer"):
          machine.wait_until_succeeds("systemctl --user -M carol@ is-active timers.target")
          machine.fail("systemctl --user -M carol@ is-active memd-sweep.timer")
    '';
}
