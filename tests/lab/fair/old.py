"""Rows that are past their retention, inserted directly, for each timed task that goes from business to business."""

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

import sqlalchemy as sa

from billycan import Context, UTCDateTime, new_id, own
from billycan.app import App
from billycan.counters import EVENTS, advance, advance_both
from billycan.events import BYTES, events
from billycan.idempotency import answers
from billycan.timed import mornings
from billycan.working.worker import put_off
from billycan_apps import tables as apps
from billycan_mail.tables import emails
from billycan_requests.keeping import first_id
from billycan_requests.tables import days, log
from billycan_webhooks.retention import MOST_RESPONSE_BYTES
from billycan_webhooks.tables import attempts, deliveries, endpoints

LONG = timedelta(days=3_700)  # longer than any setting lets anything be kept
AT_ONCE = 1_000
PLAIN: tuple[tuple[type, Any], ...] = ((sa.Text, ""), (sa.Integer, 0), (sa.Boolean, False), (sa.LargeBinary, b""))

# Of which rows each task finds nothing any more once it is done.
TASKS: dict[str, tuple[sa.Table, Callable[[datetime], sa.ColumnElement[bool]]]] = {
    "core.forget_old": (answers, lambda past: answers.c.created_at <= past),
    "core.forget_old_events": (events, lambda past: events.c.created_at <= past),  # but the newest of its name
    "core.forget_put_off": (put_off, lambda past: put_off.c.until <= past),
    "core.forget_mornings": (mornings, lambda past: mornings.c.day <= past.date()),
    "apps.forget_old": (apps.access_tokens, lambda past: apps.access_tokens.c.expires_at <= past),
    "mail.forget_old": (emails, lambda past: emails.c.created_at <= past),
    "requests.forget_old": (log, lambda past: log.c.id <= first_id(past + timedelta(days=1))),
    "webhooks.tidy_deliveries": (deliveries, lambda past: deliveries.c.finished_at <= past),
    "webhooks.trim_answers": (attempts, lambda past: attempts.c.response_bytes > 1024),
}
NEWEST = {"core.forget_old_events": 1}


def fill(ctx: Context, count: int) -> None:
    """Insert this many rows for each of these tasks, in transactions of a thousand."""
    past = ctx.now() - LONG
    ids = {name: new_id(name) for name in ("app", "cnx", "ocd")}
    _insert(ctx, apps.apps, past, [{"id": ids["app"], "business_id": ctx.tenant_id}])
    _insert(ctx, apps.connections, past, [{"id": ids["cnx"], "app_id": ids["app"]}])
    code = {"connection_id": ids["cnx"], "digest": ids["ocd"].encode(), "expires_at": ctx.now()}
    _insert(ctx, apps.codes, past, [{"id": ids["ocd"], **code}])
    whose = {"connection_id": ids["cnx"], "code_id": ids["ocd"]}
    tokens = [new_id("oat") for _ in range(count)]
    _insert(ctx, apps.access_tokens, past, [{"id": id, **whose, "digest": id.encode()} for id in tokens])
    _insert(ctx, answers, past, [{"key": f"old {i}", "body": b"{}" * 200} for i in range(count)])
    _insert(ctx, put_off, past, [{"task": "contest", "id": f"con_{i}"} for i in range(count)])
    _insert(ctx, mornings, past, [{"what": "contest", "id": f"con_{i}", "day": past.date()} for i in range(count)])
    with ctx.app.db.writing(ctx.tenant_id) as ctx.db:
        last = advance_both(ctx, EVENTS, count + 1, BYTES, 2 * (count + 1))
        advance(ctx, emails.name, count)
        advance(ctx, endpoints.name)  # a business without one has no deliveries
    named = {"event": "contact.updated", "data": "{}"}
    _insert(ctx, events, past, [{"id": new_id("evt"), "sequence": last - i, **named} for i in range(count + 1)])
    _insert(ctx, emails, past, [{"id": new_id("eml"), "status": "sent", "version": 1} for _ in range(count)])
    _insert(ctx, log, past, [{"id": f"{first_id(past)}{i:020}"} for i in range(count)])
    _insert(ctx, days, past, [{"id": past.date().isoformat(), "kept": count}])
    for at in (past, ctx.now()):  # the answers to those of today are too large
        made = [new_id("dlv") for _ in range(count)]
        finished = {"status": "delivered", "finished_at": at}
        _insert(ctx, deliveries, at, [{"id": id, **finished} for id in made])
        size = {"response_bytes": 0 if at == past else 2 * MOST_RESPONSE_BYTES // count + 1025}
        _insert(ctx, attempts, at, [{"id": new_id("att"), "delivery_id": id, **size} for id in made])


def left(app: App, tenant_id: str) -> dict[str, int]:
    """Count the rows that each of these tasks has still to handle."""
    ctx, found = Context(app, tenant_id), {}
    with app.db.reading(tenant_id) as ctx.db:
        for name, (table, is_old) in TASKS.items():
            these = own(ctx, table) & is_old(ctx.now() - LONG)
            count = ctx.db.execute(sa.select(sa.func.count()).select_from(table).where(these)).scalar_one()
            found[name] = count - NEWEST.get(name, 0)
        size = sa.select(sa.func.sum(attempts.c.response_bytes)).where(own(ctx, attempts))
        found["webhooks.trim_answers"] *= (ctx.db.execute(size).scalar() or 0) > MOST_RESPONSE_BYTES
    return found


def _insert(ctx: Context, table: sa.Table, past: datetime, rows: list[dict[str, Any]]) -> None:
    """Insert rows; a required column without a value gets the plainest one."""
    plain = {c.name: _plain(c, past) for c in table.c if not c.nullable} | {"tenant_id": ctx.tenant_id}
    plain = {name: value for name, value in plain.items() if name in table.c}
    for first in range(0, len(rows), AT_ONCE):
        with ctx.app.db.writing(ctx.tenant_id) as ctx.db:
            ctx.db.execute(sa.insert(table), [plain | row for row in rows[first : first + AT_ONCE]])


def _plain(column: sa.Column[Any], past: datetime) -> Any:
    if isinstance(column.type, UTCDateTime):
        return past
    return next((value for kind, value in PLAIN if isinstance(column.type, kind)), {})
