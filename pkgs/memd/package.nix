{
  lib,
  stdenv,
  python3Packages,
  git,
  installShellFiles,
  versionCheckHook,
}:
let
  root = ../..;
in
python3Packages.buildPythonApplication {
  pname = "memd";
  version =
    let
      literal = builtins.match ".*__version__ = \"([^\"]+)\".*" (
        builtins.readFile ./src/memd/__init__.py
      );
    in
    builtins.head literal;
  pyproject = true;

  # Without what only Nix or the project's own automation reads: a change there rebuilds nothing.
  src = lib.fileset.toSource {
    inherit root;
    fileset = lib.fileset.difference root (
      lib.fileset.unions [
        (root + "/checks")
        (root + "/flake.lock")
        (root + "/flake.nix")
        (root + "/modules")
        (root + "/tests/nix")
        ./package.nix
      ]
    );
  };

  build-system = [ python3Packages.hatchling ];

  dependencies = with python3Packages; [
    pydantic-settings
    pyyaml
    typer
  ];

  nativeBuildInputs = [ installShellFiles ];

  # A suffix: the git of whoever runs memd goes first.
  makeWrapperArgs = [
    "--suffix"
    "PATH"
    ":"
    (lib.makeBinPath [ git ])
  ];

  postInstall = ''
    mkdir -p "$out/share/memd"
    cp -R contrib pkgs/memd/claude-plugin pkgs/memd/settings.schema.json "$out/share/memd/"
    substituteInPlace "$out/share/memd/claude-plugin/hooks/hooks.json" \
      --replace-fail '"memd hook' "\"$out/bin/memd hook"
    substituteInPlace "$out/share/memd/claude-plugin/.claude-plugin/plugin.json" \
      --replace-fail '"0"' "\"$version\""
    substituteInPlace "$out/share/memd/contrib/systemd/memd-sweep.service" \
      --replace-fail '%h/.local/bin/memd sweep' "$out/bin/memd sweep"
  ''
  + lib.optionalString (stdenv.buildPlatform.canExecute stdenv.hostPlatform) ''
    for shell in bash fish zsh; do
      _MEMD_COMPLETE=source_$shell "$out/bin/memd" >memd.$shell
    done
    installShellCompletion --cmd memd --bash memd.bash --fish memd.fish --zsh memd.zsh
  '';

  nativeCheckInputs = [
    git
    versionCheckHook
  ]
  ++ (with python3Packages; [
    hypothesis
    pytest-xdist
    pytestCheckHook
  ]);

  # Warnings are errors where memd is developed; here its dependencies have other versions.
  pytestFlags = [ "-Wdefault" ];

  preCheck = ''
    export HOME=$(mktemp -d)
    patchShebangs bin tests/fakes
  '';

  postCheck = ''
    "$out/bin/memd" config schema | diff - pkgs/memd/settings.schema.json
    "$out/bin/memd" demo >/dev/null
    [ -n "$(find "$out" -name '__init__.*.pyc')" ]
  '';

  meta = {
    description = "Memory of AI coding CLIs, distilled from session logs into four Markdown files";
    license = lib.licenses.mit;
    mainProgram = "memd";
    platforms = lib.platforms.unix;
  };
}
