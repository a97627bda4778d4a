"""The end of a closed business: its books are kept apart for as long as the law says, and all the rest is deleted."""

import logging
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from ..manifest import Manifest
from ..standing import stand, standings
from ..tenants import tenants
from . import whose
from .leaving import tables_of_the_off

if TYPE_CHECKING:
    from ..app import App

log = logging.getLogger("billycan")

ROWS_AT_ONCE = 200  # in one transaction, for which others wait
_ACROSS = "a closed business is deleted"


def delete_rows(app: "App", ids: tuple[str, ...]) -> None:
    """Delete a business and its sandbox, table by table, in steps; what was interrupted may be done again."""
    with app.db.writing(across=_ACROSS) as db:
        stand(db, ids, "leaving", app.now())
    app.epoch.bump()
    found = whose.find(app.manifests)
    for _, offer in app.offered(Manifest.Files):
        of = offer.table.c
        with app.db.reading(across=_ACROSS) as db:
            rows = db.execute(sa.select(of.tenant_id, of.id).where(of.tenant_id.in_(ids))).all()
        for row in rows:
            offer.remove(app, row.tenant_id, row.id)
    with app.db.reading(across=_ACROSS) as db:
        off = sa.MetaData()
        if names := tables_of_the_off(db, app):
            off.reflect(db, only=names, resolve_fks=False)
    for table in reversed(off.sorted_tables):
        _delete(app, table, table.c.tenant_id.in_(ids))
    for table in reversed(found.own):
        if table not in (tenants, standings):
            _delete(app, table, found.rows_of(table, ids))
    with app.db.writing(across=_ACROSS) as db:
        db.execute(sa.delete(standings).where(standings.c.tenant_id.in_(ids)))
        db.execute(sa.delete(tenants).where(tenants.c.id.in_(ids)))
    app.epoch.bump()


def _delete(app: "App", table: sa.Table, where: sa.ColumnElement[bool]) -> None:
    key: list[sa.Column[Any]] = [*table.primary_key]
    some = sa.select(*key).where(where).limit(ROWS_AT_ONCE)
    these = sa.tuple_(*key).in_(some) if key[1:] else key[0].in_(some)
    while True:
        with app.db.writing(across=_ACROSS) as db:
            if db.execute(sa.delete(table).where(these)).rowcount < ROWS_AT_ONCE:
                return
