"""JSON in and out: size, UTF-8, depth and duplicate keys first, then types, with all faults of a body at once."""

import json
import types
from collections.abc import Mapping
from datetime import datetime
from decimal import Decimal, InvalidOperation
from functools import cache
from typing import Annotated, Any, Generic, Literal, TypeVar, Union, get_args, get_origin
from urllib.parse import parse_qsl, urlencode

import falcon
import msgspec
from msgspec import Meta, Struct, UnsetType

from .fields import Amount, Field, Metadata, Whole, read_field
from .manifest import STEERING
from .problems import (
    BadRequest,
    Fault,
    Invalid,
    PayloadTooLarge,
    RuleBroken,
    Timeout,
    UnsupportedMediaType,
)

T = TypeVar("T")
MOST_BYTES = 1024 * 1024
MOST_DEPTH = 32
MOST_FAULTS = 100
MOST_SHOWN = 100  # characters of a name the client made up, when it is told of it
BODY_SECONDS = 10.0


# Out ------------------------------------------------------------------------------------------------------------------


def _encode_other(value: Any) -> Any:
    if isinstance(value, datetime):
        return str(value)
    raise NotImplementedError(type(value))


encode = msgspec.json.Encoder(decimal_format="number", enc_hook=_encode_other).encode


# Bytes to a tree ------------------------------------------------------------------------------------------------------


def read_body(req: falcon.Request) -> bytes:
    """The body's bytes, chunked or not, at most 1 MiB; empty where there is none."""
    length = req.content_length
    if length is None and "chunked" not in (req.get_header("Transfer-Encoding") or "").lower():
        return b""
    if (length or 0) > MOST_BYTES:
        raise PayloadTooLarge
    # Under gunicorn a client that stops sending would otherwise hold a thread for ever.
    if socket := req.env.get("gunicorn.socket"):
        socket.settimeout(BODY_SECONDS)
    try:
        # Falcon's bounded stream reads a chunked body as empty, since it has no length.
        raw: bytes = req.stream.read(MOST_BYTES + 1) if length is None else req.bounded_stream.read()
    except (TimeoutError, BlockingIOError):
        raise Timeout from None
    except OSError as error:
        raise BadRequest("The body ended early.", code="malformed_json") from error
    if len(raw) > MOST_BYTES:
        raise PayloadTooLarge
    if raw:
        _check_media_type(req)
    return raw


def _check_media_type(req: falcon.Request) -> None:
    kind, _, parameters = (req.content_type or "").lower().partition(";")
    accepted = ("application/json", "application/merge-patch+json") if req.method == "PATCH" else ("application/json",)
    charset = parameters.partition("charset=")[2].partition(";")[0].strip(" \"'")
    encoding = (req.get_header("Content-Encoding") or "identity").lower()
    if kind.strip() not in accepted or charset not in ("", "utf-8", "utf8") or encoding != "identity":
        raise UnsupportedMediaType


def parse(raw: bytes) -> Any:
    """The JSON tree in `raw`: numbers exact, no key twice, nothing deeper than 32 levels."""
    try:
        text = raw.decode("utf-8")
        tree = json.loads(
            text, object_pairs_hook=_unique, parse_float=_number, parse_int=_integer, parse_constant=_no_constant
        )
        if "\\u" in text:
            json.dumps(tree, ensure_ascii=False, default=str).encode("utf-8")  # lone surrogates cannot be encoded
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise BadRequest(f"The body is not JSON in UTF-8: {_syntax(error)}.", code="malformed_json") from None
    # Brackets bound the depth, so only a body with many is walked.
    if raw.count(b"[") + raw.count(b"{") > MOST_DEPTH and _depth(tree) > MOST_DEPTH:
        raise _too_deep()
    return tree


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        twice = next(key for i, (key, _) in enumerate(pairs) if any(key == k for k, _ in pairs[:i]))
        twice = twice[:MOST_SHOWN].encode(errors="replace").decode()  # half a surrogate pair cannot be answered
        raise BadRequest(f"The member {twice!r} is there twice.", code="duplicate_key", param=twice)
    return found


def _number(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        return Decimal("Infinity")  # an exponent beyond all sense; fails the range check like any other


def _integer(text: str) -> int | Decimal:
    # Python refuses to read thousands of digits as an integer; as a decimal they fail the range check like any other.
    return int(text) if len(text) < 30 else Decimal(text)


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is no JSON number")


def _syntax(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg[0].lower()}{error.msg[1:]} at line {error.lineno} column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not UTF-8"
    if isinstance(error, UnicodeEncodeError):
        return "it has half a surrogate pair"
    return str(error) or "a number cannot be read"


def _too_deep() -> BadRequest:
    return BadRequest(f"The body is nested deeper than {MOST_DEPTH} levels.", code="too_deep")


def _depth(tree: Any) -> int:
    level, depth = [tree], 0
    while level := [x for x in level if isinstance(x, dict | list)]:
        depth += 1
        level = [child for x in level for child in (x.values() if isinstance(x, dict) else x)]
    return depth


# A tree to a Struct ---------------------------------------------------------------------------------------------------


class Patch(Generic[T]):
    """A JSON Merge Patch (RFC 7396) of a T: only what is sent changes, null clears.

    Its shape is checked when it arrives; `over` gives the T that results, checked as a whole.
    """

    def __init__(self, kind: type[T], sent: dict[str, Any]) -> None:
        self.kind, self.sent = kind, sent

    def __contains__(self, member: str) -> bool:
        return member in self.sent

    def over(self, current: Mapping[Any, Any]) -> T:
        """The record with the patch applied; `current` holds the T's members as they are stored."""
        known = _members(self.kind)  # type: ignore[arg-type]
        return decode(merge({name: plain(current[name]) for name in known}, self.sent), self.kind)


class SetAside(Struct, frozen=True):
    """A read-only member a client sent back: allowed only with the value it has.

    `keys` lead to it in the record as it is shown; items of lists are named by their id.
    """

    path: str
    keys: tuple[str, ...]
    value: Any

    def repeats(self, shown: Any) -> bool:
        """Whether the record, as it is shown, has this very value here."""
        for key in self.keys:
            if isinstance(shown, list):
                shown = next((item for item in shown if item.get("id") == key), None)
            else:
                shown = shown.get(key, self) if isinstance(shown, dict) else self
        return _same(shown, self.value)


def _same(shown: Any, sent: Any) -> bool:
    """Whether what was sent is what is shown; money may be sent as text, here as elsewhere."""
    if isinstance(shown, dict) and isinstance(sent, dict):
        return shown.keys() == sent.keys() and all(_same(shown[name], sent[name]) for name in shown)
    if isinstance(shown, list) and isinstance(sent, list):
        return len(shown) == len(sent) and all(map(_same, shown, sent))
    if isinstance(shown, Decimal) and isinstance(sent, str):
        try:
            return bool(shown == Amount.read(sent))
        except RuleBroken:
            return False
    return bool(shown == sent) and isinstance(shown, bool) == isinstance(sent, bool)


def plain(value: Any) -> Any:
    """A stored value as the tree it would arrive as, numbers and dates kept."""
    return msgspec.to_builtins(value, builtin_types=(Decimal, datetime)) if isinstance(value, Struct | list) else value


def merge(current: Any, sent: Any) -> Any:
    """RFC 7396: members of `sent` over those of `current`, null removes; items of lists are matched by their `id`."""
    if isinstance(sent, list) and isinstance(current, list):
        stored = {item["id"]: item for item in current if isinstance(item, dict) and "id" in item}
        return [merge(stored[x["id"]], x) if isinstance(x, dict) and x.get("id") in stored else x for x in sent]
    if not isinstance(sent, dict):
        return sent
    result = dict(current) if isinstance(current, dict) else {}
    for key, value in sent.items():
        if value is None:
            result.pop(key, None)
        else:
            result[key] = merge(result.get(key), value)
    return result


def decode(tree: Any, kind: type[T], shown: Any = None) -> T:
    """The tree as a `kind`, or one Invalid with every fault and its path."""
    try:
        return msgspec.convert(tree, kind, dec_hook=read_field)
    except msgspec.ValidationError as error:
        aside: list[SetAside] = []
        found = _faults(tree, kind, "", (), shown=shown, aside=aside)
        found += [Fault(a.path, "read_only", "is set by the server: leave it out") for a in aside]
        raise Invalid.of(*(found or [_fault("", kind, tree, error)])[:MOST_FAULTS]) from None


def decode_patch(tree: Any, kind: type[T], shown: Any = None) -> tuple[Patch[T], list[SetAside]]:
    """The tree as a merge patch of a `kind`, and the read-only members it repeats."""
    if not isinstance(tree, dict):
        raise Invalid.member("", "invalid_type", "must be a JSON object")
    aside: list[SetAside] = []
    if found := _faults(tree, kind, "", (), shown=shown, aside=aside, partial=True):
        raise Invalid.of(*found[:MOST_FAULTS])
    return Patch(kind, tree), aside


def _faults(
    value: Any,
    kind: Any,
    path: str,
    keys: tuple[str, ...],
    *,
    shown: Any = None,
    aside: list[SetAside],
    partial: bool = False,
) -> list[Fault]:
    """Every fault of `value`, found member by member; read-only members are moved from it to `aside`."""
    kind, limits = _bare(kind)
    if get_origin(kind) in (Union, types.UnionType):
        options = [k for k in get_args(kind) if _bare(k)[0] not in (type(None), UnsetType)]
        if value is None and type(None) in get_args(kind):
            return []
        kind, limits = _bare(options[0]) if len(options) == 1 else (kind, limits)
    if isinstance(kind, type) and issubclass(kind, Struct) and isinstance(value, dict):
        found = _struct_faults(value, kind, path, keys, _bare_struct(shown), aside, partial)
        return found or ([] if partial else _whole(value, kind, path))
    if get_origin(kind) is list and isinstance(value, list):
        (item,) = get_args(kind)
        shown_item = _item(shown)
        found = []
        for i, v in enumerate(value):
            id = v.get("id") if isinstance(v, dict) else None
            stored = partial and isinstance(id, str)
            at, below = f"{path}[{i}]", (*keys, str(id))
            found += _faults(v, item, at, below, shown=shown_item, aside=aside, partial=stored)
        if limits and limits.max_length is not None and len(value) > limits.max_length:
            found.append(Fault(path, "too_long", f"must have at most {limits.max_length} items"))
        if limits and limits.min_length is not None and len(value) < limits.min_length:
            found.append(Fault(path, "required", f"must have at least {limits.min_length} item"))
        return found
    if partial and isinstance(kind, type) and issubclass(kind, Metadata) and isinstance(value, dict):
        value = {k: v for k, v in value.items() if v is not None}
    return _whole(value, Annotated[kind, limits] if limits else kind, path)


def _whole(value: Any, kind: Any, path: str) -> list[Fault]:
    """The fault of a value whose members, if it has any, are right by themselves."""
    try:
        msgspec.convert(value, kind, dec_hook=read_field)
    except msgspec.ValidationError as error:
        return [_fault(path, _bare(kind)[0], value, error)]
    return []


def _struct_faults(
    value: dict[str, Any],
    kind: type[Struct],
    path: str,
    keys: tuple[str, ...],
    shown: Any,
    aside: list[SetAside],
    partial: bool,
) -> list[Fault]:
    found: list[Fault] = []
    known = _members(kind)
    visible = {name: member.type for name, member in _members(shown).items()} if shown else {}
    for name, member in known.items():
        at = f"{path}.{name}" if path else name
        if name not in value:
            if member.required and not partial:
                found.append(Fault(at, "required", "is required"))
        elif partial and value[name] is None:
            if member.required:
                found.append(Fault(at, "required", "is required and cannot be cleared"))
        else:
            below = (*keys, name)
            found += _faults(value[name], member.type, at, below, shown=visible.get(name), aside=aside, partial=partial)
    for name in [name for name in value if name not in known]:
        at = f"{path}.{name[:MOST_SHOWN]}" if path else name[:MOST_SHOWN]
        if name in visible:
            aside.append(SetAside(at, (*keys, name), value.pop(name)))
        else:
            found.append(Fault(at, "unknown_field", f"is not a member; there are {', '.join(sorted(known)) or 'none'}"))
    return found


@cache
def _members(kind: Any) -> dict[str, msgspec.structs.FieldInfo]:
    """A Struct's members, by their names in JSON."""
    return {field.encode_name: field for field in msgspec.structs.fields(kind)}


def _bare(kind: Any) -> tuple[Any, Meta | None]:
    if get_origin(kind) is Annotated:
        return kind.__origin__, next((m for m in kind.__metadata__ if isinstance(m, Meta)), None)
    return kind, None


def _bare_struct(shown: Any) -> Any:
    options = [k for k in get_args(shown) if isinstance(k, type) and issubclass(k, Struct)] or [shown]
    return options[0] if isinstance(options[0], type) and issubclass(options[0], Struct) else None


def _item(shown: Any) -> Any:
    lists = [k for k in (shown, *get_args(shown)) if get_origin(_bare(k)[0]) is list]
    return get_args(_bare(lists[0])[0])[0] if lists else None


_KINDS = {
    "int": "a whole number",
    "float": "a number",
    "str": "text",
    "bool": "true or false",
    "array": "a list",
    "object": "an object",
    "null": "null",
}


def _fault(path: str, kind: Any, value: Any, error: msgspec.ValidationError) -> Fault:
    """One fault in words for the client, from msgspec's or from a Field's own."""
    if isinstance(rule := error.__cause__, RuleBroken):
        return Fault(path + rule.at, rule.code, str(rule))
    text = str(error).split(" - at `")[0]
    if get_origin(kind) is Literal:
        return Fault(path, "invalid_value", f"must be one of {', '.join(map(str, get_args(kind)))}")
    wanted = text.removeprefix("Expected `").partition("`")[0]
    rule_text = text.removeprefix(f"Expected `{wanted}` ")
    if rule_text.startswith((">=", "<=", ">", "<")):
        limit = rule_text.replace(">=", "at least").replace("<=", "at most").replace(">", "above").replace("<", "below")
        return Fault(path, "out_of_range", f"must be {limit}")
    if "length <=" in rule_text:
        return Fault(path, "too_long", f"must have a {rule_text.removeprefix('of ').replace('<=', 'of at most')}")
    if "length >=" in rule_text:
        return Fault(path, "required", f"must have a {rule_text.removeprefix('of ').replace('>=', 'of at least')}")
    if "matching regex" in rule_text:
        return Fault(path, "invalid_value", "does not have the form documented")
    wanted = " or ".join(_KINDS.get(name.strip(), name.strip()) for name in wanted.split("|"))
    if isinstance(value, Decimal) and wanted == "a whole number":
        if abs(value) >= 2**63:
            return Fault(path, "out_of_range", "is beyond any number allowed here")
        return Fault(path, "invalid_type", "must be a whole number, without a fraction or an exponent")
    return Fault(path, "invalid_type", f"must be {wanted}")


# Query strings --------------------------------------------------------------------------------------------------------


def decode_query(query_string: str, kind: type[T]) -> T:
    """The query parameters as a `kind`; an unknown, repeated or malformed one is a 400 that names it."""
    fields = _members(kind)  # type: ignore[arg-type]
    values: dict[str, Any] = {}
    found: list[Fault] = []
    for name, text in _pairs(query_string):
        member, _, key = name.partition("[")
        if member == "metadata" and "metadata" in fields and key.endswith("]"):
            values.setdefault("metadata", {})[key[:-1]] = text
        elif name not in fields or name == "metadata":
            known = ", ".join(sorted(n if n != "metadata" else "metadata[key]" for n in fields)) or "none"
            found.append(Fault(name, "unknown_parameter", f"is not a parameter here; there are: {known}"))
        else:
            values[name] = _parameter(text, fields[name].type)
    for name, value in values.items():
        try:
            values[name] = msgspec.convert(value, fields[name].type, dec_hook=read_field)
        except msgspec.ValidationError:
            faults = _faults(value, fields[name].type, name, (), aside=[])
            found += [Fault(_parameter_name(f.param), _query_code(name), f.message) for f in faults]
    missing = [name for name, member in fields.items() if member.required and name not in values]
    found += [Fault(name, "invalid_parameter", "is required") for name in missing]
    if found:
        first = found[0]
        raise BadRequest(f"{first.param}: {first.message}", code=first.code, param=first.param, details=found)
    return kind(**{fields[name].name: value for name, value in values.items()})


def with_cursor(query_string: str, cursor: str) -> str:
    """The query of the page that `cursor` leads to, asked for like this one."""
    kept = [pair for pair in _pairs(query_string) if pair[0] not in ("page", "cursor")]
    return urlencode([*kept, ("cursor", cursor)])


def _pairs(query_string: str) -> list[tuple[str, str]]:
    try:
        text = query_string.encode("latin-1").decode()  # WSGI passes bytes on as Latin-1
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:
        raise BadRequest("The query string is not UTF-8, or has more than 100 parameters.") from None
    names = [name for name, _ in pairs]
    for name, text in pairs:
        if names.count(name) > 1:
            raise BadRequest(f"{name} is given twice; separate several values with commas.", param=name)
        if "\x00" in name + text:
            raise BadRequest(f"{name!r} holds a NUL character.", param=name.replace("\x00", ""))
    return pairs


def _parameter(text: str, kind: Any) -> Any:
    """A parameter's text as the JSON value it stands for."""
    options = [_bare(k)[0] for k in (get_args(kind) if get_origin(kind) in (Union, types.UnionType) else (kind,))]
    if lists := [k for k in options if get_origin(k) is list]:
        return [_parameter(part, get_args(lists[0])[0]) for part in text.split(",")]
    if bool in options and text in ("true", "false"):
        return text == "true"
    whole = any(isinstance(k, type) and (k is int or issubclass(k, Whole)) for k in options)
    if whole and text.isascii() and text.removeprefix("-").isdigit() and len(text) < 20:
        return int(text)
    return text


def _parameter_name(path: str) -> str:
    """The parameter a fault is in: `kind[0]` came from `kind`, `metadata.a` from `metadata[a]`."""
    name, inside, key = path.partition(".")
    return f"{name}[{key}]" if inside else name.partition("[")[0]


def _query_code(name: str) -> str:
    return (
        f"invalid_{name}"
        if name in ("cursor", "sort")
        else ("invalid_parameter" if name in STEERING else "invalid_filter")
    )


__all__ = ["Field", "Patch", "decode", "decode_patch", "decode_query", "encode", "parse", "read_body"]
