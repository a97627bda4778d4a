"""The resources that the calendar shows: those with a member whose role is `start`."""

import weakref
from collections.abc import Iterator, Mapping
from typing import get_args

import sqlalchemy as sa
from msgspec import Struct, structs

from billycan import Address, App, Member, Named

_found: "weakref.WeakKeyDictionary[App, tuple[Planned, ...]]" = weakref.WeakKeyDictionary()


class Planned(Struct, frozen=True, eq=False):
    """A resource: the path of its list, its scope and its table, and the members that its entries are made of.

    `places` are the members that say where it takes place, and `ended` the values of its status that end a record
    without a result.
    """

    path: str
    scope: str
    table: sa.Table
    start: str
    end: str
    assignee: str
    status: str
    titles: tuple[str, ...]
    named: tuple[str, ...]
    places: tuple[str, ...]
    ended: frozenset[str]

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def members(self) -> frozenset[str]:
        """The members of a record that the calendar shows."""
        played = (self.start, self.end, self.assignee, self.status, *self.titles, *self.named, *self.places)
        return frozenset(filter(None, (*played, "version", "updated_at")))


def planned_resources(app: App) -> tuple[Planned, ...]:
    """List the resources that the calendar shows."""
    found = _found.get(app)
    if found is None:
        found = _found[app] = tuple(_find_planned(app))
    return found


def _find_planned(app: App) -> Iterator[Planned]:
    for prefix, path in sorted(app.prefixes.items(), key=lambda pair: pair[1]):
        listed = app.at["GET", path]
        meant: Mapping[str, Member.Meaning] = Member.Meaning.of(listed.signature.listed)
        table = next((t for t in app.manifests[listed.plugin].tables if t.info.get("prefix") == prefix), None)
        start = _member_playing(meant, "start")
        if not start or table is None or start not in table.c or not listed.route.scope:
            continue
        status = _member_playing(meant, "status")
        types = {field.encode_name: field.type for field in structs.fields(listed.signature.listed)}
        yield Planned(
            path=path,
            scope=listed.route.scope,
            table=table,
            start=start,
            end=_member_playing(meant, "end"),
            assignee=_member_playing(meant, "assignee"),
            status=status,
            titles=tuple(name for name, meaning in meant.items() if meaning.role == "title"),
            named=tuple(name for name in meant if _is_named(types.get(name))),
            places=tuple(name for name, kind in types.items() if name == "location" or _is_address(kind)),
            ended=frozenset(value for value, tone in meant[status].tones.items() if tone == "ends")
            if status
            else frozenset(),
        )


def _member_playing(meant: Mapping[str, Member.Meaning], role: str) -> str:
    return next((name for name, meaning in meant.items() if meaning.role == role), "")


def _is_named(kind: object) -> bool:
    return kind is Named or getattr(kind, "__origin__", None) is Named


def _is_address(kind: object) -> bool:
    return Address in (kind, *get_args(kind))
