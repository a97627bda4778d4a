"""Ids that point at other records: shown by name, checked to exist, and kept from being left without their record."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Protocol

import sqlalchemy as sa

from .context import Context
from .db import own
from .engines.statements import Asked, ByIds
from .problems import Conflict, Fault, Invalid

MOST_MOVED = 4_000  # records in one transaction: each may be noted besides, and 10,000 rows are too many
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
        return [name for name, id in ids.items() if id is not None and not _record_exists(ctx, self.plugins[name], id)]


def _record_exists(ctx: Context, plugin: str, id: str) -> bool:
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


def columns_to(ctx: Context, table: sa.Table) -> dict[sa.Table, list[sa.Column[str]]]:
    """Return the columns of enabled plugins that hold ids of a table's records, by their tables, in one order.

    They are foreign keys, and what Records name in `neighbours` and `points_at`.
    """
    found: dict[sa.Table, list[sa.Column[str]]] = {}
    for other in (t for manifest in ctx.app.manifests.values() for t in manifest.tables):
        keys = [key.column_keys for key in other.foreign_key_constraints if key.referred_table is table]
        names = {name for columns in keys for name in columns if name != "tenant_id"}
        names |= {name for name, to in other.info.get("points_at", {}).items() if to == table.name and name in other.c}
        if names:
            found[other] = [column for column in other.c if column.name in names]
    return found


def lock_referring(ctx: Context, table: sa.Table, id: str) -> None:
    """Lock all records that refer to one; raise Conflict `too_many_records` if there are more than MOST_MOVED."""
    number = 0
    for other, columns in columns_to(ctx, table).items():
        refers = own(ctx, other) & sa.or_(*(column == id for column in columns))
        locked = sa.select(other.c.id).where(refers).order_by(other.c.id).limit(MOST_MOVED + 1).with_for_update()
        number += len(ctx.db.execute(locked).all())
        if number > MOST_MOVED:
            message = f"More than {MOST_MOVED:,} records refer to it, too many to move at once"
            raise Conflict(f"{message}: merge the other record into this one instead.", code="too_many_records")


def move_referring(ctx: Context, table: sa.Table, id: str, into: str) -> dict[str, list[str]]:
    """Let what refers to one record refer to another, and return the ids of the changed records by table.

    Each of them has a new version. Raise Forbidden if the caller's key may not write one of them, and Conflict
    `has_dependents` if a table allows only one record for each.
    """
    moved: dict[str, list[str]] = {}
    for other, columns in columns_to(ctx, table).items():
        is_record = "prefix" in other.info and "version" in other.c
        changes: dict[str, Any] = {"version": other.c.version + 1, "updated_at": ctx.now()} if is_record else {}
        ids = set[str]()
        for column in columns:
            moves = sa.update(other).where(own(ctx, other), column == id).values({column.name: into, **changes})
            try:
                with ctx.db.begin_nested():
                    ids.update(ctx.db.execute(moves.returning(other.c.id)).scalars())
            except sa.exc.IntegrityError:
                message = f"Both have {other.name.replace('_', ' ')}, and each record may have them only once"
                raise Conflict(f"{message}: delete those of one first.", code="has_dependents") from None
            changes = {}  # of a record whose second column names it, too
        if ids and is_record:
            ctx.require(ctx.app.scope_of(other.name, "write"))
            moved[other.name] = sorted(ids)
            ctx.touched.update(dict.fromkeys(ids))
    return moved


def deletion_refusal(ctx: Context, dependents: Mapping[str, int], instead: str = "") -> Conflict:
    """Return the refusal to delete a record that others refer to; kinds that the key may not read are not named."""
    shown = {kind: number for kind, number in sorted(dependents.items()) if ctx.may_read(kind)}
    kinds = [f"{kind.replace('_', ' ')} ({number})" for kind, number in shown.items()]
    if len(shown) < len(dependents) or not shown:
        kinds.append("other records")
    listed = " and ".join(part for part in (", ".join(kinds[:-1]), kinds[-1]) if part)
    cure = f"delete or change them first{f', or {instead}' if instead else ''}"
    return Conflict(f"Still in use by {listed}: {cure}.", code="has_dependents", dependents=shown)
