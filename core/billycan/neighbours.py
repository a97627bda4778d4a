"""Neighbours in the chain: ids of records of plugins that may be off, or come later and so cannot be imported."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from .context import Context
from .db import own
from .problems import Fault, Invalid
from .statements import Statement


def take_turns(ctx: Context) -> None:
    """Let a tenant's writes that reach from one plugin's records to another's go one after the other from here on.

    They reach both ways, so each would lock its own row and wait for the other's. Call it before a row is locked that
    such a write may wait for. SQLite has one writer anyway.
    """
    if ctx.writes and ctx.db.dialect.name == "postgresql":  # what only reads waits for nobody
        _TAKE_TURNS.all(ctx.db, {"name": f"neighbours {ctx.tenant_id}"})


_TAKE_TURNS = Statement(
    sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(sa.bindparam("name", type_=sa.Text), 0)))
)


def neighbour_index(column: str) -> sa.Index:
    """An index of a column that holds such ids, for a table: of the rows that have one, which are few."""
    there = sa.text(f"{column} IS NOT NULL")
    return sa.Index(None, "tenant_id", column, sqlite_where=there, postgresql_where=there)


class Neighbours:
    """The members that hold such ids, and the plugin each points into: `Neighbours(job_id="jobs")`.

    A plugin's main table has its name, and its manifest tells it, so nothing else of that plugin is touched.
    """

    def __init__(self, **plugins: str) -> None:
        self.plugins = plugins

    def shown(self, ctx: Context, stored: Mapping[Any, Any]) -> dict[str, str | None]:
        """The ids as clients see them: None where the plugin is off."""
        return {name: stored[name] if ctx.has(plugin) else None for name, plugin in self.plugins.items()}

    def off(self, ctx: Context) -> list[str]:
        """The members whose plugin is off: they are not written, so that what is stored stays."""
        return [name for name, plugin in self.plugins.items() if not ctx.has(plugin)]

    def check(self, ctx: Context, body: Any, stored: Mapping[Any, Any] | None = None) -> None:
        """Invalid where `body` names a record that there is not; what is `stored` already may stay."""
        named = {name: getattr(body, name) for name in self.plugins}
        if stored is not None:
            named = {name: id for name, id in named.items() if id != stored[name]}
        if gone := self.gone(ctx, named):
            raise Invalid.of(*(Fault(name, "not_found", "there is no such record") for name in gone))

    def without_gone(self, ctx: Context, members: Mapping[str, Any]) -> dict[str, Any]:
        """The members, None in place of each id whose record is gone or whose plugin is off."""
        return {**members, **dict.fromkeys(self.gone(ctx, {name: members.get(name) for name in self.plugins}))}

    def gone(self, ctx: Context, ids: Mapping[str, str | None]) -> list[str]:
        """Which of these ids, by member, name no record; from here on the writes of the chain take turns."""
        if any(ids.values()):
            take_turns(ctx)
        return [name for name, id in ids.items() if id is not None and not _exists(ctx, self.plugins[name], id)]


def _exists(ctx: Context, plugin: str, id: str) -> bool:
    tables = ctx.app.manifests[plugin].tables if ctx.has(plugin) else ()
    found = [sa.select(table.c.id).where(own(ctx, table), table.c.id == id) for table in tables if table.name == plugin]
    return any(ctx.db.execute(select).first() for select in found)
