# Every option that a user may set, with a value that is not its default.
{ pkgs, ... }:
{
  services.memd = {
    installClaudeHooks = true;
    settings = {
      model_small = "haiku";
      curator_cmd = [
        "memd"
        "curate"
      ];
      claude_dir = "~/.config/claude";
      quiet_seconds = 0;
      auto_scaffold = false;
      budgets."state.md" = 8000;
      exclude = [ "~/work/client-x" ];
      REDACT_EXTRA_PATTERNS = [ "ACME-[0-9A-F]{16}" ];
      projects = {
        "/srv/app" = { };
        "~/shop" = {
          name = "Лавка";
          extra_sources = [ "logs/agent-*.log" ];
        };
      };
    };
    sweep = {
      interval = "1h 30min";
      onBoot = "90s";
      randomizedDelay = "0s";
      accuracy = "100ms";
      path = [
        pkgs.jq
        "~/.npm-global/bin"
        "/opt/100%/bin"
      ];
    };
  };
}
