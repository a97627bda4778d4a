"""The JSON Schemas of the Structs that clients send, receive and patch."""

import inspect
import json
import re
import sys
from collections.abc import Callable, Iterable
from types import UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import msgspec

from .fields import Field, Moment

Json = dict[str, Any]

PLACE = "#/components/schemas/"
NULL: Json = {"type": "null"}


class Schemas:
    """Schemas that refer to `components`, where each Struct is added in the form it is asked for.

    What is sent is described as its Struct says; of what is shown every member is there. A Struct that is both becomes
    two components: `NewAddress` as it is sent, `Address` as it is shown. Its merge patch is a third, `AddressChange`.
    """

    def __init__(self, sent: Iterable[Any], shown: Iterable[Any]) -> None:
        sent, shown = list(sent), [option for kind in shown for option in options(kind)]
        found, self.structs = described([*sent, *shown])
        self.kinds = dict(zip([*sent, *shown], found, strict=True))
        self.both = self._reached(found[: len(sent)]) & self._reached(found[len(sent) :])
        self.components: dict[str, Json] = {}

    def sent(self, kind: Any) -> Json:
        """What a client sends."""
        found: Json = self._as_sent(self.kinds[kind])
        return found

    def shown(self, kind: Any) -> Json:
        """What a client receives."""
        found: list[Json] = [self._as_shown(self.kinds[option]) for option in options(kind)]
        return found[0] if len(found) == 1 else {"anyOf": found}

    def patch(self, kind: Any, shown: Any) -> Json:
        """A merge patch: nothing is required, null clears what has a default, and what is shown may be repeated."""
        return self._as_patch(self.kinds[kind], self.kinds.get(shown))

    def requires(self, schema: Json) -> bool:
        """Whether an object of this schema must have any member."""
        return bool(self.components[_names(schema)[0]]["required"])

    def _as_sent(self, schema: Any) -> Any:
        def title(name: str) -> str:
            return f"New{_bare(name)}" if name in self.both else name

        return _mapped(schema, lambda s: self._component(s, title, self._as_sent))

    def _as_shown(self, schema: Any) -> Any:
        def title(name: str) -> str:
            return _bare(name) if name in self.both else name

        def whole(struct: Json) -> Json:
            # A member that is not required and has no default is UNSET at times, and then left out.
            present = [n for n, s in struct["properties"].items() if n in struct["required"] or "default" in s]
            members = {name: without(member, "default") for name, member in struct["properties"].items()}
            open_ended = without(struct, "additionalProperties")
            return {**open_ended, "properties": self._as_shown(members), "required": present}

        return _mapped(schema, lambda s: self._component(s, title, whole))

    def _as_patch(self, schema: Json, shown: Any) -> Json:
        """A patch of a value; `shown` is the schema of the same value as it is shown."""
        if "$ref" in schema:
            return self._component(
                schema,
                lambda name: _bare(name).removesuffix("Change") + "Change",
                lambda struct: self._partial(struct, shown),
            )
        if "anyOf" in schema:
            return schema | {"anyOf": [self._as_patch(option, shown) for option in schema["anyOf"]]}
        item = schema.get("items", {})
        if "$ref" in item and "id" in self.structs[_names(item)[0]]["properties"]:
            return schema | {"items": {"anyOf": [self._as_sent(item), self._as_patch(item, shown)]}}
        if isinstance(value := schema.get("additionalProperties"), dict):
            return schema | {"additionalProperties": {"anyOf": [value, NULL]}}
        sent: Json = self._as_sent(schema)
        return sent

    def _partial(self, struct: Json, shown: Any) -> Json:
        members: Json = {}
        visible = self.structs[names[0]]["properties"] if (names := _names(shown)) else {}
        for name, member in struct["properties"].items():
            changed = self._as_patch(without(member, "default"), visible.get(name))
            clears = name not in struct["required"] and NULL not in changed.get("anyOf", ())
            members[name] = _or_null(changed) if clears else changed
        for name, member in visible.items():
            members.setdefault(name, self._as_shown(without(member, "default")) | {"readOnly": True})
        required = []
        if "id" in struct["properties"]:  # an item of a list; one without an id is no patch, but new
            id = members["id"]
            members["id"], required = {**id["anyOf"][0], "description": id["description"]}, ["id"]
        return struct | {"properties": members, "required": required}

    def _component(self, schema: Json, title: Callable[[str], str], form: Callable[[Json], Json]) -> Json:
        """The schema; where it refers to a Struct, to the component with that title and form."""
        if "$ref" not in schema:
            return schema
        (name,) = _names(schema)
        if title(name) not in self.components:
            self.components[title(name)] = {}  # a Struct may hold itself
            self.components[title(name)] = form(self.structs[name])
        return {**schema, "$ref": PLACE + title(name)}

    def _reached(self, schema: Any) -> set[str]:
        """The names of the Structs in a schema, and of those in them."""
        found: set[str] = set()
        waiting = _names(schema)
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                waiting += _names(self.structs[name])
        return found


def described(kinds: list[Any]) -> tuple[list[Json], dict[str, Json]]:
    """The schema of each type, and those of the Structs in them by name."""
    found, structs = msgspec.json.schema_components(kinds, schema_hook=_described_field, ref_template=PLACE + "{name}")
    explained = _explained(kinds)
    structs = {
        _title(name): _mapped(_with_words(struct, *explained[name]), _as_encoded) for name, struct in structs.items()
    }
    return _mapped(list(found), _as_encoded), structs


def options(kind: Any) -> tuple[Any, ...]:
    """The members of a union; any other type by itself."""
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def without(schema: Json, key: str) -> Json:
    return {name: value for name, value in schema.items() if name != key}


def _explained(kinds: Iterable[Any]) -> dict[str, tuple[str, dict[str, str]]]:
    """What the docstring of each Struct in these types says of it and of its members, by its name as msgspec has it."""
    found: dict[str, tuple[str, dict[str, str]]] = {}
    seen: set[Any] = set()
    waiting = [*kinds]
    while waiting:
        kind = waiting.pop()
        waiting += get_args(kind)
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct) and kind not in seen:
            seen.add(kind)
            waiting += get_type_hints(kind, include_extras=True).values()
            said = _split(kind.__doc__)[0], _members_explained(kind)
            found[kind.__name__] = found[f"{kind.__module__}.{kind.__qualname__}"] = said
    return found


def _members_explained(kind: type) -> dict[str, str]:
    """Each member's explanation: of the Struct, those it is made of, or the one that is sent to make it."""
    sent = getattr(sys.modules.get(kind.__module__), f"New{kind.__name__.removeprefix('Listed')}", None)
    made_of = [*(reversed(sent.__mro__) if isinstance(sent, type) else ()), *reversed(kind.__mro__)]
    return {name: text for part in made_of for name, text in _split(vars(part).get("__doc__"))[1].items()}


def _split(docstring: str | None) -> tuple[str, dict[str, str]]:
    """A docstring's text, and its lines `member: what it is`; one may name several members, and go on indented."""
    text: list[str] = []
    members: dict[str, str] = {}
    for paragraph in inspect.cleandoc(docstring or "").split("\n\n"):
        lines = [line.partition(": ") for line in re.sub(r"\n +", " ", paragraph).split("\n")]
        if text and all(_MEMBERS.fullmatch(names) and said for names, _, said in lines):
            members |= {name: said for names, _, said in lines for name in names.split(", ")}
        else:
            text.append(paragraph)
    return "\n\n".join(text), members


_MEMBERS = re.compile(r"[a-z][a-z0-9_]*(, [a-z][a-z0-9_]*)*")


def _with_words(struct: Json, text: str, members: dict[str, str]) -> Json:
    """A Struct's schema with its description, and each member's beside its type."""
    properties = {}
    for name, member in struct["properties"].items():
        option: Json = next((o for o in member.get("anyOf", ()) if "description" in o), {})
        words = members.get(name) or member.get("description") or option.get("description")
        bare = {**member, "anyOf": [without(o, "description") for o in member["anyOf"]]} if option else member
        properties[name] = {**bare, "description": words} if words else bare
    return {**struct, "description": text, "properties": properties}


def _or_null(schema: Json) -> Json:
    """The schema, or null; its description is that of both."""
    either: Json = {"anyOf": [without(schema, "description"), NULL]}
    return either | ({"description": schema["description"]} if "description" in schema else {})


def _described_field(kind: type) -> Json:
    if issubclass(kind, Field):
        return {"description": inspect.getdoc(kind), **kind.schema}
    if issubclass(kind, Moment):
        return {"type": "string", "format": "date-time"}
    raise NotImplementedError(kind)


def _as_encoded(schema: Json) -> Json:
    """What msgspec says of a type, put right where the wire differs."""
    if schema.get("format") == "decimal":
        return {**without(schema, "format"), "type": "number"}
    if "$ref" in schema:
        return {**schema, "$ref": PLACE + _title(schema["$ref"].removeprefix(PLACE))}
    if "enum" in schema and all(isinstance(value, str) for value in schema["enum"]):
        return {"type": "string", **schema}
    if "properties" in schema and "title" in schema:
        return without(schema, "title")
    return schema


def _mapped(value: Any, change: Callable[[Json], Json]) -> Any:
    """The value with every object in it changed, the innermost first."""
    if isinstance(value, dict):
        return change({key: _mapped(member, change) for key, member in value.items()})
    return [_mapped(item, change) for item in value] if isinstance(value, list) else value


def _title(name: str) -> str:
    """The name of a Struct; where two plugins have one of this name, with the plugin's before it."""
    module, _, own = name.rpartition(".")
    plugin = module.partition(".")[0].removeprefix("billycan_").title().replace("_", "")
    return f"New{plugin}{_bare(own)}" if own.startswith("New") else plugin + own


def _names(schema: Any) -> list[str]:
    """The names of the Structs that a schema refers to."""
    return re.findall(f'"{PLACE}([^"]+)"', json.dumps(schema))


def _bare(name: str) -> str:
    return name.removeprefix("New")
