"""The log in the database: written in batches, limited in size, with counts of missing requests."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.dialects import sqlite
from sqlalchemy.dialects.postgresql import JSONB

from billycan import App, Context, Route, own
from billycan.fields import Moment
from billycan.sql import upsert
from billycan.web import encode

from .settings import Settings
from .tables import days, log, writers

KEPT_DAYS = 30
_SILENT = timedelta(minutes=1)  # without a write: the process counts as dead
_MOST_TEXT = 200
_MOST_FORGOTTEN = 5_000  # at once, so that other writers do not wait for long
_DAY_MS, _DAY_0 = 86_400_000, date(1970, 1, 1).toordinal()
_SEVERAL = "requests of several businesses are written in one transaction"

Record = Callable[[sa.Connection, str, Moment], None]
Lost = Mapping[tuple[str, str], int]


class State(Struct, frozen=True):
    """The completeness of a business's log: of all requests of its days, the number listed and the number lost.

    `silent_since` has, for each process that ended without closing its log, the moment of its last write.
    """

    answered: int
    listed: int
    lost: int
    since: str | None
    silent_since: Sequence[Moment]


def day_id(at: Moment) -> str:
    """Return the day (UTC) of a moment, in the form of the ids of days."""
    return at.astimezone(UTC).date().isoformat()


def first_id(at: datetime) -> str:
    """Return the lower bound of the ids of requests from a moment on."""
    return f"{round(at.timestamp() * 1000):012x}"


def write_requests(
    db: sa.Connection, app: App, writer: str, number: int, batch: Sequence[Route.Answered], lost: Lost
) -> int:
    """Add requests to the log and count lost ones; return the number of the last request."""
    rows: list[tuple[Any, ...]] = []
    found: dict[tuple[str, int], list[int]] = {}
    for a in batch:
        number += 1
        at = round(a.at.timestamp() * 1000)
        id = f"{at:012x}{number & 0xFFFFF:05x}{writer}"
        status, took = a.status, round(a.seconds * 1_000_000)
        param = a.param and _clean_name(a.param)
        rows.append((a.tenant_id, id, at, a.caller_id, a.method, a.route, status, took, a.request_id, a.code, param))
        counts = found.get(key := (a.tenant_id, at // _DAY_MS))
        if counts is None:
            counts = found[key] = [0, 0, 0]
        counts[0] += 1
        counts[1] += status == 429
        counts[2] += status >= 500
    if rows:
        _insert_rows(db, rows)
    for (tenant_id, number_of_day), (answered, refused, failed) in sorted(found.items()):
        id = date.fromordinal(_DAY_0 + number_of_day).isoformat()
        _count_requests(
            db, tenant_id, id, {"answered": answered, "refused": refused, "failed": failed, "kept": answered}
        )
    for of, count in sorted(lost.items()):
        _count_requests(db, *of, {"lost": count, "answered": count})
    _trim_logs(db, app, {tenant_id for tenant_id, _ in found}, len(batch))
    record_writer(db, writer, app.now())
    return number


def write_lost(db: sa.Connection, writer: str, now: Moment, of: tuple[str, str], count: int) -> None:
    """Count requests of a tenant's day that cannot be written."""
    _count_requests(db, *of, {"lost": count, "answered": count})


def _clean_name(param: str) -> str:
    """Return a name from a client in a form that every database can store."""
    return param[:_MOST_TEXT].encode("utf-8", "replace").decode().replace("\0", "\N{REPLACEMENT CHARACTER}")


def _insert_rows(db: sa.Connection, rows: list[tuple[Any, ...]]) -> None:
    """Add rows in the cheapest way for each database, since every request pays for its row."""
    if db.dialect.name == "sqlite":
        db.exec_driver_sql(_ON_SQLITE, rows)
    else:
        db.execute(_ON_POSTGRESQL, {"rows": encode(rows).decode()})


def _of_json() -> sa.Insert:
    """Return an INSERT of rows sent as one JSON text: sending them one by one would take longer than all else."""
    names = [column.name for column in log.c]
    given = sa.func.jsonb_array_elements(sa.cast(sa.bindparam("rows"), JSONB)).table_valued("value").alias("r")
    value = given.c.value.op("->>")
    texts = [(value(sa.literal_column(str(i))), log.c[name].type) for i, name in enumerate(names)]
    select = sa.select(*(sa.cast(text, kind) if kind.python_type is int else text for text, kind in texts))
    row = sa.insert(log).from_select(names, select).execution_options(billycan_across=_SEVERAL)
    return row.returning(sa.literal_column("1"))  # as `Statement.Insertion` does


_ON_SQLITE = str(sa.insert(log).compile(dialect=sqlite.dialect()))
_ON_POSTGRESQL = _of_json()


def _count_requests(db: sa.Connection, tenant_id: str, id: str, counts: Mapping[str, int]) -> None:
    names = ("answered", "refused", "failed", "lost", "kept")
    row = upsert(days, db).values(tenant_id=tenant_id, id=id, **{name: counts.get(name, 0) for name in names})
    added = {name: days.c[name] + row.excluded[name] for name in names}
    db.execute(row.on_conflict_do_update(index_elements=["tenant_id", "id"], set_=added))


def _trim_logs(db: sa.Connection, app: App, tenants: Iterable[str], written: int) -> None:
    """Delete the oldest requests of logs that exceed the limit by a twentieth, so that few batches pay for it."""
    most = app.settings_of(Settings).most
    kept = sa.func.sum(days.c.kept)
    large = sa.select(days.c.tenant_id, kept.label("kept")).where(days.c.tenant_id.in_(sorted(tenants)))
    large = large.group_by(days.c.tenant_id).having(kept > most * 21 // 20).order_by(days.c.tenant_id)
    for row in db.execute(large.execution_options(billycan_across=_SEVERAL)).all():
        _forget_requests(db, row.tenant_id, min(int(row.kept) - most, _MOST_FORGOTTEN + written))


def record_writer(db: sa.Connection, id: str, now: Moment) -> None:
    """Record that a process has written all requests answered so far."""
    row = upsert(writers, db).values(id=id, wrote_at=now)
    db.execute(row.on_conflict_do_update(index_elements=["id"], set_={"wrote_at": now}))


def forget_writer(db: sa.Connection, id: str, now: Moment) -> None:
    """Delete the row of a process that has written everything, and rows of processes that died long ago."""
    old = writers.c.wrote_at < now - timedelta(days=KEPT_DAYS + 1)
    db.execute(sa.delete(writers).where((writers.c.id == id) | old))


def with_old(db: sa.Connection, now: Moment) -> Iterable[str]:
    """Return the tenants that have requests older than the log keeps."""
    return db.execute(sa.select(days.c.tenant_id).where(days.c.id < _first_day(now)).distinct()).scalars().all()


def forget_old(ctx: Context) -> bool:
    """Delete a batch of the tenant's requests that are too old; return True if there may be more."""
    first = _first_day(ctx.now())
    if _forget_requests(ctx.db, ctx.tenant_id, _MOST_FORGOTTEN, before=first) == _MOST_FORGOTTEN:
        return True
    ctx.db.execute(sa.delete(days).where(own(ctx, days), days.c.id < first))
    return False


def _first_day(now: Moment) -> str:
    return day_id(Moment.of(now - timedelta(days=KEPT_DAYS)))


def _forget_requests(db: sa.Connection, tenant_id: str, most: int, before: str = "") -> int:
    """Delete up to `most` of a tenant's oldest requests, or of those before a day; return the number deleted."""
    oldest = sa.select(log.c.id).where(log.c.tenant_id == tenant_id).order_by(log.c.id).limit(most)
    if before:
        oldest = oldest.where(log.c.id < first_id(datetime.fromisoformat(before).replace(tzinfo=UTC)))
    gone = sa.delete(log).where(log.c.tenant_id == tenant_id, log.c.id.in_(oldest)).returning(log.c.at)
    of_days = Counter(datetime.fromtimestamp(row.at / 1000, UTC).date().isoformat() for row in db.execute(gone))
    for id, count in sorted(of_days.items()):
        this = (days.c.tenant_id == tenant_id) & (days.c.id == id)
        db.execute(sa.update(days).where(this).values(kept=days.c.kept - count))
    return of_days.total()


def log_state(ctx: Context) -> State:
    """Return the completeness of the caller's log."""
    first = _first_day(ctx.now())
    sums = [sa.func.coalesce(sa.func.sum(days.c[name]), 0).label(name) for name in ("answered", "kept", "lost")]
    row = ctx.db.execute(sa.select(*sums).where(own(ctx, days), days.c.id >= first)).one()
    oldest = ctx.db.execute(sa.select(days.c.id).where(own(ctx, days), days.c.kept > 0).order_by(days.c.id)).first()
    silent = sa.select(writers.c.wrote_at).where(writers.c.wrote_at < ctx.now() - _SILENT)
    since = ctx.db.execute(silent.order_by(writers.c.wrote_at.desc()).limit(5)).scalars().all()
    return State(int(row.answered), int(row.kept), int(row.lost), oldest.id if oldest else None, since)
