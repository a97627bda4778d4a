"""Lists with page numbers alone: no cursors, and the page after the last one is empty."""

from typing import Any

import sqlalchemy as sa

from billycan import Context, Manifest, Page, Paging, Row, hookimpl

manifest = Manifest(name="numbered")


@hookimpl
def paginate(ctx: Context, found: Any, query: Paging) -> Page[Row]:
    """Return one page of the rows that a list found, and their number."""
    number, most = query.page or 1, query.per_page or 25
    every = sa.select(found.table).where(*found.where)
    total = ctx.db.execute(sa.select(sa.func.count()).select_from(every.subquery())).scalar_one()
    keys = [key.column.desc() if key.descending else key.column for key in found.order]
    rows = ctx.db.execute(every.order_by(*keys).limit(most).offset((number - 1) * most)).all()
    return Page(list(rows), number, most, total, has_more=number * most < total)
