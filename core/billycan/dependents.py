"""The records that refer to one that is to be deleted: counted, and named to callers who may read them."""

from collections.abc import Mapping

import sqlalchemy as sa

from .context import Context
from .db import own
from .problems import Conflict


def check_unused(
    ctx: Context, table: sa.Table, refers: sa.ColumnElement[bool], *, kind: str = "", instead: str = ""
) -> None:
    """Raise Conflict `has_dependents` if rows of `table` refer to a record that is to be deleted.

    Use it for references that are not foreign keys, in a function that hears of the deletion. `kind` is the name of the
    rows in the refusal, if not the table's, and `instead` says what else can be done with the record.
    """
    count = sa.select(sa.func.count()).select_from(table).where(own(ctx, table), refers)
    if number := ctx.db.execute(count).scalar_one():
        raise deletion_refusal(ctx, {kind or table.name: number}, instead)


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
