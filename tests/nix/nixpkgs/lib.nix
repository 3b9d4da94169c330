# Stand-in for the part of nixpkgs' `lib` that the flake uses: same names and meanings. What is missing
# fails loudly: add it, or do without it.
let
  inherit (builtins) isAttrs isBool isFunction isInt isList isString isPath isFloat attrNames attrValues mapAttrs concatMap concatLists filter foldl' head tail elem elemAt length genList
    listToAttrs concatStringsSep replaceStrings stringLength substring toJSON any all functionArgs intersectAttrs removeAttrs sort hasAttr match toString typeOf;

  # ---- attrs, lists, strings -------------------------------------------------------------------------------
  nameValuePair = name: value: { inherit name value; };
  genAttrs = ns: f: listToAttrs (map (n: nameValuePair n (f n)) ns);
  filterAttrs = p: s: listToAttrs (concatMap (n: if p n s.${n} then [ (nameValuePair n s.${n}) ] else [ ]) (attrNames s));
  mapAttrsToList = f: s: map (n: f n s.${n}) (attrNames s);
  mapAttrs' = f: s: listToAttrs (map (n: f n s.${n}) (attrNames s));
  mergeAttrsList = foldl' (a: b: a // b) { };
  recursiveUpdate = a: b: a // mapAttrs (n: v: if isAttrs v && isAttrs (a.${n} or null) && !isDerivation v then recursiveUpdate a.${n} v else v) b;
  attrByPath = p: d: s: if p == [ ] then s else if isAttrs s && s ? ${head p} then attrByPath (tail p) d s.${head p} else d;
  setAttrByPath = p: v: if p == [ ] then v else { ${head p} = setAttrByPath (tail p) v; };
  zipAttrsWith = f: ss: genAttrs (unique (concatMap attrNames ss)) (n: f n (concatMap (s: if s ? ${n} then [ s.${n} ] else [ ]) ss));
  subtractLists = without: filter (x: !elem x without);
  unique = foldl' (acc: x: if elem x acc then acc else acc ++ [ x ]) [ ];
  optional = c: x: if c then [ x ] else [ ]; optionals = c: x: if c then x else [ ];
  optionalString = c: x: if c then x else ""; optionalAttrs = c: x: if c then x else { };
  singleton = x: [ x ]; toList = x: if isList x then x else [ x ]; flatten = x: if isList x then concatMap flatten x else [ x ];
  last = l: elemAt l (length l - 1); init = l: genList (elemAt l) (length l - 1);
  concatMapStringsSep = s: f: l: concatStringsSep s (map f l); concatMapStrings = concatMapStringsSep "";
  concatStrings = concatStringsSep ""; concatLines = concatMapStrings (l: l + "\n");
  hasPrefix = p: s: substring 0 (stringLength p) s == p; hasSuffix = p: s: let n = stringLength s; m = stringLength p; in n >= m && substring (n - m) m s == p;
  removePrefix = p: s: if hasPrefix p s then substring (stringLength p) (-1) s else s;
  removeSuffix = p: s: if hasSuffix p s then substring 0 (stringLength s - stringLength p) s else s;
  isDerivation = v: v.type or null == "derivation"; isStorePath = s: hasPrefix "/nix/store/" (toString s);
  escapeShellArg = a: let s = toString a; in if match "[[:alnum:],._+:@%/-]+" s != null then s else "'${replaceStrings [ "'" ] [ "'\\''" ] s}'";
  escapeShellArgs = concatMapStringsSep " " escapeShellArg;
  getExe = p: "${p}/bin/${p.meta.mainProgram or p.pname or p.name}"; getExe' = p: b: "${p}/bin/${b}"; makeBinPath = concatMapStringsSep ":" (p: "${p}/bin"); getVersion = p: p.version or "";
  boolToString = b: if b then "true" else "false"; fix = f: let x = f x; in x; pipe = foldl' (x: f: f x); flip = f: a: b: f b a; id = x: x; const = x: _: x;
  versionAtLeast = a: b: builtins.compareVersions a b >= 0; versionOlder = a: b: builtins.compareVersions a b < 0;
  importJSON = p: builtins.fromJSON (builtins.readFile p); importTOML = p: builtins.fromTOML (builtins.readFile p);
  throwIf = c: m: v: if c then throw m else v; warn = builtins.warn or (m: builtins.trace "warning: ${m}"); warnIf = c: m: v: if c then warn m v else v;
  generators.toINI = { mkKeyValue ? k: v: "${k}=${if isBool v then boolToString v else toString v}", listsAsDuplicateKeys ? false }: s:
    concatStringsSep "\n" (mapAttrsToList (sec: kv: "[${sec}]\n" + concatStringsSep "" (concatLists (mapAttrsToList (k: v: map (x: mkKeyValue k x + "\n") (if listsAsDuplicateKeys then toList v else [ v ])) kv))) s);
  generators.toPretty = { }: v:
    if isList v then "[ ${concatMapStrings (x: generators.toPretty { } x + " ") v}]"
    else if isAttrs v then "{ ${concatStringsSep "" (mapAttrsToList (n: x: "${n} = ${generators.toPretty { } x}; ") v)}}"
    else toJSON v;
  generators.toKeyValue = { }: s: concatStringsSep "" (mapAttrsToList (k: v: "${k}=${toString v}\n") s);

  # ---- modules -----------------------------------------------------------------------------------------------
  mkIf = condition: content: { _type = "if"; inherit condition content; };
  mkMerge = contents: { _type = "merge"; inherit contents; };
  mkOverride = priority: content: { _type = "override"; inherit priority content; };
  mkOrder = priority: content: { _type = "order"; inherit priority content; };
  mkOption = o: o // { _type = "option"; };
  mkEnableOption = name: mkOption { type = types.bool; default = false; example = true; description = "Whether to enable ${name}."; };
  mkPackageOption = pkgs: name: { default ? name, nullable ? false, example ? null, extraDescription ? "", pkgsText ? "pkgs" }: mkOption {
    type = if nullable then types.nullOr types.package else types.package; description = "The ${if isList name then last name else name} package to use.";
    default = if default == null then null else attrByPath (toList default) (throw "no package ${toJSON default}") pkgs; };

  pushDown = v: if v._type or null == "merge" then concatMap pushDown v.contents
    else if v._type or null == "if" then map (mapAttrs (_: mkIf v.condition)) (pushDown v.content)
    else if v._type or null == "override" then map (mapAttrs (_: mkOverride v.priority)) (pushDown v.content) else [ v ];
  discharge = v: if v._type or null == "merge" then concatMap discharge v.contents
    else if v._type or null == "if" then if v.condition then discharge v.content else [ ] else [ v ];
  prio = v: if v._type or null == "override" then v.priority else if v._type or null == "order" then prio v.content else 100;
  strip = v: if v._type or null == "override" then strip v.content else v;
  order = v: if v._type or null == "order" then v.priority else 1000;
  # [value] -> merged value
  mergeDefs = loc: type: defs: let
    ds = concatMap (d: map (value: { inherit (d) file; inherit value; }) (discharge d.value)) defs;
    # an mkIf may sit inside an override
    ds' = concatMap (d: if d.value._type or null == "override" then map (v: d // { value = d.value // { content = v; }; }) (discharge d.value.content) else [ d ]) ds;
    best = foldl' (a: d: if prio d.value < a then prio d.value else a) 9999 ds';
    kept = map (d: d // { value = strip d.value; }) (filter (d: prio d.value == best) ds');
    sorted = map (d: d // { value = if d.value._type or null == "order" then d.value.content else d.value; }) (if all (d: order d.value == 1000) kept then kept else sort (a: b: order a.value < order b.value) kept);
    bad = filter (d: !(type.check d.value)) sorted;
  in if sorted == [ ] then null
    else if bad != [ ] then throw "A definition for option `${showOption loc}' is not of type `${type.description}'. Definition values:\n${concatMapStrings (d: "- In `${d.file}': ${short d.value}\n") bad}"
    else { value = type.merge loc sorted; };
  showOption = concatStringsSep "."; short = v: if isFunction v then "<function>" else if isAttrs v then (if isDerivation v then "<derivation>" else "{ ${concatStringsSep " " (attrNames v)} }") else toJSON v;

  evalModules = { modules, specialArgs ? { }, prefix ? [ ], class ? null, check ? true }: let
    result = rec {
      # all modules, imports flattened, as { file, options, config }
      norm = file: key: m: let
          f = if isPath m || isString m then norm (toString m) (toString m) (import m) else if isFunction m then norm file key (call file m) else null;
        in if f != null then f else let structured = m ? config || m ? options || m ? freeformType || (m ? imports && removeAttrs m [ "imports" "_file" "key" "disabledModules" "_class" "meta" ] == { });
          cfg = if structured then (if m ? freeformType then mkMerge [ (m.config or { }) { _module.freeformType = m.freeformType; } ] else m.config or { }) else removeAttrs m [ "imports" "_file" "key" "disabledModules" "_class" ]; in
          concatLists (map (norm (m._file or file) null) (m.imports or [ ])) ++ [ { file = m._file or file; options = m.options or { }; config = cfg; } ];
      call = file: f: f (mapAttrs (n: _: args.${n} or (config._module.args.${n} or (throw "module ${file} needs the argument `${n}'"))) (removeAttrs (functionArgs f) [ ]) // { inherit config options lib; } // specialArgs);
      args = { inherit config options lib; } // specialArgs;
      base = { options._module = { args = mkOption { type = types.lazyAttrsOf types.raw; default = { }; }; freeformType = mkOption { type = types.nullOr types.raw; default = null; }; check = mkOption { type = types.bool; default = check; }; }; };
      mods = concatLists (map (m: norm "<unknown>" null m) ([ base ] ++ modules));
      optTree = foldl' (acc: m: mergeOpts acc (m: m) m.options) { } mods;
      mergeOpts = a: _: b: a // mapAttrs (n: v: if v._type or null == "option" then (if a.${n}._type or null == "option" then a.${n} // removeAttrs v [ "type" ] // optionalAttrs (v ? type) { type = mergeTypes a.${n}.type v.type; } else v) else mergeOpts (a.${n} or { }) null v) b;
      mergeTypes = a: b: if a ? submodules && b ? submodules then types.submodule (a.submodules ++ b.submodules) else a;
      build = loc: opts: defs: let   # defs: [ { file; value = attrs; } ]
          ds = concatMap (d: map (value: d // { inherit value; }) (pushDown d.value)) defs;
          sub = n: concatMap (d: if d.value ? ${n} then [ (d // { value = d.value.${n}; }) ] else [ ]) ds;
          ff = if loc == prefix then freeform else null;
          extra = filter (n: !(opts ? ${n})) (unique (concatMap (d: attrNames d.value) ds));
          known = mapAttrs (n: o: if o._type or null == "option" then evalOpt (loc ++ [ n ]) o (sub n) else build (loc ++ [ n ]) o (sub n)) opts;
        in known // (if extra == [ ] then { } else if ff != null then (let m = mergeDefs loc ff (map (d: d // { value = intersectAttrs (genAttrs extra (_: null)) d.value; }) ds); in if m == null then { } else m.value)
          else if !doCheck then { } else throw "The option `${showOption (loc ++ [ (head extra) ])}' does not exist. Definition in `${(head (filter (d: d.value ? ${head extra}) ds)).file}'");
      evalOpt = loc: o: defs: let
          t = o.type or types.raw; ro = o.readOnly or false;
          m = mergeDefs loc t (defs ++ optional (o ? default) { file = "<default>"; value = mkOverride 1500 o.default; });
          v = if m != null then m.value else if t ? emptyValue then t.emptyValue else throw "The option `${showOption loc}' was accessed but has no value defined. Try setting the option.";
        in if o ? apply then o.apply v else v;
      allDefs = foldl' (a: m: [ { inherit (m) file; value = m.config; } ] ++ a) [ ] mods;   # like nixpkgs: later modules first
      freeform = let d = concatMap (m: concatMap (c: if c ? _module && c._module ? freeformType then [ c._module.freeformType ] else [ ]) (pushDown m.config)) mods ++ concatMap (m: optional (m.options ? freeformType) m.options.freeformType) [ ]; in if d == [ ] then null else strip (last d);
      doCheck = all (m: all (c: c._module.check or true) (pushDown m.config)) mods && check;
      config = build prefix optTree allDefs;
      options = optTree;
    };
  in { config = removeAttrs result.config [ "_module" ]; inherit (result) options; type = types.submodule modules; extendModules = a: evalModules { modules = modules ++ a.modules or [ ]; specialArgs = specialArgs // a.specialArgs or { }; inherit prefix check; }; };

  # ---- types -------------------------------------------------------------------------------------------------
  mkType = t: { check = _: true; getSubOptions = _: { }; merge = mergeEqual; description = t.name; } // t;
  mergeEqual = loc: ds: if length ds == 1 || all (d: d.value == (head ds).value) ds then (head ds).value
    else throw "The option `${showOption loc}' has conflicting definition values:\n${concatMapStrings (d: "- In `${d.file}': ${short d.value}\n") ds}";
  types = rec {
    raw = mkType { name = "raw value"; }; unspecified = raw; bool = mkType { name = "boolean"; check = isBool; };
    str = mkType { name = "string"; check = isString; }; nonEmptyStr = mkType { name = "non-empty string"; check = s: isString s && match "[[:space:]]*" s == null; }; singleLineStr = str;
    strMatching = re: mkType { name = "string matching ${re}"; check = s: isString s && match re s != null; };
    lines = mkType { name = "strings concatenated with \"\\n\""; check = isString; merge = _: ds: concatStringsSep "\n" (map (d: d.value) ds); };
    int = mkType { name = "signed integer"; check = isInt; }; float = mkType { name = "floating point number"; check = isFloat; }; number = mkType { name = "number"; check = x: isInt x || isFloat x; };
    ints = { unsigned = mkType { name = "unsigned integer, meaning >=0"; check = x: isInt x && x >= 0; }; positive = mkType { name = "positive integer, meaning >0"; check = x: isInt x && x > 0; };
      between = a: b: mkType { name = "integer between ${toString a} and ${toString b} (both inclusive)"; check = x: isInt x && x >= a && x <= b; }; };
    port = ints.between 0 65535; path = mkType { name = "absolute path"; check = x: isPath x || (isString x || x ? outPath) && substring 0 1 (toString x) == "/"; };
    package = mkType { name = "package"; check = x: isDerivation x || isStorePath x; }; pkgs = raw; shellPackage = package;
    enum = vs: mkType { name = "one of ${concatMapStringsSep ", " toJSON vs}"; check = x: elem x vs; };
    anything = mkType { name = "anything"; merge = loc: ds: if all (d: isAttrs d.value && !isDerivation d.value) ds then zipAttrsWith (n: vs: anything.merge (loc ++ [ n ]) vs) (map (d: mapAttrs (_: value: d // { inherit value; }) d.value) ds) else mergeEqual loc ds; };
    nullOr = t: mkType { name = "null or ${t.description}"; getSubOptions = t.getSubOptions; check = x: x == null || t.check x; merge = loc: ds: if all (d: d.value == null) ds then null else if any (d: d.value == null) ds then throw "The option `${showOption loc}' is defined both null and not null" else t.merge loc ds; emptyValue = null; };
    listOf = t: mkType { name = "list of ${t.description}"; getSubOptions = t.getSubOptions; check = isList; emptyValue = [ ]; merge = loc: ds: map (x: x.value) (filter (x: x != null) (concatLists (map (d: map (v: mergeDefs (loc ++ [ "*" ]) t [ (d // { value = v; }) ]) d.value) ds))); };
    attrsOf = t: mkType { name = "attribute set of ${t.description}"; getSubOptions = t.getSubOptions; check = v: isAttrs v; emptyValue = { };
      merge = loc: ds: mapAttrs (_: m: m.value) (filterAttrs (_: m: m != null) (zipAttrsWith (n: vs: mergeDefs (loc ++ [ n ]) t vs) (concatMap (d: map (a: mapAttrs (_: value: d // { inherit value; }) a) (pushDown d.value)) ds))); };
    lazyAttrsOf = attrsOf; attrs = mkType { name = "attribute set"; check = isAttrs; merge = _: ds: foldl' (a: d: a // d.value) { } ds; };
    either = a: b: mkType { name = "${a.description} or ${b.description}"; check = x: a.check x || b.check x; merge = loc: ds: if all (d: a.check d.value) ds then a.merge loc ds else if all (d: b.check d.value) ds then b.merge loc ds else mergeEqual loc ds; };
    oneOf = ts: foldl' either (head ts) (tail ts); uniq = t: t; unique = _: t: t; addCheck = t: f: t // { check = x: t.check x && f x; };
    coercedTo = a: f: b: mkType { name = "${b.description} or ${a.description} convertible to it"; check = x: b.check x || (a.check x && b.check (f x)); merge = loc: ds: b.merge loc (map (d: if a.check d.value && !(b.check d.value) then d // { value = f d.value; } else d) ds); };
    functionTo = t: mkType { name = "function"; check = isFunction; merge = loc: ds: (last ds).value; };
    submodule = m: submoduleWith { modules = toList m; shorthandOnlyDefinesConfig = true; };
    submoduleWith = { modules, specialArgs ? { }, shorthandOnlyDefinesConfig ? false, description ? "submodule", class ? null }: mkType { name = description;
      getSubOptions = _: (evalModules { inherit specialArgs; modules = modules ++ [ { _module.args.name = "<name>"; } ]; check = false; }).options; check = x: isAttrs x || isFunction x || isPath x; submodules = modules; emptyValue = (submoduleWith { inherit modules specialArgs; }).merge [ ] [ ];
      merge = loc: ds: (evalModules { inherit specialArgs; prefix = [ ]; modules = modules ++ [ { _module.args.name = if loc == [ ] then "" else last loc; } ] ++ map (d: if isAttrs d.value && shorthandOnlyDefinesConfig then { _file = d.file; config = d.value; } else { _file = d.file; imports = [ d.value ]; }) ds; }).config; };
    json = nullOr (oneOf [ bool int float str path (attrsOf json) (listOf json) ]) // { description = "JSON value"; };
  };
  lib = {
    inherit nameValuePair genAttrs filterAttrs mapAttrsToList mapAttrs' mergeAttrsList recursiveUpdate attrByPath setAttrByPath zipAttrsWith unique optional optionals optionalString optionalAttrs singleton toList flatten last init
      concatMapStringsSep concatMapStrings concatStrings concatLines subtractLists hasPrefix hasSuffix removePrefix removeSuffix isDerivation isStorePath escapeShellArg escapeShellArgs getExe getExe' makeBinPath getVersion boolToString fix pipe flip id const versionAtLeast versionOlder
      importJSON importTOML throwIf warn warnIf generators mkIf mkMerge mkOverride mkOrder mkOption mkEnableOption mkPackageOption evalModules types showOption
      isAttrs isBool isFunction isInt isList isString isPath attrNames attrValues mapAttrs concatMap concatLists filter foldl' head tail elem elemAt length genList listToAttrs concatStringsSep replaceStrings stringLength substring toJSON any all functionArgs intersectAttrs removeAttrs sort hasAttr match;
    mkDefault = mkOverride 1000; mkForce = mkOverride 50; mkVMOverride = mkOverride 10; mkOptionDefault = mkOverride 1500; mkBefore = mkOrder 500; mkAfter = mkOrder 1500;
    literalExpression = text: { _type = "literalExpression"; inherit text; }; literalMD = text: { _type = "literalMD"; inherit text; }; mdDoc = id; mkPackageOptionMD = mkPackageOption;
    mkRenamedOptionModule = _: _: { }; mkRemovedOptionModule = _: _: { }; setDefaultModuleLocation = f: m: { _file = f; imports = [ m ]; };
    attrsets = { inherit genAttrs filterAttrs mapAttrsToList mapAttrs' recursiveUpdate optionalAttrs; }; strings = { inherit concatMapStringsSep hasPrefix hasSuffix escapeShellArg optionalString concatStringsSep; }; lists = { inherit optional optionals unique flatten; }; modules = { inherit evalModules mkIf mkMerge; }; options = { inherit mkOption mkEnableOption mkPackageOption; }; trivial = { inherit importJSON pipe fix; release = "26.11"; };
    licenses = { mit = { spdxId = "MIT"; }; asl20 = { spdxId = "Apache-2.0"; }; }; maintainers = { }; platforms = rec { linux = [ "x86_64-linux" "aarch64-linux" ]; darwin = [ "aarch64-darwin" "x86_64-darwin" ]; unix = linux ++ darwin; all = unix; };
    systems.flakeExposed = [ "x86_64-linux" "aarch64-linux" "x86_64-darwin" "aarch64-darwin" ];
    # A set of files is a filter of paths.
    fileset = rec { toSource = { root, fileset }: builtins.path { path = root; name = "source"; filter = path: kind: baseNameOf path != ".git" && member fileset path kind; };
      member = set: path: kind: if isFunction set then set path kind else path == toString set || hasPrefix "${toString set}/" path || kind == "directory" && hasPrefix "${path}/" (toString set);
      unions = sets: path: kind: any (set: member set path kind) sets; union = a: b: unions [ a b ];
      difference = a: b: path: kind: member a path kind && !(if isFunction b then b path "regular" else member b path "regular");
      fileFilter = keep: root: path: kind: member root path kind && (kind == "directory" || keep { name = baseNameOf path; type = kind; hasExt = ext: hasSuffix ".${ext}" path; }); maybeMissing = id; };
    cleanSource = p: p; cleanSourceWith = a: a.src; sourceByRegex = p: _: p;
    hm.dag = let e = after: before: data: { inherit after before data; }; in { entryAnywhere = e [ ] [ ]; entryAfter = a: e a [ ]; entryBefore = b: e [ ] b; entryBetween = b: a: e a b; };
    hm.assertions.assertPlatform = _: _: _: { assertion = true; message = ""; };
    hm.darwin = { intervalDocumentation = ""; assertInterval = _: _: _: { assertion = true; message = ""; }; mkCalendarInterval = i: [ { Hour = 0; Minute = 0; } ]; };
  };
in lib
