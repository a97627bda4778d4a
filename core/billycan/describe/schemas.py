"""The JSON Schemas of the Structs that clients send, receive and patch."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import Any, Literal, get_args, get_origin, get_type_hints
from weakref import WeakKeyDictionary

import msgspec

from ..extending import ADDED_BY
from ..fields import Moment
from ..members import Member, is_struct, meanings, options, parts, split_docstring
from ..resources import Resource
from ..starting import packages

Json = dict[str, Any]

PLACE = "#/components/schemas/"
NULL: Json = {"type": "null"}


class Schemas:
    """Builds schemas that refer to `components`, and adds each Struct there in the form in which it is used.

    A Struct that clients send has the members that it declares; in one that they receive, every member is present. A
    Struct that is both becomes two components: `NewAddress` as sent and `Address` as shown. Its merge patch is a third,
    `AddressChange`.
    """

    def __init__(self, sent: Iterable[Any], shown: Iterable[Any]) -> None:
        sent, shown = list(sent), [option for kind in shown for option in options(kind)]
        found, self.structs = describe_types([*sent, *shown], sent)
        self.kinds = dict(zip([*sent, *shown], found, strict=True))
        self.both = self._find_reached(found[: len(sent)]) & self._find_reached(found[len(sent) :])
        self.components: dict[str, Json] = {}

    def sent(self, kind: Any) -> Json:
        """Return the schema of a type as clients send it."""
        found: Json = self._as_sent(self.kinds[kind])
        return found

    def shown(self, kind: Any) -> Json:
        """Return the schema of a type as clients receive it."""
        found: list[Json] = [self._as_shown(self.kinds[option]) for option in options(kind)]
        return found[0] if len(found) == 1 else {"anyOf": found}

    def patch(self, kind: Any, shown: Any) -> Json:
        """Return the schema of a merge patch.

        No member is required, null clears a member that has a default, and read-only members may be sent back.
        """
        return self._as_patch(self.kinds[kind], self.kinds.get(shown))

    def requires(self, schema: Json) -> bool:
        """Tell whether an object of this schema has required members."""
        return bool(self.components[names_in(schema)[0]]["required"])

    def _as_sent(self, schema: Any) -> Any:
        def title(name: str) -> str:
            return f"New{_bare_name(name)}" if name in self.both else name

        def told(struct: Json) -> Json:
            members = {name: _with_default_told(member) for name, member in struct["properties"].items()}
            return {**struct, "properties": self._as_sent(members)}

        return _map_objects(schema, lambda s: self._refer_to_component(s, title, told))

    def _as_shown(self, schema: Any) -> Any:
        def title(name: str) -> str:
            return _bare_name(name) if name in self.both else name

        def whole(struct: Json) -> Json:
            # A member that is not required and has no default is UNSET at times, and then left out.
            present = [n for n, s in struct["properties"].items() if n in struct["required"] or "default" in s]
            members = {name: without_key(member, "default") for name, member in struct["properties"].items()}
            open_ended = without_key(struct, "additionalProperties")
            return {**open_ended, "properties": self._as_shown(members), "required": present}

        return _map_objects(schema, lambda s: self._refer_to_component(s, title, whole))

    def _as_patch(self, schema: Json, shown: Any) -> Json:
        """Return the schema of a patch of a value; `shown` is the schema of the same value as shown."""
        if "$ref" in schema:
            return self._refer_to_component(
                schema,
                lambda name: _bare_name(name).removesuffix("Change") + "Change",
                lambda struct: self._build_patch(struct, shown),
            )
        if "anyOf" in schema:
            return schema | {"anyOf": [self._as_patch(option, shown) for option in schema["anyOf"]]}
        item = schema.get("items", {})
        if "$ref" in item and "id" in self.structs[names_in(item)[0]]["properties"]:
            return schema | {"items": {"anyOf": [self._as_sent(item), self._as_patch(item, shown)]}}
        if isinstance(value := schema.get("additionalProperties"), dict):
            return schema | {"additionalProperties": {"anyOf": [value, NULL]}}
        sent: Json = self._as_sent(schema)
        return sent

    def _build_patch(self, struct: Json, shown: Any) -> Json:
        members: Json = {}
        visible = self.structs[names[0]]["properties"] if (names := names_in(shown)) else {}
        for name, member in struct["properties"].items():
            changed = self._as_patch(without_key(member, "default"), visible.get(name))
            clears = name not in struct["required"] and NULL not in changed.get("anyOf", ())
            members[name] = _or_null(changed) if clears else changed
        for name, member in visible.items():
            members.setdefault(name, self._as_shown(without_key(member, "default")) | {"readOnly": True})
        required = []
        if "id" in struct["properties"]:  # an item of a list; one without an id is a new item, not a patch
            id = members["id"]
            members["id"], required = {**id["anyOf"][0], "description": id["description"]}, ["id"]
        return struct | {"properties": members, "required": required}

    def _refer_to_component(self, schema: Json, title: Callable[[str], str], form: Callable[[Json], Json]) -> Json:
        """Return the schema; if it refers to a Struct, let it refer to the component with that title and form."""
        if "$ref" not in schema:
            return schema
        (name,) = names_in(schema)
        if title(name) not in self.components:
            self.components[title(name)] = {}  # a Struct may hold itself
            self.components[title(name)] = form(self.structs[name])
        return {**schema, "$ref": PLACE + title(name)}

    def _find_reached(self, schema: Any) -> set[str]:
        """Return the names of the Structs in a schema, nested ones included."""
        found: set[str] = set()
        waiting = names_in(schema)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += names_in(self.structs[name])
        return found


def describe_types(kinds: list[Any], sent: list[Any] | None = None) -> tuple[list[Json], dict[str, Json]]:
    """Return the schema of each type, and the schemas of the Structs in them by name.

    Numbers and words of Structs that are in none of the `sent` types are only shown, and have no rules.
    """
    found = list(dict.fromkeys(struct for kind in kinds for struct in _structs_in(kind)))
    taken = {struct for kind in (kinds if sent is None else sent) for struct in _structs_in(kind)}
    names = _name_structs(found)
    structs = {names[kind]: _struct_schema(kind, names, is_taken=kind in taken) for kind in found}
    return [_type_schema(kind, names) for kind in kinds], structs


def _structs_in(kind: Any) -> Iterator[Any]:
    """Yield the Structs that a type contains, outer ones first."""
    seen: set[Any] = set()
    waiting = [kind]
    while waiting:
        kind = waiting.pop(0)
        if is_struct(kind) and kind not in seen:
            seen.add(kind)
            yield kind
            waiting = [*_types_of(kind), *waiting]
        elif not isinstance(kind, str):
            waiting = [*get_args(kind), *waiting]


def _types_of(struct: Any) -> tuple[Any, ...]:
    """Return the types of a Struct's members; they are kept, as most Structs are in several answers."""
    found = _types.get(struct)
    if found is None:
        found = _types[struct] = (*get_type_hints(struct, include_extras=True).values(),)
    return found


_types: "WeakKeyDictionary[Any, tuple[Any, ...]]" = WeakKeyDictionary()  # a business's own Structs come and go


def _name_structs(kinds: Iterable[Any]) -> dict[Any, str]:
    """Map each Struct to the name that generated clients use for it.

    Structs of core and of first-party plugins keep their names, whatever else is enabled. A Struct of another plugin
    has that plugin's name as a prefix if its name is used elsewhere.
    """
    kinds = list(kinds)
    ours = Counter(kind.__name__ for kind in kinds if _owner_of(kind) in _own_packages())
    owners: dict[str, set[str]] = {}
    for kind in kinds:
        owners.setdefault(_family_name(kind), set()).add(_owner_of(kind))
    names, alike = dict[Any, str](), Counter[str]()
    for kind in kinds:
        own = ours[kind.__name__] == 1 if _owner_of(kind) in _own_packages() else len(owners[_family_name(kind)]) == 1
        name = kind.__name__ if own else _title_of(kind)
        alike[name] += 1
        names[kind] = name if alike[name] == 1 else f"{name}{alike[name]}"
    return names


@cache
def _own_packages() -> frozenset[str]:
    """Return the packages of core and of the first-party plugins."""
    found = packages.installed()
    return frozenset({"billycan", *(found[name].value.partition(".")[0] for name in packages.first_party())})


def _owner_of(kind: Any) -> str:
    package: str = kind.__module__.partition(".")[0]
    return package


def _family_name(kind: Any) -> str:
    """Return the common part of the names of a Struct's components: `Line` for `NewLine`, `Line` and `LineChange`."""
    return _bare_name(kind.__name__).removesuffix("Change")


def _struct_schema(kind: Any, names: Mapping[Any, str], *, is_taken: bool) -> Json:
    """Return the schema of a Struct, with the descriptions from its docstring."""
    added, meant = getattr(kind, ADDED_BY, {}), meanings(kind)
    properties, required = {}, []
    for field in msgspec.structs.fields(kind):
        is_plain = not is_taken and meant[field.encode_name].kind in _PLAIN_WHERE_SHOWN
        schema = _type_schema(field.type, names, shown=is_plain or issubclass(kind, Resource))
        if field.required:
            if msgspec.UnsetType not in options(parts(field.type)[0]):  # UNSET is left out
                required.append(field.encode_name)
        elif field.default not in (msgspec.NODEFAULT, msgspec.UNSET):
            schema["default"] = _as_default(field.default)
        elif field.default_factory in (list, dict):
            schema["default"] = field.default_factory()
        if plugin := added.get(field.encode_name):
            schema["x-plugin"] = plugin
        schema |= _number_kind(meant[field.encode_name])
        properties[field.encode_name] = _with_words(schema, meant[field.encode_name].says)
    about, _ = split_docstring(kind.__doc__)
    struct = {"description": about, "type": "object", "properties": properties, "required": required}
    return struct | ({"additionalProperties": False} if kind.__struct_config__.forbid_unknown_fields else {})


_PLAIN_WHERE_SHOWN = ("money", "number", "percentage", "quantity", "word")


def _number_kind(meaning: Member.Meaning) -> Json:
    """Return what a number is of, for which JSON Schema has no word: `{"x-kind": "money"}`, `{"x-unit": "kg"}`."""
    kind = {"x-kind": meaning.kind} if meaning.kind in ("money", "percentage", "quantity") else {}
    return kind | ({"x-unit": meaning.unit} if meaning.unit else {})


def _as_default(value: Any) -> Any:
    """Return a default as a client would write it: a quantity of `1`, without the decimal places that are stored."""
    if isinstance(value, Decimal):
        return int(value) if value == int(value) else float(value)
    return msgspec.to_builtins(value)


def _type_schema(kind: Any, names: Mapping[Any, str], *, shown: bool = False) -> Json:
    """Return the schema of a type, which has no rules if it is only shown; Structs in it are references."""
    kind, rule, limits = parts(kind)
    if rule and not shown:
        return dict(rule.schema)
    given = _limit_keywords(kind, limits) if limits else {}
    choices = [option for option in options(kind) if option is not msgspec.UnsetType]
    if len(choices) > 1:
        # A Struct comes last, except for null.
        choices.sort(key=lambda option: 2 * (option is type(None)) + (option in names))
        return {"anyOf": [_type_schema(option, names, shown=shown) for option in choices]} | given
    (kind,) = choices
    origin = get_origin(kind) or kind
    schema: Json = {}
    if kind in names:
        schema = {"$ref": PLACE + names[kind]}
    elif origin is Literal:
        values = sorted(get_args(kind))
        schema = ({"type": "string"} if all(isinstance(v, str) for v in values) else {}) | {"enum": values}
    elif origin in (list, tuple, set, frozenset):
        item = _type_schema((get_args(kind) or (Any,))[0], names, shown=shown)
        schema = {"type": "array"} | ({"items": item} if item else {})
    elif origin is dict:
        key, value = (_type_schema(each, names, shown=shown) for each in get_args(kind) or (str, Any))
        about = without_key(key, "type")
        schema = {"type": "object"} | ({"propertyNames": about} if about else {})
        schema |= {"additionalProperties": value} if value else {}
    else:
        schema = dict(_PLAIN[kind]) if kind in _PLAIN else msgspec.json.schema(kind)
    return schema | given


_PLAIN: dict[Any, Json] = {
    Any: {},
    msgspec.Raw: {},
    type(None): NULL,
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    str: {"type": "string"},
    Decimal: {"type": "number"},
    date: {"type": "string", "format": "date"},
    datetime: {"type": "string", "format": "date-time"},
    Moment: {"type": "string", "format": "date-time"},
}


def _limit_keywords(kind: Any, limits: msgspec.Meta) -> Json:
    """Return the JSON Schema keywords for the limits that msgspec's Meta puts on a type."""
    origin = get_origin(kind) or kind
    things = "Items" if origin in (list, tuple, set, frozenset) else "Properties" if origin is dict else "Length"
    found = {
        "title": limits.title,
        "description": limits.description,
        "examples": limits.examples,
        "minimum": limits.ge,
        "exclusiveMinimum": limits.gt,
        "maximum": limits.le,
        "exclusiveMaximum": limits.lt,
        "multipleOf": limits.multiple_of,
        f"max{things}": limits.max_length,
        f"min{things}": limits.min_length,
        "pattern": limits.pattern,
    }
    return {name: value for name, value in found.items() if value is not None} | (limits.extra_json_schema or {})


def without_key(schema: Json, key: str) -> Json:
    return {name: value for name, value in schema.items() if name != key}


def _with_words(schema: Json, words: str) -> Json:
    """Return a member's schema with its description, or else with the description of its type."""
    option: Json = next((o for o in schema.get("anyOf", ()) if "description" in o), {})
    words = words or schema.get("description") or option.get("description") or ""
    bare = {**schema, "anyOf": [without_key(o, "description") for o in schema["anyOf"]]} if option else schema
    return {**bare, "description": words} if words else bare


def _with_default_told(schema: Json) -> Json:
    """Return a member's schema with its default in words and as `x-default`.

    With the keyword `default`, generators of clients make a member required, or send it each time.
    """
    if "default" not in schema:
        return schema
    default, rest = schema["default"], without_key(schema, "default")
    if default not in (None, {}, []):
        words = f"{rest.get('description', '')} Default: `{json.dumps(default).strip(chr(34))}`."
        rest["description"] = words.strip()
    return {**rest, "x-default": default}


def _or_null(schema: Json) -> Json:
    """Return a schema that also allows null, with its description outside of the choice."""
    either: Json = {"anyOf": [without_key(schema, "description"), NULL]}
    return either | ({"description": schema["description"]} if "description" in schema else {})


def _map_objects(value: Any, change: Callable[[Json], Json]) -> Any:
    """Return the value with every object in it changed, innermost first."""
    if isinstance(value, dict):
        return change({key: _map_objects(member, change) for key, member in value.items()})
    return [_map_objects(item, change) for item in value] if isinstance(value, list) else value


def _title_of(kind: Any) -> str:
    """Return the name of a Struct with its plugin's name before it."""
    plugin = _owner_of(kind).removeprefix("billycan_").title().replace("_", "")
    own = kind.__name__
    return f"New{plugin}{_bare_name(own)}" if own.startswith("New") else plugin + own


def names_in(schema: Any) -> list[str]:
    """List the names of the Structs that a schema refers to."""
    return re.findall(f'"{PLACE}([^"]+)"', json.dumps(schema))


def _bare_name(name: str) -> str:
    return name.removeprefix("New")
