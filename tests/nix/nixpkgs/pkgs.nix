# `pkgs` for CI: derivations run with the host's /bin/bash (nix.conf: sandbox = false).  Packages are links to host programs.
{ lib, system }:
let
  build = name: env: script: let d = derivation ({ inherit name system; builder = "/bin/bash"; args = [ "-ec" "PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin\n${script}\n:" ]; } // env); in d // { meta = env.meta or { mainProgram = name; }; };
  file = name: { text, executable ? false, destination ? "" }: build name { inherit text; passAsFile = [ "text" ]; } ''f="$out${destination}"; mkdir -p "$(dirname "$f")"; cp "$textPath" "$f"; ${lib.optionalString executable ''chmod +x "$f"''}'';
  host = pname: build "${pname}-host" { inherit pname; version = "0"; } "mkdir -p $out/bin; for b in ${pname} bash sh; do p=$(command -v $b) && ln -sf $p $out/bin/$b; done" // { meta.mainProgram = pname; };
  isLinux = lib.hasSuffix "-linux" system; isDarwin = lib.hasSuffix "-darwin" system;
  # --impure: the checkout's own memd.
  memdBin = let given = builtins.getEnv "MEMD_BIN"; in if given == "" then throw "MEMD_BIN is not set" else given;
  # The program is the host's; what the package adds to it is made by the package's own postInstall.
  pythonApplication = a: build "${a.pname}-${a.version}" {
      inherit (a) pname version src;
      deps = map (d: "${d}") (a.dependencies or [ ] ++ a.build-system or [ ] ++ a.nativeCheckInputs or [ ]);
    } ''
      substituteInPlace() {
        local file=$1 text; shift; text=$(cat "$file")
        while [ $# -gt 0 ]; do
          [ "$1" = --replace-fail ] && [[ $text == *"$2"* ]] || { echo "$file: no $2" >&2; return 1; }
          text=''${text//"$2"/"$3"}; shift 3
        done
        printf '%s\n' "$text" >"$file"
      }
      installShellCompletion() {
        install -Dm644 memd.bash $out/share/bash-completion/completions/memd.bash
        install -Dm644 memd.fish $out/share/fish/vendor_completions.d/memd.fish
        install -Dm644 memd.zsh $out/share/zsh/site-functions/_memd
      }
      mkdir -p $out/bin; printf '#!/bin/bash\nexec ${memdBin} "$@"\n' >$out/bin/${a.pname}; chmod +x $out/bin/${a.pname}
      cp -R --no-preserve=mode $src source; cd source
      ${a.postInstall or ""}
    '' // { inherit (a) meta; passthru = a.passthru or { }; };
  py = lib.genAttrs [ "typer" "pydantic" "pydantic-settings" "hatchling" "hatch-vcs" "setuptools" "pytest" "pytestCheckHook" "pytest-cov" "hypothesis" "rich" "platformdirs" "tomlkit" "mypy" "ruff" "pyyaml" "pytest-xdist" ] host // { buildPythonApplication = pythonApplication; };
  pkgs = rec {
    inherit lib system; path = ./.; config = { }; overlays = [ ];
    stdenv = { hostPlatform = { inherit system isLinux isDarwin; isx86_64 = lib.hasPrefix "x86_64" system; canExecute = _: true; }; buildPlatform = hostPlatform; inherit isLinux isDarwin; mkDerivation = a: build (a.name or a.pname) { } "mkdir -p $out"; }; inherit (stdenv) hostPlatform; stdenvNoCC = stdenv;
    writeText = name: text: file name { inherit text; }; writeTextFile = { name, text, executable ? false, destination ? "", ... }: file name { inherit text executable destination; }; writeTextDir = p: text: file (baseNameOf p) { inherit text; destination = "/" + p; };
    writeShellScript = name: text: file name { text = "#!/bin/bash\n${text}"; executable = true; }; writeShellScriptBin = name: text: file name { text = "#!/bin/bash\n${text}\n"; executable = true; destination = "/bin/${name}"; } // { meta.mainProgram = name; };
    writeShellApplication = { name, text, runtimeInputs ? [ ], meta ? { }, ... }: writeShellScriptBin name "set -euo pipefail\nexport PATH=${lib.makeBinPath runtimeInputs}:$PATH\n${text}";
    runCommand = name: env: script: build name (removeAttrs env [ "nativeBuildInputs" "meta" "passthru" ]) "PATH=${lib.makeBinPath (env.nativeBuildInputs or [ ])}:$PATH\n${script}"; runCommandLocal = runCommand; emptyFile = writeText "empty" "";
    linkFarm = name: es: build name { } ("mkdir -p $out\n" + lib.concatMapStrings (e: "mkdir -p \"$out/$(dirname '${e.name}')\"; ln -s ${e.path} \"$out\"/'${e.name}'\n") es); symlinkJoin = { name, paths, ... }: build name { } ("mkdir -p $out\n" + lib.concatMapStrings (p: "cp -rsf ${p}/. $out/\n") paths);
    mkShell = a: build "shell" { } "mkdir $out"; mkShellNoCC = mkShell;
    formats = { json = _: { type = lib.types.json; generate = name: v: build name { text = builtins.toJSON v; passAsFile = [ "text" ]; } "jq . <$textPath >$out"; }; toml = formats.json; yaml = formats.json; ini = _: { type = lib.types.attrs; generate = n: v: writeText n (lib.generators.toINI { } v); }; };
    callPackage = f: a: let g = if lib.isFunction f then f else import f; in g (lib.intersectAttrs (lib.functionArgs g) pkgs // a);
    python3Packages = py // { callPackage = f: a: let g = if lib.isFunction f then f else import f; in g (lib.intersectAttrs (lib.functionArgs g) (pkgs // py) // a); python = python3; }; python3 = host "python3" // { pkgs = python3Packages; withPackages = f: builtins.deepSeq (map (p: p.name) (f python3Packages)) (host "python3"); };
    # A test of a machine cannot run here: its node and its script are evaluated.
    testers.runNixOSTest = t: let
        nodes = lib.mapAttrs (_: node: (import ./nixos.nix { inherit lib; } { modules = [ node { nixpkgs.pkgs = pkgs; } ]; }).config) t.nodes;
        script = if lib.isFunction t.testScript then t.testScript { inherit nodes; } else t.testScript;
        failed = lib.concatMap (c: map (a: a.message) (lib.filter (a: !a.assertion) c.assertions)) (lib.attrValues nodes);
      in if failed != [ ] then throw "${t.name}: ${toString failed}" else build "vm-test-run-${t.name}" { inherit script; passAsFile = [ "script" ]; units = builtins.toJSON (lib.mapAttrs (_: c: c.systemd.user.units) nodes); } "cp $scriptPath $out";
    nixosOptionsDoc = { options }: let
        escape = lib.replaceStrings [ "." "_" ] [ "\\." "\\_" ];
        walk = path: o: if o._type or null == "option" then [ (entry path o) ] ++ below path o else lib.concatLists (lib.mapAttrsToList (n: walk (path ++ [ n ])) o);
        below = path: o: walk (path ++ lib.optional (lib.hasPrefix "null or attribute set" o.type.description) "<name>") (removeAttrs (o.type.getSubOptions path) [ "_module" ]);
        default = o: if o ? defaultText then o.defaultText.text else if o ? default then lib.generators.toPretty { } o.default else "";
        entry = path: o: if o.internal or false then "" else "## ${escape (lib.showOption path)}\n\n${o.description or (throw "${lib.showOption path}: no description")}\n\n*Type:* ${o.type.description}\n\n*Default:* `${default o}`\n\n";
      in { optionsCommonMark = writeText "options.md" (lib.concatStrings (walk [ ] options)); };
    treefmt.withConfig = _: host "treefmt"; dbus = host "dbus"; buildPackages = pkgs; extend = f: pkgs // f (pkgs // f pkgs pkgs) pkgs;
  } // lib.genAttrs [ "nixfmt" "nixfmt-tree" "git" "gnugrep" "gnused" "coreutils" "jq" "bash" "findutils" "systemd" "ruff" "uv" "deadnix" "statix" "claude-code" "python313" "python312" "treefmt-host" "pre-commit" "mypy" "nil" "sqlite" "installShellFiles" "versionCheckHook" ] host;
in pkgs
