"""References to records of plugins that may be off, or that come later and so cannot be imported."""

from collections.abc import Mapping
from typing import Any

import sqlalchemy as sa

from .context import Context
from .db import own
from .engines.statements import Statement
from .problems import Fault, Invalid


def take_turns(ctx: Context) -> None:
    """Serialize the tenant's writes that reach from one plugin's records to another's, from here on.

    They reach both ways, so each would lock its own row and wait for the other's. Call it before locking a row that
    such a write may wait for. SQLite has one writer anyway.
    """
    if ctx.writes and ctx.db.dialect.name == "postgresql":  # reads need not wait
        _TAKE_TURNS.all(ctx.db, {"name": f"neighbours {ctx.tenant_id}"})


_TAKE_TURNS = Statement(
    sa.select(sa.func.pg_advisory_xact_lock(sa.func.hashtextextended(sa.bindparam("name", type_=sa.Text), 0)))
)


def neighbour_index(column: str) -> sa.Index:
    """Return an index on a column of such ids, for a table: it covers only the few rows that have one."""
    there = sa.text(f"{column} IS NOT NULL")
    return sa.Index(None, "tenant_id", column, sqlite_where=there, postgresql_where=there)


class Neighbours:
    """The members that hold such ids, each with the plugin that it refers to: `Neighbours(job_id="jobs")`.

    A plugin's main table has its name, and its manifest tells it, so nothing else of that plugin is touched.
    """

    def __init__(self, **plugins: str) -> None:
        self.plugins = plugins

    def shown(self, ctx: Context, stored: Mapping[Any, Any]) -> dict[str, str | None]:
        """Return the ids as clients see them: None if the plugin is off."""
        return {name: stored[name] if ctx.has(plugin) else None for name, plugin in self.plugins.items()}

    def off(self, ctx: Context) -> list[str]:
        """List the members whose plugin is off: they are not written, so that the stored values stay."""
        return [name for name, plugin in self.plugins.items() if not ctx.has(plugin)]

    def check(self, ctx: Context, body: Any, stored: Mapping[Any, Any] | None = None) -> None:
        """Raise Invalid if `body` names a record that does not exist; ids that are `stored` already may stay."""
        named = {name: getattr(body, name) for name in self.plugins}
        if stored is not None:
            named = {name: id for name, id in named.items() if id != stored[name]}
        if gone := self.gone(ctx, named):
            raise Invalid.of(*(Fault(name, "not_found", "there is no such record") for name in gone))

    def without_gone(self, ctx: Context, members: Mapping[str, Any]) -> dict[str, Any]:
        """Return the members with None for each id whose record is gone or whose plugin is off."""
        return {**members, **dict.fromkeys(self.gone(ctx, {name: members.get(name) for name in self.plugins}))}

    def gone(self, ctx: Context, ids: Mapping[str, str | None]) -> list[str]:
        """List the members whose id names no record; from here on such writes of the tenant take turns."""
        if any(ids.values()):
            take_turns(ctx)
        return [name for name, id in ids.items() if id is not None and not _exists(ctx, self.plugins[name], id)]


def _exists(ctx: Context, plugin: str, id: str) -> bool:
    tables = ctx.app.manifests[plugin].tables if ctx.has(plugin) else ()
    found = [sa.select(table.c.id).where(own(ctx, table), table.c.id == id) for table in tables if table.name == plugin]
    return any(ctx.db.execute(select).first() for select in found)
