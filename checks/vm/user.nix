# A person whose user manager runs without a login, with Home Manager.
home-manager:
{ pkgs, ... }:
{
  imports = [ home-manager.nixosModules.home-manager ];
  environment.systemPackages = [ pkgs.git ];
  users.users.alice = {
    isNormalUser = true;
    linger = true;
  };
  home-manager = {
    useGlobalPkgs = true;
    useUserPackages = true;
    users.alice = {
      imports = [
        ../../modules/home-manager
        ./quick.nix
      ];
      home.stateVersion = "25.11";
    };
  };
}
