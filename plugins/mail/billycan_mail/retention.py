"""Retention of emails and letters, and figures of those that wait."""

from datetime import timedelta

import sqlalchemy as sa

from billycan import App, Context, own
from billycan.fields import Moment
from billycan.sql import Statement, at_most, counters, tenants
from billycan.timed import Leases

from .settings import Settings
from .tables import emails, files, is_free_to_send, is_open, letters

_LETTERS_KEPT = timedelta(days=30)
_MOST_AT_ONCE = 500  # each with its recipients and attempts
_FILES = (emails.c.file_id, emails.c.logo_id)


def too_old(app: App, now: Moment) -> sa.Select[tuple[str, str]]:
    """Select the businesses whose first email is old enough."""
    since = now - timedelta(days=app.settings_of(Settings).keep_days)
    of = counters.c.tenant_id
    # In order, so that each business's is the first entry of its part of an index.
    first = sa.select(emails.c.created_at).where(emails.c.tenant_id == of).order_by(emails.c.created_at).limit(1)
    has_old = first.correlate(counters).scalar_subquery() < since
    return sa.select(of.label("tenant_id"), of.label("id")).where(counters.c.name == emails.name, has_old)


def with_old_letters(db: sa.Connection, now: Moment) -> list[str]:
    """Return one business if any letters are old enough, because letters belong to none; otherwise no business."""
    first = sa.select(sa.func.min(tenants.c.id)).where(sa.exists().where(_is_old_letter(now)))
    return [id for id in db.execute(first).scalars() if id]


def forget_old(ctx: Context, tenant_id: str) -> bool:
    """Delete emails that finished long enough ago, with files that no other email has.

    Works on one batch; returns True if there may be more.
    """
    since = ctx.now() - timedelta(days=ctx.settings(Settings).keep_days)
    old = (emails.c.created_at < since) & (emails.c.updated_at < since)  # an index has the former
    finished = emails.c.status.in_(["sent", "failed", "held"])
    these = at_most(_MOST_AT_ONCE, emails, own(ctx, emails), finished, old)
    # Planned for this day: a plan for any day expects a third of all emails to be old, and looks at each of them.
    delete = sa.delete(emails).where(these).returning(emails.c.file_id, emails.c.logo_id)
    gone = ctx.db.execute(delete.execution_options(**{Statement.PLANNED_ANEW: True})).all()
    if ids := sorted({id for row in gone for id in row if id}):
        users = (sa.exists().where(emails.c.tenant_id == files.c.tenant_id, c == files.c.id) for c in _FILES)
        ctx.db.execute(sa.delete(files).where(own(ctx, files), files.c.id.in_(ids), *(~used for used in users)))
    return len(gone) == _MOST_AT_ONCE


def forget_letters(ctx: Context) -> bool:
    """Delete letters that finished long enough ago, a batch at a time; return True if there may be more."""
    these = at_most(_MOST_AT_ONCE, letters, _is_old_letter(ctx.now()))
    return ctx.db.execute(sa.delete(letters).where(these)).rowcount == _MOST_AT_ONCE


def _is_old_letter(now: Moment) -> sa.ColumnElement[bool]:
    return letters.c.status.in_(["sent", "failed"]) & (letters.c.created_at < now - _LETTERS_KEPT)


def count_waiting(db: sa.Connection, now: Moment) -> dict[str, float]:
    """Count the unfinished messages by kind: `email` of businesses, and `letter` of the platform."""
    found: dict[str, float] = {}
    for kind, table in (("email", emails), ("letter", letters)):
        count = sa.select(sa.func.count()).select_from(table).where(is_open(table))
        found[kind] = db.execute(count).scalar_one()
    return found


def oldest_due_seconds(db: sa.Connection, now: Moment) -> dict[str, float]:
    """Age in seconds of the oldest message that could be sent; 0 if none is waiting."""
    firsts = [
        db.execute(sa.select(sa.func.min(table.c.due_at)).where(is_free_to_send(table)), Leases.times(now)).scalar()
        for table in (emails, letters)
    ]
    found = [first for first in firsts if first]
    return {"": max((now - min(found)).total_seconds(), 0) if found else 0}


def describe_waiting(app: App) -> str:
    """Describe for `billycan doctor` if mail is sent, and how much waits."""
    settings = app.settings_of(Settings)
    with app.db.reading(across="doctor looks at the whole deployment") as db:
        now = app.shared_now(db)
        count, age = sum(count_waiting(db, now).values()), oldest_due_seconds(db, now)[""]
    waits = f"{count:,.0f} messages wait" + (f", one of them for {age:,.0f} s" if age else "")
    if not settings.url:
        return f"no mail is sent, because mail.url is not set: emails are kept as held; {waits}"
    bounces = "" if settings.bounces else "; without mail.bounces, later bounces are not noticed"
    return f"mail goes out as {settings.sender}; {waits}{bounces}"
