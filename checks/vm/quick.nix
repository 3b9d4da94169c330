# No model, and no waiting.
{
  services.memd = {
    enable = true;
    settings = {
      curator_cmd = [
        "memd"
        "curate"
      ];
      quiet_seconds = 0;
    };
    sweep = {
      onBoot = "1s";
      interval = "2s";
      randomizedDelay = "0s";
      accuracy = "100ms";
    };
  };
}
