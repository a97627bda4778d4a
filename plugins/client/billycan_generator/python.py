"""Write a client in Python: `api` with an operation a method, `models` with the Structs, `webhooks` with the events."""

import keyword
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Iterable, Mapping
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

from .document import (
    SCHEMAS,
    Json,
    answer_of,
    body_of,
    class_name,
    events_of,
    groups_of,
    is_listed,
    members_of,
    options_of,
    read_document,
    struct_of,
    structs_of,
    takes_bytes,
    text_of,
)

WIDTH = 120
SIMPLE = {"integer": "int", "number": "Decimal", "boolean": "bool", "string": "str", "null": "None"}
FORMATS = {"date": "dt.date", "date-time": "dt.datetime", "decimal": "Decimal"}
# Names that the bodies of methods use.
TAKEN = {"self", "models", "segment", "either", "builtins", "if_match", "idempotency_key"}

MODELS = '''"""Structs that the API takes and answers; written by `python -m billycan_generator`."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct

from billycan_client.values import Amount, Maybe, Open
'''

API = '''"""One method for each operation of the API; written by `python -m billycan_generator`."""

from __future__ import annotations

import builtins
import datetime as dt
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from typing import Any, Literal

from msgspec import UNSET

from billycan_client.connection import Connection
from billycan_client.pages import Listing
from billycan_client.values import Amount, Many, Maybe, either, segment

from . import models


class Billycan(Connection):
'''

WEBHOOKS = '''"""Events that webhooks deliver; written by `python -m billycan_generator`."""

from __future__ import annotations

import datetime as dt
import time
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any, Literal, cast

from billycan_client.deliveries import Delivery, OtherEvent, VerificationError, verified

from . import models

__all__ = ["EVENTS", "Event", "OtherEvent", "VerificationError", "verify", {names}]


def verify(
    secret: str,
    headers: Mapping[str, str],
    body: bytes,
    *,
    tolerance_seconds: float = 300,
    now: Callable[[], float] = time.time,
) -> Event:
    """Return the event of a delivery. Raise VerificationError for a wrong signature or time."""
    return cast(Event, verified(EVENTS, secret, headers, body, tolerance_seconds, now))
'''


class Argument(NamedTuple):
    """An argument of a method: its names here and in the API, its type with its default, and its description."""

    name: str
    member: str
    hint: str
    says: str


def modules(document: Json) -> dict[str, str]:
    """Map file names to sources, formatted if ruff is installed."""
    document = read_document(document)
    sources = {"api.py": _api(document), "models.py": _models(document), "webhooks.py": _webhooks(document)}
    return {name: _laid_out(source) for name, source in sources.items()}


def _models(document: Json) -> str:
    schemas = document["components"]["schemas"]
    sent, shown = structs_of(document)
    members = {name: _struct_members(schemas[name], sent=name not in shown) for name in sorted(sent | shown)}
    bases = {name: _find_base(name, members) for name in members}
    in_order = sorted(members, key=lambda name: bases[name] != "Struct")  # a base class comes first
    return "\n\n".join([MODELS, *(_struct(name, schemas[name], members, bases[name]) for name in in_order)])


def _find_base(name: str, members: Mapping[str, Mapping[str, str]]) -> str:
    """Return the record as lists show it if the record as a whole has each member of that, too."""
    listed = f"Listed{name}"
    return listed if listed in members and members[listed].keys() <= members[name].keys() else "Struct"


def _struct(name: str, schema: Json, members: Mapping[str, Mapping[str, str]], base: str) -> str:
    inherited = members.get(base, {})
    own = [text for member, text in members[name].items() if inherited.get(member) != text]
    head = f"class {class_name(name)}({class_name(base)}, kw_only=True):\n"
    return "".join([head, _docstring(schema.get("description")), *(own or ["    pass\n"])])


def _struct_members(schema: Json, sent: bool) -> dict[str, str]:
    """Map each member to the lines that declare it."""
    lines, taken = dict[str, str](), set[str]()
    for member, kind in members_of(schema, sent):
        # Records lack the members of plugins that are off.
        required = member in schema.get("required", ()) and "x-plugin" not in kind
        own = _unused(member, taken)
        default = "" if required else "UNSET"
        if own != member:
            default = f"msgspec.field({'' if required else 'default=UNSET, '}name={member!r})"
        hint = _type(kind, sent) if required else f"Maybe[{_type(kind, sent)}]"
        lines[member] = f"    {own}: {hint}{default and f' = {default}'}\n{_docstring(text_of(kind))}"
    return lines


def _api(document: Json) -> str:
    groups = groups_of(document)
    lines = [API, _docstring(f"The API of {document['info']['title']}.")]
    for group in groups:
        lines.append(f"\n    @cached_property\n    def {_name(group)}(self) -> {class_name(group)}:\n")
        lines.append(f"        return {class_name(group)}(self)\n")
    for group, operations in groups.items():
        lines.append(f"\n\nclass {class_name(group)}:\n    def __init__(self, api: Connection) -> None:\n")
        lines.append("        self._api = api\n")
        for name, method, path, operation in operations:
            written = _operation(document, _name(name), method, path, operation)
            lines += ["\n", textwrap.indent(written, "    ")]
    return "".join(lines)


def _webhooks(document: Json) -> str:
    events = sorted(events_of(document), key=lambda event: event[0])
    names = [class_name(name) for name, _, _ in events]
    lines = [WEBHOOKS.replace("{names}", ", ".join(map(repr, names)))]
    for name, event, says in events:
        lines += [f"\n\nclass {class_name(name)}(Delivery, kw_only=True):\n", _docstring(says or f"`{name}`")]
        # Literal, so that comparing `event.event` tells a type checker the type of `event.data`.
        lines += [f"\n    event: Literal[{name!r}]\n    data: {_type(event['data'], False, 'models.')}\n"]
    pairs = (f"{name!r}: {own}," for (name, _, _), own in zip(events, names, strict=True))
    lines += [f"\n\nEvent = {' | '.join([*names, 'OtherEvent'])}\n"]
    lines += ["EVENTS: dict[str, type[Delivery]] = {", *pairs, "}\n"]
    return "".join(lines)


def _operation(document: Json, name: str, method: str, path: str, operation: Json) -> str:
    taken, parameters = set(TAKEN), operation.get("parameters", ())
    headers = {parameter["name"].lower() for parameter in parameters if parameter["in"] == "header"}
    extra = [own for own in ("if_match", "idempotency_key") if own.replace("_", "-") in headers]
    answer = answer_of(operation)
    listed = is_listed(operation)

    ids = [(p["name"], _unused(p["name"], taken)) for p in parameters if p["in"] == "path"]
    # Types have every member, so `fields`, which omits members, is no argument.
    query = [_queried(p, taken, listed) for p in parameters if p["in"] == "query" and p["name"] != "fields"]
    body, whole = _sent(document, operation, taken)
    keywords = sorted([*query, *body], key=lambda argument: "=" in argument.hint)
    signature = [f"    {own}: str,\n" for _, own in ids]
    signature += ["    *,\n"] if keywords or extra else []
    signature += [f"    {argument.name}: {argument.hint},\n" for argument in keywords]
    signature += ["    if_match: int | str | None = None,\n"] * ("if_match" in extra)
    signature += ["    idempotency_key: str | None = None,\n"] * ("idempotency_key" in extra)

    place = ("f" if ids else "") + repr(path.replace("{", "{{").replace("}", "}}") if ids else path)
    for member, own in ids:
        place = place.replace(f"{{{{{member}}}}}", f"{{segment({own})}}")
    given = [f"query={_mapping(query)}"] if query else []
    given += [f"{'content' if takes_bytes(operation) else 'body'}={whole or _mapping(body)}"] if body else []
    given += ["body={}"] * (not body and "requestBody" in operation) + [f"{own}={own}" for own in extra]
    if answer is None:
        returns, call = "bytes", f"self._api.fetch({', '.join([repr(method.upper()), place, *given])})"
    elif listed:
        item = _type(answer["items"], False, "models.")
        returns, call = f"Listing[{item}]", f"Listing(self._api, {place}, {item}, {_mapping(query)})"
    else:
        # The classes have methods named `list`.
        kinds = [_type(k, False, "models.").replace("list[", "builtins.list[") for k in options_of(answer) or [answer]]
        read = ({"Any": "object", "None": "type(None)"}.get(kind, kind) for kind in kinds)
        kind = reduce("either({}, {})".format, read)
        returns, call = " | ".join(kinds), f"self._api.call({', '.join([repr(method.upper()), place, kind, *given])})"
    head = f"def {name}(\n    self,\n{''.join(signature)}) -> {returns}:\n"
    return f"{head}{_docstring(_describes(operation, keywords))}    return {call}\n"


def _queried(parameter: Json, taken: set[str], listed: bool) -> Argument:
    member, schema = parameter["name"], parameter.get("schema", {})
    own, says = _unused(member, taken), parameter.get("description") or text_of(schema)
    if listed and member == "per_page" and "maximum" in schema:
        return Argument(own, member, f"int = {int(schema['maximum'])}", "")  # fewer requests for the same items
    hint = _type(schema, True, "models.")
    hint = f"Many[{_type(schema.get('items'), True, 'models.')}]" if schema.get("type") == "array" else hint
    return Argument(own, member, hint if parameter.get("required") else f"Maybe[{hint}] = UNSET", says)


def _sent(document: Json, operation: Json, taken: set[str]) -> tuple[list[Argument], str]:
    """Return a body's members as arguments; for a body that is no object, one argument for it and its name."""
    if takes_bytes(operation):
        own = _unused("content", taken)
        return [Argument(own, own, "bytes", "The file's bytes.")], own
    schema = body_of(operation)
    struct = struct_of(document["components"]["schemas"], schema)
    if schema and "properties" not in struct:
        own = _unused("body", taken)
        return [Argument(own, own, _type(schema, True, "models."), text_of(schema))], own
    found = []
    for member, kind in members_of(struct, sent=True):
        hint = _type(kind, True, "models.")
        hint = hint if member in struct.get("required", ()) else f"Maybe[{hint}] = UNSET"
        found.append(Argument(_unused(member, taken), member, hint, text_of(kind)))
    return found, ""


def _describes(operation: Json, arguments: Iterable[Argument]) -> str:
    said = [f"{argument.name}: {' '.join(argument.says.split())}" for argument in arguments if argument.says]
    deprecated = "Deprecated: it will be removed." if operation.get("deprecated") else ""
    parts = (operation.get("summary"), operation.get("description"), deprecated, "\n".join(said))
    return "\n\n".join(part for part in parts if part)


def _mapping(arguments: Iterable[Argument]) -> str:
    return "{" + "".join(f"{argument.member!r}: {argument.name}, " for argument in arguments) + "}"


def _type(schema: Any, sent: bool, prefix: str = "") -> str:
    """Return a schema as a Python type: wide for bodies; for answers, open to the additions of a later server."""
    if not isinstance(schema, dict):
        return "Any"
    if "$ref" in schema:
        return prefix + class_name(schema["$ref"].removeprefix(SCHEMAS))
    if values := schema.get("enum", [schema["const"]] if "const" in schema else []):
        literal = f"Literal[{', '.join(map(repr, values))}]"
        return literal if sent else f"Open[{literal}]"
    if options := options_of(schema):
        return _union([_type(option, sent, prefix) for option in options], sent)
    match schema.get("type"):
        case "array":
            return f"{'Sequence' if sent else 'list'}[{_type(schema.get('items'), sent, prefix)}]"
        case "object":
            return f"{'Mapping' if sent else 'dict'}[str, {_type(schema.get('additionalProperties'), sent, prefix)}]"
        case kind:
            return FORMATS.get(schema.get("format", ""), SIMPLE.get(kind or "", "Any"))


def _union(options: list[str], sent: bool) -> str:
    kinds = list(dict.fromkeys(options))
    if sent and {"str", "Decimal"} <= {*kinds}:
        kinds = ["Amount", *(kind for kind in kinds if kind not in ("str", "Decimal"))]
    plain = [kind for kind in kinds if kind != "None"]
    if "Any" in kinds or (len(plain) > 1 and not sent):
        return "Any"  # msgspec cannot tell them apart
    return " | ".join([*plain, *(["None"] if "None" in kinds else [])])


def _name(name: str) -> str:
    own = re.sub(r"\W", "_", name)
    if own[:1].isdigit():
        return f"_{own}"
    return f"{own}_" if keyword.iskeyword(own) or not own.isidentifier() else own


def _unused(name: str, taken: set[str]) -> str:
    own = _name(name)
    while own in taken:
        own += "_"
    taken.add(own)
    return own


def _docstring(text: str | None) -> str:
    """Return a docstring, indented by 4; empty without a text."""
    if not text:
        return ""
    lines: list[str] = []
    escaped = text.replace("\\", "\\\\").replace('"""', "'''").strip()
    # Wrap a paragraph as a whole, since its own lines may be too long.
    for line in re.sub(r"(?<=\S)\n(?![-*\s]|```|\w+: )", " ", escaped).splitlines():
        hangs = "  " if re.match(r"\s*([-*]|\w+:) ", line) else ""
        room = WIDTH - 8 - (0 if lines else 6)
        lines += textwrap.wrap(line, room, subsequent_indent=hangs, break_on_hyphens=False) or [""]
    lines[-1] += " " * lines[-1].endswith('"')
    closed = ["".join(lines)] if len(lines) == 1 else [*lines, ""]
    return textwrap.indent('"""' + "\n".join(closed) + '"""\n', "    ")


def _laid_out(source: str) -> str:
    ruff = shutil.which("ruff", path=str(Path(sys.executable).parent)) or shutil.which("ruff")
    if ruff is None:
        return source
    own = 'lint.isort.known-first-party = ["billycan_client"]'
    for options in (["check", "-q", "--select=F401,I,RUF022", "--fix-only", f"--config={own}"], ["format", "-q"]):
        command = [ruff, *options, "--isolated", f"--line-length={WIDTH}", "--stdin-filename=generated.py", "-"]
        source = subprocess.run(command, input=source, capture_output=True, encoding="utf-8", check=True).stdout
    return source
