"""The end of a closed business: its books are kept apart for as long as the law says, and all the rest is deleted."""

import logging
import re
import tempfile
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from ..context import Context
from ..fields import Moment
from ..manifest import Manifest
from ..tenants import pair_of, set_standing, standings, tenants
from . import whose
from .leaving import tables_of_the_off, write_business
from .sealing import write_sealed

if TYPE_CHECKING:
    from ..app import App

log = logging.getLogger("billycan")

YEARS_KEPT = 5  # from the end on (s 262A(4) Income Tax Assessment Act 1936; s 382-5 Taxation Administration Act 1953)
ROWS_AT_ONCE = 200  # in one transaction, for which others wait
_TIMES = 5  # that all tables are emptied, before it is left to the next round
_ACROSS = "a closed business is deleted"
_SEALED = re.compile(r"ten_[a-z0-9]+\.until-(\d{4}-\d{2}-\d{2})\.sealed")


def closed_folder(app: "App") -> Path:
    """Return the folder of the books of businesses that are gone: from the settings, or beside the database."""
    if app.settings.closed_folder:
        return Path(app.settings.closed_folder)
    beside = app.db.url.database if app.db.is_sqlite else None
    return Path(beside or "var/billycan.db").with_name("closed")


def businesses_to_end(app: "App", now: Moment) -> sa.Select[tuple[str, str]]:
    """Select the closed businesses whose time is over, and those whose end was interrupted."""
    forget_books(app)  # of which no row says when it is time
    due = sa.and_(standings.c.state == "closed", standings.c.ends_at <= now) | (standings.c.state == "leaving")
    asked = sa.select(standings.c.tenant_id, standings.c.tenant_id.label("id"))
    return asked.join(tenants, tenants.c.id == standings.c.tenant_id).where(due, tenants.c.environment == "live")


def end_business(ctx: Context, tenant_id: str) -> None:
    """Keep a closed business's books and delete the business: timed work, outside of transactions."""
    with ctx.app.db.reading(across=_ACROSS) as db:
        ids, standing = pair_of(db, ctx.tenant_id), ctx.app.standings.of(ctx.tenant_id)
    if ids is None:
        return
    if standing is None or standing.state != "leaving":  # or they were kept before it was interrupted
        keep_books(ctx.app, ids[0], ctx.app.now())
    delete_rows(ctx.app, ids)
    log.info("%s, which was closed, is deleted", ids[0])


def keep_books(app: "App", tenant_id: str, now: Moment) -> Path:
    """Seal a business, without its sandbox, into the folder of those that are gone; return the file."""
    folder = closed_folder(app)
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    until = _years_after(now.date(), YEARS_KEPT)
    path = folder / f"{tenant_id}.until-{until}.sealed"
    with tempfile.TemporaryFile(dir=folder) as file:
        write_business(app, tenant_id, file, with_sandbox=False)
        file.seek(0)
        write_sealed(file, path, app.secrets[-1])
    return path


def forget_books(app: "App") -> None:
    """Delete kept books whose time is over."""
    for path in closed_folder(app).glob("*.sealed"):
        found = _SEALED.fullmatch(path.name)
        if found and date.fromisoformat(found[1]) < app.now().date():
            path.unlink(missing_ok=True)


def delete_rows(app: "App", ids: tuple[str, ...]) -> None:
    """Delete a business and its sandbox, table by table, in steps; what was interrupted may be done again."""
    with app.db.writing(across=_ACROSS) as db:
        set_standing(db, ids, "leaving", app.now())
    app.epoch.bump()
    found = whose.find_owners(app.manifests)
    for _, offer in app.offered(Manifest.Files):
        of = offer.table.c
        with app.db.reading(across=_ACROSS) as db:
            rows = db.execute(sa.select(of.tenant_id, of.id).where(of.tenant_id.in_(ids))).all()
        for row in rows:
            offer.remove(app, row.tenant_id, row.id)
    with app.db.reading(across=_ACROSS) as db:
        off = sa.MetaData()
        if names := tables_of_the_off(db, app):
            off.reflect(db, only=names)  # and what they refer to
    for left in reversed(range(_TIMES)):
        for table in reversed([table for table in off.sorted_tables if table.name in names]):
            _delete_in_steps(app, table, table.c.tenant_id.in_(ids))
        for table in reversed(found.own):
            if table not in (tenants, standings):
                _delete_in_steps(app, table, found.rows_of(table, ids))
        try:
            with app.db.writing(across=_ACROSS) as db:
                db.execute(sa.delete(standings).where(standings.c.tenant_id.in_(ids)))
                db.execute(sa.delete(tenants).where(tenants.c.id.in_(ids)))
            break
        except sa.exc.IntegrityError:  # such as a note of a request that was answered before, written since
            if not left:
                raise
    app.epoch.bump()


def _delete_in_steps(app: "App", table: sa.Table, where: sa.ColumnElement[bool]) -> None:
    key: list[sa.Column[Any]] = [*table.primary_key]
    some = sa.select(*key).where(where).limit(ROWS_AT_ONCE)
    these = sa.tuple_(*key).in_(some) if key[1:] else key[0].in_(some)
    while True:
        with app.db.writing(across=_ACROSS) as db:
            if db.execute(sa.delete(table).where(these)).rowcount < ROWS_AT_ONCE:
                return


def _years_after(day: date, years: int) -> date:
    """Return the same day some years later; the day before 1 March for 29 February."""
    try:
        return day.replace(year=day.year + years)
    except ValueError:
        return day.replace(year=day.year + years, day=28)
