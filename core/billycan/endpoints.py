"""Endpoints: a route with its signature, its query string read by rules, and the members chosen by `fields`."""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, TypeVar, get_args, get_origin, get_type_hints
from urllib.parse import parse_qsl, urlencode

import msgspec
from msgspec import UNSET, Struct, structs

from . import owning
from .context import Context
from .extending import Extended, Sent, fill_members, read_members
from .fields import Rule, is_id
from .manifest import Route
from .members import is_struct, options, parts
from .problems import MOST_FAULTS, BadRequest, Fault, Invalid, RuleBroken
from .reader import MapOf, Reader, SetAside, Walk, compiled, decode, decode_patch
from .resources import STEERING, NotPossible, Page

if TYPE_CHECKING:
    from .app import App


T = TypeVar("T")
MOST_VALUES = 100  # of one parameter, separated by commas: each may become a condition of the query
MOST_KEYS = 10  # filters by metadata in a query: each reads the metadata of every record that the others leave


def decode_query(query: str | Mapping[str, Any], kind: type[T], ids: Mapping[str, str] | None = None) -> T:
    """Read the query parameters as a `kind`; an unknown, repeated or malformed one is a 400 that names it.

    A page gives them by their names, as texts or as the values they stand for, and needs no query string. `ids` maps
    parameters that take ids to the prefixes of the ids, "" for an unknown prefix.
    """
    known, required = _compile_query(kind)  # type: ignore[arg-type]
    if not query and not required:
        return kind()
    values: dict[str, Any] = {}
    found: list[Fault] = []
    for name, given in _split_pairs(query) if isinstance(query, str) else query.items():
        text = given if isinstance(given, int | list) else str(given)
        if "\x00" in f"{name}{text}":
            raise BadRequest(f"{name!r} holds a NUL character.", param=name.replace("\x00", ""))
        of, key = _split_name(name)
        if (member := known.get(of)) and member.is_map and key is not None:
            given_keys = values.setdefault(of, {})
            given_keys[key] = text
            if len(given_keys) == MOST_KEYS + 1:
                found.append(Fault(name, "invalid_filter", f"is one too many: use at most {MOST_KEYS} by {of}"))
        elif (member := known.get(name)) is None or member.is_map:
            names = (
                ", ".join(sorted(_parameter_name(f"{n}.key") if p.is_map else n for n, p in known.items())) or "none"
            )
            found.append(Fault(name, "unknown_parameter", f"is an unknown parameter. Known parameters: {names}"))
        else:
            value = values[name] = member.parse(text) if isinstance(text, str) else text
            if isinstance(value, list) and len(value) > MOST_VALUES:
                values[name] = value[:MOST_VALUES]
                found.append(Fault(name, _query_code(name), f"takes at most {MOST_VALUES} values"))
    for name, value in values.items():
        walk = Walk()
        values[name] = known[name].reader.read(value, name, (), walk, False)
        found += [Fault(_parameter_name(f.param), _query_code(name), f.message) for f in walk.faults]
    found += [
        _foreign_id(name, prefix) for name, prefix in (ids or {}).items() if not _are_ids(values.get(name), prefix)
    ]
    missing = [name for name in required if name not in values]
    found += [Fault(name, "invalid_parameter", "is required") for name in missing]
    if found:
        first = found[0]
        details = found[:MOST_FAULTS]
        raise BadRequest(f"{first.param}: {first.message}", code=first.code, param=first.param, details=details)
    return kind(**{known[name].member: value for name, value in values.items()})


class _Parameter(NamedTuple):
    """A parameter: the member it sets, the function from its text to a JSON value, and the reader of that value."""

    member: str
    parse: Callable[[str], Any]
    reader: Reader

    @property
    def is_map(self) -> bool:
        """True if it is sent as `name[key]`, once for each key."""
        return isinstance(self.reader, MapOf)


@cache
def _compile_query(kind: Any) -> tuple[dict[str, _Parameter], list[str]]:
    """Return the parameters of a query by name, and the required ones among them."""
    members = msgspec.structs.fields(kind)
    known = {f.encode_name: _Parameter(f.name, _build_parser(f.type), compiled(f.type)) for f in members}
    return known, [f.encode_name for f in members if f.required]


def with_cursor(query_string: str, cursor: str) -> str:
    """Return this query for the page that `cursor` leads to."""
    if not query_string:
        return urlencode({"cursor": cursor})
    kept = [pair for pair in _split_pairs(query_string) if pair[0] not in ("page", "cursor")]
    return urlencode([*kept, ("cursor", cursor)])


def _split_pairs(query_string: str) -> list[tuple[str, str]]:
    try:
        text = query_string.encode("latin-1").decode()  # WSGI passes bytes on as Latin-1
        pairs = parse_qsl(text, keep_blank_values=True, errors="strict", max_num_fields=100)
    except ValueError:
        raise BadRequest("The query string is not UTF-8, or has more than 100 parameters.") from None
    seen: set[str] = set()
    for name, _ in pairs:
        if name in seen:
            raise BadRequest(f"{name} is given twice; separate several values with commas.", param=name)
        seen.add(name)
    return pairs


def _build_parser(kind: Any) -> Callable[[str], Any]:
    """Return a function from a parameter's text to the JSON value that it stands for."""
    kinds = [parts(option)[0] for option in options(kind)]
    if lists := [k for k in kinds if get_origin(k) is list]:
        parse_one = _build_parser(get_args(lists[0])[0])
        return lambda text: [parse_one(part) for part in text.split(",")]
    takes_bool, takes_int = bool in kinds, int in kinds

    def parse(text: str) -> Any:
        if takes_bool and text in ("true", "false"):
            return text == "true"
        if takes_int and text.isascii() and text.removeprefix("-").isdigit() and len(text) < 20:
            return int(text)
        return text

    return parse


def _split_name(name: str) -> tuple[str, str | None]:
    """Return the member and the key that a parameter sets: `custom_from` and `size` of `custom[size]_from`."""
    member, opens, rest = name.partition("[")
    key, closes, end = rest.rpartition("]")
    return (member + end, key) if opens and closes and end in ("", "_from", "_to") else (name, None)


def _parameter_name(path: str) -> str:
    """Return the parameter of a fault: `kind[0]` came from `kind`, `custom_from.a` from `custom[a]_from`."""
    name, inside, key = path.partition(".")
    if not inside:
        return name.partition("[")[0]
    end = next((each for each in ("_from", "_to") if name.endswith(each)), "")
    return f"{name.removesuffix(end)}[{key}]{end}"


def _query_code(name: str) -> str:
    return (
        f"invalid_{name}"
        if name in ("cursor", "sort")
        else ("invalid_parameter" if name in STEERING else "invalid_filter")
    )


def _are_ids(value: Any, prefix: str) -> bool:
    return all(
        is_id(str(id), prefix) for id in ([] if value is None else value if isinstance(value, list) else [value])
    )


def _foreign_id(name: str, prefix: str) -> Fault:
    return Fault(name, "invalid_filter", f"must be an id that begins with {prefix}_" if prefix else "must be an id")


class Choice(Struct, frozen=True):
    """The members that a route's `fields` can choose.

    `kind` is the Struct in which a record is shown, `names` maps member names in JSON to those in the Struct, `query`
    is the route's query with `fields`, and `includes` are the members that its `include` adds.
    """

    kind: Any
    names: dict[str, str]
    query: Any
    includes: frozenset[str]

    def take(self, ctx: "Context", query: Any) -> None:
        """Note the members that a query chooses. Naming a member that `include` adds includes it, and vice versa."""
        if query.fields is None:
            return
        asked = {"id", *query.fields, *self.includes.intersection(getattr(query, "include", None) or ())}
        if self.includes:
            structs.force_setattr(query, "include", sorted(asked & self.includes) or None)
        ctx.chosen = self.kind, frozenset(self.names[name] for name in asked)

    def cut(self, record: Any, asked: frozenset[str]) -> dict[str, Any]:
        """Return the chosen members of a record, in its own order."""
        return {
            name: value
            for name, member in self.names.items()
            if member in asked and (value := getattr(record, member)) is not UNSET
        }


def choice_of(endpoint: "Endpoint") -> Choice | None:
    """Return the Choice of a route; None if it is not a GET of records."""
    signature = endpoint.signature
    kind, query = signature.listed or signature.answer, signature.query or NoQuery
    members = dict(zip(kind.__struct_encode_fields__, kind.__struct_fields__, strict=True)) if is_struct(kind) else {}
    if endpoint.route.method != "GET" or "id" not in members or "fields" in query.__struct_fields__:
        return None
    taken = Annotated[list[str], Rule(lambda value: _each_once(value, members))]
    asks = msgspec.defstruct(
        query.__name__, [("fields", taken | None, None)], bases=(query,), module=query.__module__, kw_only=True
    )
    return Choice(kind, members, asks, frozenset(_includes_of(query)) & members.keys())


def version_tag(version: int, asked: frozenset[str] | None) -> str:
    """Return the ETag of a record of this version, or of the chosen members of it."""
    chosen = "-" + hashlib.sha256(",".join(sorted(asked)).encode()).hexdigest()[:8] if asked else ""
    return f'"{version}{chosen}"'


def version_in(tag: str) -> str:
    """Return the version that an ETag names, whichever members it covers."""
    return tag.strip().strip('"').partition("-")[0]


class NoQuery(Struct):
    """The query of a route that takes no parameters."""


def _each_once(names: list[str], members: dict[str, str]) -> list[str]:
    if len({*names}) < len(names) or not members.keys() >= {*names}:
        raise RuleBroken("invalid_parameter", f"takes {', '.join(members)}, each once, separated by commas")
    return names


def _includes_of(query: Any) -> Iterable[str]:
    """Return the names that a query's `include` accepts."""
    if "include" not in query.__struct_fields__:
        return []
    hint = get_type_hints(query, include_extras=True)["include"]
    lists = [bare for option in options(hint) if get_origin(bare := parts(option)[0]) is list]
    return [name for each in lists for name in get_args(get_args(each)[0])]


PARAMETER = re.compile(r"{(\w+)}")


class Signature(Struct, frozen=True):
    """A handler's contract: its body (None if it reads none), query, path parameters and answer.

    `patch` says that the body is a merge patch of that Struct; `shown` is the Struct whose members are read-only in it.
    A POST whose handler names no body still takes an empty object.
    """

    body: Any
    patch: bool
    query: Any
    params: tuple[str, ...]
    answer: Any
    shown: Any

    @property
    def listed(self) -> Any:
        """The Struct of a list's items; None if the answer is not a page."""
        return get_args(self.answer)[0] if get_origin(self.answer) is Page else None


class Endpoint(Struct, frozen=True):
    """A mounted route: its plugin, its handler's signature, and the prefixes of the ids that its filters take.

    `extended` is the resource whose body it takes, if other plugins take members of that body, too. `choice` has the
    members that its `fields` can choose. `off` are the actions of its record whose plugins are off. `general` is that
    of all businesses, if its Structs are those of one.
    """

    plugin: str
    route: Route
    signature: Signature
    ids: Mapping[str, str] = {}
    extended: Extended | None = None
    choice: Choice | None = None
    off: frozenset[str] = frozenset()
    general: "Endpoint | None" = None

    @property
    def writes(self) -> bool:
        """True if it may change records, and so runs in a write transaction."""
        return self.route.method != "GET" and self.route.stores

    def read(self, ctx: Context, tree: Any) -> tuple[Any, list[SetAside]]:
        """Return a body as its type, and the read-only members of a patch; raise one Invalid with every fault."""
        if self.general:
            return self.general.read(ctx, tree)
        signature = self.signature
        tree, faults = read_members(ctx, self, tree)
        try:
            if signature.patch:
                found = decode_patch(tree, signature.body, signature.shown)
            else:
                found = decode(tree, signature.body, signature.shown), []
        except Invalid as refused:
            faults = [*refused.details, *faults]
        if faults:
            raise Invalid.of(*faults)
        return found

    def prepare(self, ctx: Context, values: Mapping[str, Any], params: Mapping[str, str]) -> None:
        """Call the route's `prepare` with what its handler will get, before the transaction begins."""
        if self.route.prepare is None:
            return
        if self.extended and "body" in values:
            values = {**values, "body": self._taken_out(ctx, values["body"], params)[0]}
        ctx.prepare(partial(self.route.prepare, ctx, **values, **params))

    def run(self, ctx: Context, values: Mapping[str, Any], params: Mapping[str, str]) -> Any:
        """Call the handler with these values, its `query` and `body`; return its answer with the plugins' members."""
        if self.general:
            return self.general.run(ctx, values, params)
        if self.extended and "body" in values:
            body, ctx.sent_besides = self._taken_out(ctx, values["body"], params)
            values = {**values, "body": body}
        try:
            answer = self.route.handler(ctx, **values, **params)
        except NotPossible as refusal:
            raise refusal.without(self.off) from None
        if ctx.sent_besides and ctx.sent_besides.says_anything():
            raise RuntimeError(
                f"{self.route.method} {self.route.path}: its handler did not call its Records' insert or save"
            )
        answer = ctx.emitted[1] if ctx.emitted and ctx.emitted[0] is answer else fill_members(ctx, answer)
        return owning.hide_amounts(answer) if ctx.hides_amounts else answer

    def _taken_out(self, ctx: Context, body: Any, params: Mapping[str, str]) -> tuple[Any, Sent | None]:
        """Return the body without the members that plugins add, and those; worked out once for each body."""
        if ctx.taken_out is None or ctx.taken_out[0] is not body:
            assert self.extended  # noqa: S101 - who calls it has looked
            ctx.taken_out = body, self.extended.take_out(self, body, params.get("id"))
        return ctx.taken_out[1]


def endpoint_at(app: "App", method: str, path: str) -> tuple[Endpoint, dict[str, str]] | None:
    """Return the endpoint that answers at a path, which may have a query, with the path's parameters."""
    found = app.find(path.partition("?")[0])
    endpoint = app.at.get((method, found[-1])) if found else None
    return (endpoint, found[2]) if endpoint else None
