# JSON Schema of config.json -> module options, without knowing a single key of it.
{ lib, schema }:
let
  inherit (lib) types;

  known = [
    "$schema"
    "additionalProperties"
    "default"
    "description"
    "enum"
    "items"
    "maxLength"
    "maximum"
    "minLength"
    "minimum"
    "pattern"
    "properties"
    "propertyNames"
    "title"
    "type"
  ];

  checked =
    path: node:
    let
      strange = lib.subtractLists known (lib.attrNames node);
    in
    if strange == [ ] then
      node
    else
      throw "settings.schema.json, ${lib.showOption path}: modules/common/settings.nix does not know the keyword ${lib.head strange}: teach it";

  narrowed =
    description: check: type:
    types.addCheck type check
    // {
      inherit description;
      # The module system makes types with submodules anew, without what was added to them.
      substSubModules = modules: narrowed description check (type.substSubModules modules);
    };

  # POSIX has no search: what the pattern leaves open is filled up.
  matches = pattern: text: builtins.match "${pattern}.*" text != null;

  # Lengths are the program's own business: here they would be counted in bytes.
  string =
    node:
    if node ? enum then
      types.enum node.enum
    else if node ? pattern then
      narrowed "string matching ${node.pattern}" (matches node.pattern) types.str
    else if node.minLength or 0 > 0 then
      types.nonEmptyStr
    else
      types.str;

  integer =
    node:
    if node ? minimum && node ? maximum then
      types.ints.between node.minimum node.maximum
    else if node ? minimum then
      narrowed "integer, ${toString node.minimum} or more" (value: value >= node.minimum) types.int
    else if node ? maximum then
      narrowed "integer, ${toString node.maximum} or less" (value: value <= node.maximum) types.int
    else
      types.int;

  object =
    path: node:
    if node ? properties then
      types.submodule { options = optionsOf path node; }
    else
      let
        inner = types.attrsOf (typeOf (path ++ [ "<name>" ]) node.additionalProperties);
        pattern = node.propertyNames.pattern or "";
      in
      narrowed "${inner.description}, names matching ${pattern}" (
        value: lib.all (matches pattern) (lib.attrNames value)
      ) inner;

  typeOf =
    path: node:
    {
      array = types.listOf (typeOf (path ++ [ "*" ]) node.items);
      boolean = types.bool;
      integer = integer node;
      number = types.number;
      object = object path node;
      string = string node;
    }
    .${(checked path node).type};

  isGroup = node: node ? properties;

  option =
    path: node:
    lib.mkOption (
      {
        type = if isGroup node then typeOf path node else types.nullOr (typeOf path node);
        default = if isGroup node then { } else null;
        inherit (node) description;
      }
      // lib.optionalAttrs (!isGroup node) {
        defaultText = lib.literalExpression (lib.generators.toPretty { } node.default);
      }
    );

  optionsOf =
    path: node:
    lib.mapAttrs (name: inner: option (path ++ [ name ]) inner) (checked path node).properties;

  prune =
    node: value:
    if node ? properties then
      lib.filterAttrs (name: inner: inner != (if isGroup node.properties.${name} then { } else null)) (
        lib.mapAttrs (name: prune node.properties.${name}) value
      )
    else if value != null && node.type == "object" then
      lib.mapAttrs (_: prune node.additionalProperties) value
    else
      value;
in
{
  # One option per property. A value that is not set is null, and null never means anything else.
  options = optionsOf [ ] schema;

  # What goes into the file: the values that were set.
  prune = prune schema;
}
