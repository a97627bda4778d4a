"""The resources whose changes can be followed: those whose records are told of by events from the first on."""

import weakref
from collections.abc import Iterable, Iterator, Mapping, Sequence

from msgspec import Struct

from billycan import App, BadRequest, Context, Forbidden

# What the event of a new record may be called.
_NEW = ("created", "recorded")


class Followed(Struct, frozen=True):
    """A resource: its name, the path of its list, the prefix of its ids, the scope to read it, and its events."""

    name: str
    path: str
    prefix: str
    scope: str
    events: frozenset[str]


_found: "weakref.WeakKeyDictionary[App, Mapping[str, Followed]]" = weakref.WeakKeyDictionary()


def followed_resources(app: App) -> Mapping[str, Followed]:
    """Map the name of each resource that can be followed to it."""
    found = _found.get(app)
    if found is None:
        found = _found[app] = {each.name: each for each in _find_followed(app)}
    return found


def followed_prefixes(app: App) -> frozenset[str]:
    """Return the prefixes of the ids of all records that can be followed."""
    return frozenset(each.prefix for each in followed_resources(app).values())


def _find_followed(app: App) -> Iterator[Followed]:
    for prefix, path in app.prefixes.items():
        listed = app.at["GET", path]
        single = app.at.get(("GET", f"{path}/{{id}}"))
        if single is None or not listed.route.scope or "{" in path:
            continue
        kinds = {listed.signature.listed, single.signature.answer}
        nouns = {name.partition(".")[0] for name, kind in app.events.items() if kind in kinds}
        if any(f"{noun}.{new}" in app.events for noun in nouns for new in _NEW):
            events = frozenset(name for name in app.events if name.partition(".")[0] in nouns)
            yield Followed(path.rpartition("/")[2], path, prefix, listed.route.scope, events)


def asked_resources(ctx: Context, names: Sequence[str] | None) -> Mapping[str, Followed]:
    """Map the prefixes of the resources that a client asks for, or of all that it may read, to the resources.

    Raise BadRequest for a name that is none, and Forbidden if the key lacks a scope.
    """
    known = followed_resources(ctx.app)
    if unknown := [name for name in names or () if name not in known]:
        raise BadRequest(
            f"resources: {unknown[0][:100]!r} cannot be followed: use {', '.join(sorted(known)) or 'none'}.",
            code="invalid_filter",
            param="resources",
        )
    asked = [known[name] for name in names] if names else [each for each in known.values() if ctx.holds(each.scope)]
    if not asked:
        raise Forbidden("This key may read none of the resources that can be followed.", required_scope="read")
    for each in asked:
        ctx.require(each.scope)
    return {each.prefix: each for each in asked}


def check_includes(ctx: Context, asked: Iterable[Followed], names: Sequence[str]) -> None:
    """Raise BadRequest for a name that none of these resources can include."""
    choices = [ctx.app.at["GET", each.path].choice for each in asked] if names else []
    known = sorted({name for choice in choices if choice for name in choice.includes})
    if unknown := [name for name in names if name not in known]:
        raise BadRequest(
            f"include: {unknown[0][:100]!r} is in none of these resources: use {', '.join(known) or 'none'}.",
            code="invalid_parameter",
            param="include",
        )
