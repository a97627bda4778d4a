"""Ids that point at other records: shown by name, checked to exist, and kept from being left without their record."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import sqlalchemy as sa

from .context import Context
from .db import own
from .engines.statements import Asked, ByIds
from .problems import Conflict, Fault, Invalid

Names = Callable[[Context, Iterable[str]], Mapping[str, str]]


class LockingNames(Protocol):
    """The type of the functions that `names_of` returns; `asked` is a statement for `at_once` that looks one id up."""

    asked: Callable[..., Asked]

    def __call__(self, ctx: Context, ids: Iterable[str], *, lock: bool = False) -> dict[str, str]: ...


def names_of(column: sa.Column[str]) -> LockingNames:
    """See `Records.names_of`."""
    table = column.table

    named = sa.select(table.c.id, column)
    # In one order, to avoid deadlocks.
    in_order = named.order_by(table.c.id).with_for_update(read=True, key_share=True)
    found, locked = ByIds(named, table.c.id), ByIds(in_order, table.c.id)

    def names(ctx: Context, ids: Iterable[str], *, lock: bool = False) -> dict[str, str]:
        return {row[0]: row[1] for row in (locked if lock else found).all(ctx.db, ctx.tenant_id, ids)}

    def asked(ctx: Context, id: str, *, lock: bool = False) -> Asked:
        return (locked if lock else found).asked(ctx.tenant_id, id)

    names.asked = asked  # type: ignore[attr-defined]
    return names  # type: ignore[return-value]


class Neighbours:
    """Members with ids of records of plugins that may be off: `Neighbours(job_id="jobs")`.

    A plugin's main table has its name, and its manifest tells it, so nothing else of that plugin is touched.
    """

    def __init__(self, **plugins: str) -> None:
        self.plugins = plugins

    @staticmethod
    def index(column: str) -> sa.Index:
        """Return an index on a column of such ids, for a table: it covers only the few rows that have one."""
        there = sa.text(f"{column} IS NOT NULL")
        return sa.Index(None, "tenant_id", column, sqlite_where=there, postgresql_where=there)

    @staticmethod
    def check_unused(
        ctx: Context, table: sa.Table, refers: sa.ColumnElement[bool], *, kind: str = "", instead: str = ""
    ) -> None:
        """Raise Conflict `has_dependents` if rows of `table` refer to a record that is to be deleted.

        Use it for references that are not foreign keys, in a function that hears of the deletion. `kind` is the name of
        the rows in the refusal, if not the table's, and `instead` says what else can be done with the record.
        """
        count = sa.select(sa.func.count()).select_from(table).where(own(ctx, table), refers)
        if number := ctx.db.execute(count).scalar_one():
            raise deletion_refusal(ctx, {kind or table.name: number}, instead)

    def shown(self, ctx: Context, stored: Mapping[Any, Any]) -> dict[str, str | None]:
        """Return the ids as clients see them: None if the plugin is off."""
        return {name: stored[name] if ctx.has(plugin) else None for name, plugin in self.plugins.items()}

    def off(self, ctx: Context) -> list[str]:
        """List the members whose plugin is off: they are not written, so that the stored values stay."""
        return [name for name, plugin in self.plugins.items() if plugin not in ctx.app.manifests]

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
            ctx.take_turns()
        return [name for name, id in ids.items() if id is not None and not _exists(ctx, self.plugins[name], id)]


def _exists(ctx: Context, plugin: str, id: str) -> bool:
    tables = ctx.app.manifests[plugin].tables if ctx.has(plugin) else ()
    found = [sa.select(table.c.id).where(own(ctx, table), table.c.id == id) for table in tables if table.name == plugin]
    return any(ctx.db.execute(select).first() for select in found)


def by_foreign_keys(ctx: Context, table: sa.Table, id: str) -> dict[str, int]:
    """Count the records of each kind that refer to a row; parts of the record itself are not counted."""
    found = {}
    for other in (t for m in ctx.app.manifests.values() for t in m.tables if "prefix" in t.info):
        keys = [k for k in other.foreign_key_constraints if k.referred_table is table]
        refers = [column == id for k in keys for column in k.columns if column.name != "tenant_id"]
        count = sa.select(sa.func.count()).select_from(other).where(own(ctx, other), sa.or_(sa.false(), *refers))
        if refers and (number := ctx.db.execute(count).scalar_one()):
            found[other.name] = number
    return found


def deletion_refusal(ctx: Context, dependents: Mapping[str, int], instead: str = "") -> Conflict:
    """Return the refusal to delete a record that others refer to; kinds that the key may not read are not named."""
    shown = {kind: number for kind, number in sorted(dependents.items()) if ctx.may_read(kind)}
    kinds = [f"{kind.replace('_', ' ')} ({number})" for kind, number in shown.items()]
    if len(shown) < len(dependents) or not shown:
        kinds.append("other records")
    listed = " and ".join(part for part in (", ".join(kinds[:-1]), kinds[-1]) if part)
    cure = f"delete or change them first{f', or {instead}' if instead else ''}"
    return Conflict(f"Still in use by {listed}: {cure}.", code="has_dependents", dependents=shown)
