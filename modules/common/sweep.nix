# The sweep as data: what the adapters turn into units and agents.
{ lib, cfg }:
{
  description = "Fold new sessions and notes into project memories";

  command = [
    (lib.getExe cfg.package)
    "sweep"
  ];

  # `home` is what stands for the home directory, `profiles` are where the user's packages are.
  # git comes with memd's wrapper.
  searchPath =
    {
      home,
      escape ? lib.id,
      profiles,
    }:
    let
      directory =
        entry:
        if lib.isString entry && lib.hasPrefix "~/" entry then
          "${home}/${escape (lib.removePrefix "~/" entry)}"
        else if lib.isString entry then
          escape entry
        else
          "${entry}/bin";
    in
    lib.concatStringsSep ":" (
      map directory ([ cfg.package ] ++ cfg.sweep.path)
      ++ [
        "${home}/.local/bin"
        "${home}/.nix-profile/bin"
        "${home}/.local/state/nix/profile/bin"
      ]
      ++ profiles
      ++ [
        "/run/current-system/sw/bin"
        "/nix/var/nix/profiles/default/bin"
        "/usr/local/bin"
        "/usr/bin"
        "/bin"
      ]
    );

  # No namespaces are taken away and no memory is locked: curators have sandboxes of their own
  # and compile as they run.
  service = {
    Type = "oneshot";
    Nice = 10;
    IOSchedulingClass = "idle";
    NoNewPrivileges = true;
    LockPersonality = true;
    RestrictRealtime = true;
    RestrictSUIDSGID = true;
    SystemCallArchitectures = "native";
    UMask = "0077";
  };

  # Monotonic, so that the next sweep waits for the end of the last.
  timer = {
    OnBootSec = cfg.sweep.onBoot;
    OnUnitInactiveSec = cfg.sweep.interval;
    RandomizedDelaySec = cfg.sweep.randomizedDelay;
    AccuracySec = cfg.sweep.accuracy;
  };
}
