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
