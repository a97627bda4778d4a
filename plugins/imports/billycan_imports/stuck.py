"""Imports that are not finished, for the operator's console, and what can be done about them there."""

from collections.abc import Sequence

import sqlalchemy as sa

from billycan import App, Context, Manifest, own

from .records import fault_columns, finish_import, records
from .schemas import ImportFault
from .tables import imports

_ACROSS = "the operator sees what does not move of anybody's"
_ENDED = "whoever runs this service ended the import: none of its rows was imported"
_i = imports.c


def count_imports(app: App) -> dict[str, float]:
    """Count the unfinished imports by status."""
    asked = sa.select(_i.status, sa.func.count().label("number")).where(_i.finished_at.is_(None)).group_by(_i.status)
    with app.db.reading(across=_ACROSS) as db:
        return {row.status: row.number for row in db.execute(asked)}


def list_stuck(app: App, most: int) -> Sequence[Manifest.Queue.Stuck]:
    """List the unfinished imports, the oldest first."""
    asked = sa.select(imports).where(_i.finished_at.is_(None)).order_by(_i.created_at).limit(most)
    with app.db.reading(across=_ACROSS) as db:
        rows = db.execute(asked).all()
    return [
        Manifest.Queue.Stuck(
            tenant_id=row.tenant_id,
            id=row.id,
            what=f"{row.rows:,} rows of {row.resource}",
            why=f"{row.status}, {row.rows_checked:,} rows are checked"
            + (f"; a step was repeated {row.rechecks} times" if row.rechecks else ""),
            due_at=row.updated_at,
            actions=("end",),
        )
        for row in rows
    ]


def end(app: App, tenant_id: str, id: str) -> None:
    """End an unfinished import, of which nothing is then imported."""
    with (ctx := Context(app, tenant_id)).transaction():
        this = own(ctx, imports) & (_i.id == id) & _i.finished_at.is_(None)
        row = ctx.db.execute(sa.select(imports).where(this).with_for_update()).first()
        if row is not None:
            ended = ImportFault(0, None, "unavailable", _ENDED)
            finish_import(ctx, records.save(ctx, row, **fault_columns(row, [ended])))


QUEUE = Manifest.Queue(title="Imports", count=count_imports, list_stuck=list_stuck, actions={"end": end})
