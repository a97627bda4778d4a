"""The members of a record that a client asks for: `fields=number,total` on any GET of records, single or listed."""

import hashlib
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

import msgspec
from msgspec import UNSET, Struct, structs

from .fields import Rule
from .plain import is_struct, options, parts
from .problems import RuleBroken

if TYPE_CHECKING:
    from .context import Context
    from .endpoints import Endpoint


class Choice(Struct, frozen=True):
    """What a route's `fields` chooses from.

    `kind` is the Struct that a record is shown as, `names` gives by a member's name in JSON that in the Struct, `query`
    is the route's query with `fields`, and `includes` the members that its `include` adds.
    """

    kind: Any
    names: dict[str, str]
    query: Any
    includes: frozenset[str]

    def take(self, ctx: "Context", query: Any) -> None:
        """Note what a query asks for; to name a member that `include` adds is enough, and to include it names it."""
        if query.fields is None:
            return
        asked = {"id", *query.fields, *self.includes.intersection(getattr(query, "include", None) or ())}
        if self.includes:
            structs.force_setattr(query, "include", sorted(asked & self.includes) or None)
        ctx.chosen = self.kind, frozenset(self.names[name] for name in asked)

    def cut(self, record: Any, asked: frozenset[str]) -> dict[str, Any]:
        """These members of a record, in its own order."""
        return {
            name: value
            for name, member in self.names.items()
            if member in asked and (value := getattr(record, member)) is not UNSET
        }


def of(endpoint: "Endpoint") -> Choice | None:
    """What the `fields` of a route chooses from; None for a route that is no GET of records."""
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


def tag(version: int, asked: frozenset[str] | None) -> str:
    """The ETag of a record of this version, or of these members of it."""
    chosen = "-" + hashlib.sha256(",".join(sorted(asked)).encode()).hexdigest()[:8] if asked else ""
    return f'"{version}{chosen}"'


def version_in(tag: str) -> str:
    """The version that an ETag names, whatever members it was of."""
    return tag.strip().strip('"').partition("-")[0]


class NoQuery(Struct):
    """The query of a route that takes no parameters."""


def _distinct(names: list[str], members: dict[str, str]) -> list[str]:
    if len({*names}) < len(names) or not members.keys() >= {*names}:
        raise RuleBroken("invalid_parameter", f"takes {', '.join(members)}, each once, separated by commas")
    return names


def _included(query: Any) -> Iterable[str]:
    """The names that a query's `include` takes."""
    if "include" not in query.__struct_fields__:
        return []
    hint = get_type_hints(query, include_extras=True)["include"]
    lists = [bare for option in options(hint) if get_origin(bare := parts(option)[0]) is list]
    return [name for each in lists for name in get_args(get_args(each)[0])]
