# A settings.json that Home Manager manages is still what it was after activation and a sweep.
{ home-manager, lib, ... }:
{
  name = "memd-claude-settings";

  nodes.machine = {
    imports = [ (import ./user.nix home-manager) ];
    home-manager.users.alice.programs.claude-code = {
      enable = true;
      package = null;
      settings = {
        theme = "dark";
        hooks.SessionEnd = [
          {
            hooks = [
              {
                type = "command";
                command = "mine";
              }
            ];
          }
        ];
      };
    };
  };

  testScript =
    { nodes, ... }:
    ''
      memd = "${lib.getExe nodes.machine.home-manager.users.alice.services.memd.package}"
      machine.wait_for_unit("multi-user.target")
      settings = "/home/alice/.claude/settings.json"
      machine.wait_until_succeeds(f"test -L {settings}")
      before = machine.succeed(f"readlink -f {settings}; cat {settings}")
      assert "mine" in before and "memd" not in before, before

      machine.succeed("test -e /home/alice/.claude/skills/memd/.claude-plugin/plugin.json")
      machine.succeed("systemctl --user -M alice@ start memd-sweep.service")
      refusal = machine.fail(f"su -l alice -c '{memd} install-hooks' 2>&1")
      assert "settings.json" in refusal or "hooks.json" in refusal, refusal
      after = machine.succeed(f"readlink -f {settings}; cat {settings}")
      assert after == before, after
    '';
}
