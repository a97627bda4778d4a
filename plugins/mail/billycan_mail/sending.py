"""The sender: what is due is claimed, given to the server, and recorded; the database alone decides who sends what.

Whoever sends holds a lease that was taken by compare-and-set and committed with the attempt, makes the PDF to attach
unless an earlier attempt has, and records only while its token is still the row's. A process that dies in between
leaves an attempt that never ended: when its lease is over the message goes again, under the same Message-ID, and says
that it may have arrived twice.
"""

import logging
import random
import threading
import time
from collections.abc import Sequence
from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import replace

from billycan import App, Context, Row, new_id, own, unit_of_work
from billycan.fields import Moment
from billycan.leases import NOW, bring_forward, times

from . import attaching, leaving, logos, message, records, sealing, suppressing
from .relay import Outcome, Relay, Unreachable
from .schemas import read_address
from .settings import MOST_LEASE_SECONDS, Settings
from .tables import attempts, emails, files, free, is_open, letters, recipients

log = logging.getLogger("billycan.mail")

_AT_ONCE = 500  # businesses, and letters
_IDLE_SECONDS = 1.0
_LOOK_SECONDS = 60.0  # for what a wrong clock put off
_LONGEST_PAUSE_SECONDS = 60.0
_JITTER = 0.1


class Due(Struct, frozen=True):
    """An email of a tenant, or a letter of the platform, that should be on its way."""

    tenant_id: str | None
    id: str


class Claim(Struct, frozen=True):
    """The right to make one attempt, until the lease ends."""

    due: Due
    token: str  # and of an email, the attempt's id
    row: Row
    to: Sequence[Row]


def consume(app: App, stop: threading.Event) -> None:
    """Send until `stop` is set; what is under way then is finished and recorded."""
    if not app.settings_of(Settings).url:
        return
    sender = Sender(app)
    pause, looked = 0.0, -_LOOK_SECONDS
    while not stop.wait(pause or _IDLE_SECONDS):
        try:
            if time.monotonic() - looked >= _LOOK_SECONDS:
                sender.bring_forward()
                looked = time.monotonic()
            sender.send_due(stop)
            pause = 0.0
        except Unreachable as error:
            pause = min(max(2 * pause, 2.0), _LONGEST_PAUSE_SECONDS)
            log.warning("mail waits %.0f s, because the server cannot be reached: %s", pause, error)
        except sa.exc.SQLAlchemyError as error:
            pause = 2.0
            log.warning("mail waits for the database: %s", type(error).__name__)


class Sender:
    """One thread's way to the server: a connection serves all that is due, and is closed behind them."""

    def __init__(self, app: App) -> None:
        self.app, self.settings = app, app.settings_of(Settings)
        self._relay: Relay | None = None

    def send_due(self, stop: threading.Event | None = None) -> int:
        """Send all that is due; how many attempts were made. Raises Unreachable when the server is away."""
        made = 0
        try:
            while found := self.due():
                for due in found:
                    if stop and stop.is_set():
                        return made
                    if claim := self.claim(due):
                        made += 1
                        self._attempt(claim)
        finally:
            if self._relay:
                self._relay.close()
            self._relay = None
        return made

    def bring_forward(self) -> None:
        """Make due what a clock that was ahead has put off."""
        retry = float(max(self.settings.retry_offsets, default=0))
        with self.app.db.writing(across="what a wrong clock put off is anybody's") as db:
            now, found = self.app.shared_now(db), False
            for table in (emails, letters):
                longest = {"retry_seconds": retry, "lease_seconds": float(MOST_LEASE_SECONDS)}
                found |= bring_forward(db, table, is_open(table), now, **longest)
        if found:
            log.warning("messages were put off by a clock that was ahead: they are sent now")

    def due(self) -> list[Due]:
        """What should be on its way and is not: letters first, then one email of each business."""
        with self.app.db.reading(across="the sender looks for what is due to anybody") as db:
            now = times(self.app.shared_now(db))
            found = [Due(None, row.id) for row in db.execute(_DUE_LETTERS, now)]
            return found + [Due(row.tenant_id, row.id) for row in db.execute(_DUE_EMAILS, now)]

    def claim(self, due: Due) -> Claim | None:
        """Take the lease of one, and note the attempt; None where another was quicker."""
        token, app = new_id("att"), self.app
        with app.db.writing(due.tenant_id or "") as db:
            now = app.shared_now(db)
            table = letters if due.tenant_id is None else emails
            lease = {
                "status": "sending",
                "lease_token": token,
                "lease_until": Moment.of(now + timedelta(seconds=self.settings.lease_seconds)),
                "first_attempt_at": sa.func.coalesce(table.c.first_attempt_at, NOW),
                "failures": _died(table),
            }
            taken = sa.update(table).where(table.c.id == due.id, free(table)).values(lease).returning(table)
            if due.tenant_id is None:
                row = db.execute(taken, times(now)).first()
                return Claim(due, token, row, ()) if row else None
            # A lease that nobody gave back is of an attempt that may have arrived.
            was_given = emails.c.lease_token.is_not(None) & emails.c.paper.is_(None)  # not before its PDF is stored
            twice = emails.c.may_have_arrived_twice | emails.c.is_uncertain | was_given
            made = {"attempts_made": emails.c.attempts_made + 1, "may_have_arrived_twice": twice, "is_uncertain": False}
            mine = taken.where(emails.c.tenant_id == due.tenant_id).values(made)
            row = db.execute(mine, times(now)).first()
            if row is None:
                return None
            begun = {"id": token, "email_id": due.id, "number": row.attempts_made, "started_at": now}
            db.execute(sa.insert(attempts).values(tenant_id=due.tenant_id, **begun))
            suppressing.skip(db, due.tenant_id, due.id, reminder=row.reminder)
            return Claim(due, token, row, _waiting(db, due))

    def _attempt(self, claim: Claim) -> None:
        """Send what is claimed, with no transaction open, and record what came of it."""
        if claim.due.tenant_id and not claim.to:
            self.record(claim, Outcome(fates={}, error="suppressed", detail=None))
            return
        if claim.row.failures > max(len(self.settings.retry_offsets), 1):
            self.record(claim, _given_up(claim, "interrupted", "The process died at each attempt."))
            return
        try:
            if claim.due.tenant_id is not None and claim.row.paper is not None:
                row = attaching.attach(self.app, claim.row)
                if row is None:
                    return  # whoever has the lease now makes it
                claim = replace(claim, row=row)
            raw = _letter(self.app, claim.row) if claim.due.tenant_id is None else _email(self.app, claim)
        except sa.exc.SQLAlchemyError:
            raise
        except Exception:  # it would fail each time, and hold up all the others
            log.exception("no message can be made of %s", claim.due.id)
            self.record(claim, _given_up(claim, "unusable", "No message could be made of it."))
            return
        try:
            if self._relay is None or not self._relay.is_open:
                self._relay = Relay(self.settings)
        except Unreachable as error:
            self.record(claim, Outcome(fates={}, error="unreachable", detail=str(error)))
            raise
        if claim.row.lease_until < self._now() + timedelta(seconds=self.settings.message_seconds):
            slow = "Connecting took so long that another might send it, too."
            self.record(claim, Outcome(fates={}, error="unreachable", detail=slow))
            return
        sender = message.return_path(self.app, claim.due.id)
        self.record(claim, self._relay.send(sender, _addresses(claim), raw))

    def record(self, claim: Claim, outcome: Outcome) -> None:
        """Write down what came of an attempt; one that lost its lease changes nothing but its own row."""
        if claim.due.tenant_id is None:
            self._record_letter(claim, outcome)
            return
        ctx = Context(self.app, claim.due.tenant_id, now=self._now())
        with unit_of_work(ctx):
            ended = {"finished_at": ctx.now(), "error": outcome.error, "detail": outcome.detail}
            ctx.db.execute(sa.update(attempts).where(own(ctx, attempts), attempts.c.id == claim.token).values(**ended))
            row = records.lock(ctx, claim.due.id)
            if row is None or row.lease_token != claim.token:
                return
            self._record_email(ctx, claim, row, outcome)

    def _record_email(self, ctx: Context, claim: Claim, row: Row, outcome: Outcome) -> None:
        for recipient in claim.to:
            fate, said = outcome.fates.get(recipient.address, ("later", outcome.detail or ""))
            status = "waiting" if fate == "later" else fate
            mine = own(ctx, recipients) & (recipients.c.id == recipient.id)
            ctx.db.execute(sa.update(recipients).where(mine).values(status=status, detail=said))
            if recipient.address in outcome.bad:
                suppressing.add(ctx, recipient.address, "everything", "refused", said, claim.due.id)
        values: dict[str, Any] = {"last_error": outcome.error, "is_uncertain": outcome.is_uncertain}
        retry = self._retry_at(row, ctx.now()) if _waiting(ctx.db, claim.due) else None
        if retry:
            values |= {"status": "queued", "due_at": retry, "failures": row.failures + 1}
            records.finish(ctx, row, **values)
        else:
            records.settle(ctx, row, **values)

    def _record_letter(self, claim: Claim, outcome: Outcome) -> None:
        fate, _ = outcome.fates.get(claim.row.address, ("later", ""))
        retry = self._retry_at(claim.row, self._now()) if fate == "later" else None
        values: dict[str, Any] = {"lease_until": None, "lease_token": None, "last_error": outcome.detail}
        if retry:
            values |= {"status": "queued", "due_at": retry, "failures": claim.row.failures + 1}
        else:
            values |= {"status": "sent" if fate == "sent" else "failed", "sealed": None}
            if fate != "sent":
                log.warning("the letter %s could not be delivered: %s", claim.due.id, outcome.detail)
        with self.app.db.writing() as db:
            mine = (letters.c.id == claim.due.id) & (letters.c.lease_token == claim.token)
            db.execute(sa.update(letters).where(mine).values(**values))

    def _now(self) -> Moment:
        with self.app.db.reading() as db:
            return self.app.shared_now(db)

    def _retry_at(self, row: Row, now: Moment) -> Moment | None:
        """When to try again, jitter taking up to a tenth of the step; None where all retries were made."""
        offsets = self.settings.retry_offsets
        if row.failures >= len(offsets):
            return None
        step = offsets[row.failures] - (offsets[row.failures - 1] if row.failures else 0)
        jitter = random.random() * _JITTER * step  # noqa: S311 - no secret
        first = min(row.first_attempt_at, now)  # a clock that was ahead may have written it
        return Moment.of(max(first + timedelta(seconds=offsets[row.failures] - jitter), now))


def _waiting(db: sa.Connection, due: Due) -> Sequence[Row]:
    """The recipients that an email still has to reach."""
    mine = (recipients.c.tenant_id == due.tenant_id) & (recipients.c.email_id == due.id)
    found = sa.select(recipients).where(mine, recipients.c.status == "waiting").order_by(recipients.c.position)
    return db.execute(found).all()


def _addresses(claim: Claim) -> list[str]:
    return [row.address for row in claim.to] if claim.due.tenant_id else [claim.row.address]


def _given_up(claim: Claim, error: str, said: str) -> Outcome:
    return Outcome(fates=dict.fromkeys(_addresses(claim), ("failed", said)), error=error, detail=said)


def _died(table: sa.Table) -> sa.ColumnElement[int]:
    """The failures so far, with an attempt whose lease nobody gave back: nobody gets a message again without end."""
    return table.c.failures + sa.case((table.c.lease_token.is_not(None), 1), else_=0)


def _letter(app: App, row: Row) -> bytes:
    read_address(row.address)  # people sign in with addresses that mail servers do not take, such as büro@example.com
    text = sealing.opened(app, row.sealed)
    if text is None:
        raise ValueError("no secret of the deployment opens it")
    return message.build(app, id=row.id, at=row.created_at, subject=row.subject, text=text, to=[row.address])


def _email(app: App, claim: Claim) -> bytes:
    row, due = claim.row, claim.due
    with app.db.reading(due.tenant_id or "") as db:
        found = sa.select(files).where(files.c.tenant_id == due.tenant_id, files.c.id.in_([row.file_id, row.logo_id]))
        kept = {each.id: each for each in db.execute(found)} if row.file_id or row.logo_id else {}
        file = _file(kept[row.file_id], row.attachment["filename"]) if row.file_id else None
        logo = _file(kept[row.logo_id], "logo") if row.logo_id in kept and logos.is_named(row.html) else None
        mine = (recipients.c.tenant_id == due.tenant_id) & (recipients.c.email_id == due.id)
        shown = sa.select(recipients).where(mine, recipients.c.status.not_in(["suppressed", "held"]))
        everybody = db.execute(shown.order_by(recipients.c.position)).all()
    headers = leaving.headers(app, due.tenant_id or "", everybody[0].address) if row.reminder else {}
    return message.build(
        app,
        id=row.id,
        at=row.created_at,
        subject=row.subject,
        text=row.text,
        html=row.html,
        to=message.addresses(everybody, "to"),
        cc=message.addresses(everybody, "cc"),
        sender_name=row.sender_name,
        reply_to=row.reply_to,
        logo=logo,
        file=file,
        headers=headers,
    )


def _file(row: Any, filename: str) -> message.File:
    return message.File(filename, row.content_type, bytes(row.content))


_DUE_LETTERS = sa.select(letters.c.id).where(free(letters)).order_by(letters.c.due_at).limit(_AT_ONCE)
# The first of every business, which may take seconds, before it is seen what comes next.
_turn = sa.func.row_number().over(partition_by=emails.c.tenant_id, order_by=emails.c.due_at)
_turns = sa.select(emails.c.tenant_id, emails.c.id, emails.c.due_at, _turn.label("turn")).where(free(emails)).subquery()
_firsts = sa.select(_turns.c.tenant_id, _turns.c.id).where(_turns.c.turn == 1)
_DUE_EMAILS = _firsts.order_by(_turns.c.due_at).limit(_AT_ONCE)
