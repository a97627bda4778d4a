"""Endpoints: a route with its signature, and the members of a record that a client chooses with `fields`."""

import hashlib
import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Struct, structs

from .context import Context
from .extending import Extended, Sent, fill_members
from .fields import Rule
from .manifest import Route
from .plain import is_struct, options, parts
from .problems import RuleBroken
from .resources import NotPossible, Page

if TYPE_CHECKING:
    from .app import App


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
    taken = Annotated[list[str], Rule(lambda value: _distinct(value, members))]
    asks = msgspec.defstruct(
        query.__name__, [("fields", taken | None, None)], bases=(query,), module=query.__module__, kw_only=True
    )
    return Choice(kind, members, asks, frozenset(_included(query)) & members.keys())


def version_tag(version: int, asked: frozenset[str] | None) -> str:
    """Return the ETag of a record of this version, or of the chosen members of it."""
    chosen = "-" + hashlib.sha256(",".join(sorted(asked)).encode()).hexdigest()[:8] if asked else ""
    return f'"{version}{chosen}"'


def version_in(tag: str) -> str:
    """Return the version that an ETag names, whichever members it covers."""
    return tag.strip().strip('"').partition("-")[0]


class NoQuery(Struct):
    """The query of a route that takes no parameters."""


def _distinct(names: list[str], members: dict[str, str]) -> list[str]:
    if len({*names}) < len(names) or not members.keys() >= {*names}:
        raise RuleBroken("invalid_parameter", f"takes {', '.join(members)}, each once, separated by commas")
    return names


def _included(query: Any) -> Iterable[str]:
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
    members that its `fields` can choose. `off` are the actions of its record whose plugins are off.
    """

    plugin: str
    route: Route
    signature: Signature
    ids: Mapping[str, str] = {}
    extended: Extended | None = None
    choice: Choice | None = None
    off: frozenset[str] = frozenset()

    def prepare(self, ctx: Context, values: Mapping[str, Any], params: Mapping[str, str]) -> None:
        """Call the route's `prepare` with what its handler will get, before the transaction begins."""
        if self.route.prepare is None:
            return
        if self.extended and "body" in values:
            values = {**values, "body": self._taken_out(ctx, values["body"], params)[0]}
        ctx.prepare(partial(self.route.prepare, ctx, **values, **params))

    def run(self, ctx: Context, values: Mapping[str, Any], params: Mapping[str, str]) -> Any:
        """Call the handler with these values, its `query` and `body`; return its answer with the plugins' members."""
        if self.extended and "body" in values:
            body, ctx.sent_besides = self._taken_out(ctx, values["body"], params)
            values = {**values, "body": body}
        try:
            answer = self.route.handler(ctx, **values, **params)
        except NotPossible as refusal:
            raise refusal.without(self.off) from None
        if ctx.sent_besides:
            raise RuntimeError(
                f"{self.route.method} {self.route.path}: its handler did not call its Records' insert or save"
            )
        if ctx.told and ctx.told[0] is answer:
            return ctx.told[1]
        return fill_members(ctx, answer)

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
