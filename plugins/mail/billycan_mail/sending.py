"""The sender: it leases due messages, gives them to the server and records the outcomes; the database decides who
sends.

A sender holds a lease that was taken by compare-and-set and committed with the attempt. It makes the PDF to attach
unless an earlier attempt has, and records the outcome only while the row still has its token. A process that dies
meanwhile leaves an unfinished attempt: when its lease ends the message is sent again, under the same Message-ID, and is
marked as possibly arriving twice.
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

from billycan import App, Context, Row, new_id, own
from billycan.fields import Moment
from billycan.timed import Leases

from . import encryption, logos, message, pdf_attachments, records, suppressing, unsubscribe
from .relay import Outcome, Relay, Unreachable
from .schemas import read_address
from .settings import MOST_LEASE_SECONDS, Settings
from .tables import attempts, emails, files, is_free_to_send, is_open, letters, recipients

log = logging.getLogger("billycan.mail")

_AT_ONCE = 500  # businesses, and letters
_IDLE_SECONDS = 1.0
_LOOK_SECONDS = 60.0  # between checks for messages that a wrong clock postponed
_LONGEST_PAUSE_SECONDS = 60.0
_JITTER = 0.1


class Due(Struct, frozen=True):
    """A tenant's email, or a letter of the platform, that is due."""

    tenant_id: str | None
    id: str


class Lease(Struct, frozen=True):
    """The right to make one attempt, until the lease ends."""

    due: Due
    token: str  # for an email, also the attempt's id
    row: Row
    to: Sequence[Row]


def run_sender(app: App, stop: threading.Event) -> None:
    """Send until `stop` is set, then finish and record the attempt that is under way."""
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
    """A thread's connection to the server, which sends all that is due and is then closed."""

    def __init__(self, app: App) -> None:
        self.app, self.settings = app, app.settings_of(Settings)
        self._relay: Relay | None = None

    def send_due(self, stop: threading.Event | None = None) -> int:
        """Send all that is due. Return the number of attempts. Raise Unreachable if the server cannot be reached."""
        made = 0
        try:
            while found := self.due():
                for due in found:
                    if stop and stop.is_set():
                        return made
                    if lease := self.lease(due):
                        made += 1
                        self._attempt_message(lease)
        finally:
            if self._relay:
                self._relay.close()
            self._relay = None
        return made

    def bring_forward(self) -> None:
        """Make messages due that a clock which was ahead has postponed."""
        retry = float(max(self.settings.retry_offsets, default=0))
        with self.app.db.writing(across="what a wrong clock put off is anybody's") as db:
            now, found = self.app.shared_now(db), False
            for table in (emails, letters):
                longest = {"retry_seconds": retry, "lease_seconds": float(MOST_LEASE_SECONDS)}
                found |= Leases(table).bring_forward(db, is_open(table), now, **longest)
        if found:
            log.warning("messages were put off by a clock that was ahead: they are sent now")

    def due(self) -> list[Due]:
        """List what is due and not under way: letters first, then one email of each business."""
        with self.app.db.reading(across="the sender looks for what is due to anybody") as db:
            now = Leases.times(self.app.shared_now(db))
            found = [Due(None, row.id) for row in db.execute(_DUE_LETTERS, now)]
            return found + [Due(row.tenant_id, row.id) for row in db.execute(_DUE_EMAILS, now)]

    def lease(self, due: Due) -> Lease | None:
        """Lease a message and insert its attempt. Return None if another worker was faster."""
        token, app = new_id("att"), self.app
        with app.db.writing(due.tenant_id or "") as db:
            now = app.shared_now(db)
            table = letters if due.tenant_id is None else emails
            columns = {
                "status": "sending",
                "lease_token": token,
                "lease_until": Moment.of(now + timedelta(seconds=self.settings.lease_seconds)),
                "first_attempt_at": sa.func.coalesce(table.c.first_attempt_at, Leases.NOW),
                "failures": _count_failures(table),
            }
            taken = (
                sa.update(table).where(table.c.id == due.id, is_free_to_send(table)).values(columns).returning(table)
            )
            if due.tenant_id is None:
                row = db.execute(taken, Leases.times(now)).first()
                return Lease(due, token, row, ()) if row else None
            # An attempt whose lease was never ended may have arrived.
            was_given = emails.c.lease_token.is_not(None) & emails.c.paper.is_(None)  # not before its PDF is stored
            twice = emails.c.may_have_arrived_twice | emails.c.is_uncertain | was_given
            made = {"attempts_made": emails.c.attempts_made + 1, "may_have_arrived_twice": twice, "is_uncertain": False}
            mine = taken.where(emails.c.tenant_id == due.tenant_id).values(made)
            row = db.execute(mine, Leases.times(now)).first()
            if row is None:
                return None
            begun = {"id": token, "email_id": due.id, "number": row.attempts_made, "started_at": now}
            db.execute(sa.insert(attempts).values(tenant_id=due.tenant_id, **begun))
            suppressing.skip_suppressed(db, due.tenant_id, due.id, reminder=row.reminder)
            return Lease(due, token, row, _waiting_recipients(db, due))

    def _attempt_message(self, lease: Lease) -> None:
        """Send a leased message with no transaction open, and record the outcome."""
        if lease.due.tenant_id and not lease.to:
            self.record(lease, Outcome(fates={}, error="suppressed", detail=None))
            return
        if lease.row.failures > max(len(self.settings.retry_offsets), 1):
            self.record(lease, _failure_of(lease, "interrupted", "The process died at each attempt."))
            return
        try:
            if lease.due.tenant_id is not None and lease.row.paper is not None:
                row = pdf_attachments.attach_pdf(self.app, lease.row)
                if row is None:
                    return  # the process that has the lease now makes it
                lease = replace(lease, row=row)
            raw = _build_letter(self.app, lease.row) if lease.due.tenant_id is None else _build_email(self.app, lease)
        except sa.exc.SQLAlchemyError:
            raise
        except Exception:  # it would fail each time and block all others
            log.exception("no message can be made of %s", lease.due.id)
            self.record(lease, _failure_of(lease, "unusable", "No message could be made of it."))
            return
        try:
            if self._relay is None or not self._relay.is_open:
                self._relay = Relay(self.settings)
        except Unreachable as error:
            self.record(lease, Outcome(fates={}, error="unreachable", detail=str(error)))
            raise
        if lease.row.lease_until < self._read_shared_now() + timedelta(seconds=self.settings.message_seconds):
            slow = "Connecting took so long that another might send it, too."
            self.record(lease, Outcome(fates={}, error="unreachable", detail=slow))
            return
        sender = message.return_path_of(self.app, lease.due.id)
        self.record(lease, self._relay.send(sender, _addresses_of(lease), raw))

    def record(self, lease: Lease, outcome: Outcome) -> None:
        """Record the outcome of an attempt. If its lease was lost, change only the attempt's own row."""
        if lease.due.tenant_id is None:
            self._record_letter(lease, outcome)
            return
        ctx, now = Context(self.app, lease.due.tenant_id), self._read_shared_now()
        with ctx.transaction():
            ended = {"finished_at": now, "error": outcome.error, "detail": outcome.detail}
            ctx.db.execute(sa.update(attempts).where(own(ctx, attempts), attempts.c.id == lease.token).values(**ended))
            row = records.lock_email(ctx, lease.due.id)
            if row is None or row.lease_token != lease.token:
                return
            self._record_email(ctx, lease, row, outcome, now)

    def _record_email(self, ctx: Context, lease: Lease, row: Row, outcome: Outcome, now: Moment) -> None:
        for recipient in lease.to:
            fate, said = outcome.fates.get(recipient.address, ("later", outcome.detail or ""))
            status = "waiting" if fate == "later" else fate
            mine = own(ctx, recipients) & (recipients.c.id == recipient.id)
            ctx.db.execute(sa.update(recipients).where(mine).values(status=status, detail=said))
            if recipient.address in outcome.bad:
                suppressing.suppress(ctx, recipient.address, "everything", "refused", said, lease.due.id)
        values: dict[str, Any] = {"last_error": outcome.error, "is_uncertain": outcome.is_uncertain}
        retry = self._retry_at(row, now) if _waiting_recipients(ctx.db, lease.due) else None
        if retry:
            values |= {"status": "queued", "due_at": retry, "failures": row.failures + 1}
            records.end_lease(ctx, row, **values)
        else:
            records.settle_email(ctx, row, **values)

    def _record_letter(self, lease: Lease, outcome: Outcome) -> None:
        fate, _ = outcome.fates.get(lease.row.address, ("later", ""))
        retry = self._retry_at(lease.row, self._read_shared_now()) if fate == "later" else None
        values: dict[str, Any] = {"lease_until": None, "lease_token": None, "last_error": outcome.detail}
        if retry:
            values |= {"status": "queued", "due_at": retry, "failures": lease.row.failures + 1}
        else:
            values |= {"status": "sent" if fate == "sent" else "failed", "sealed": None}
            if fate != "sent":
                log.warning("the letter %s could not be delivered: %s", lease.due.id, outcome.detail)
        with self.app.db.writing() as db:
            mine = (letters.c.id == lease.due.id) & (letters.c.lease_token == lease.token)
            db.execute(sa.update(letters).where(mine).values(**values))

    def _read_shared_now(self) -> Moment:
        with self.app.db.reading() as db:
            return self.app.shared_now(db)

    def _retry_at(self, row: Row, now: Moment) -> Moment | None:
        """Return the time of the next attempt, less up to a tenth of the step as jitter. Return None after the last."""
        offsets = self.settings.retry_offsets
        if row.failures >= len(offsets):
            return None
        step = offsets[row.failures] - (offsets[row.failures - 1] if row.failures else 0)
        jitter = random.random() * _JITTER * step  # noqa: S311 - no secret
        first = min(row.first_attempt_at, now)  # a clock that was ahead may have written it
        return Moment.of(max(first + timedelta(seconds=offsets[row.failures] - jitter), now))


def _waiting_recipients(db: sa.Connection, due: Due) -> Sequence[Row]:
    """Return the recipients whom an email has not reached yet."""
    mine = (recipients.c.tenant_id == due.tenant_id) & (recipients.c.email_id == due.id)
    found = sa.select(recipients).where(mine, recipients.c.status == "waiting").order_by(recipients.c.position)
    return db.execute(found).all()


def _addresses_of(lease: Lease) -> list[str]:
    return [row.address for row in lease.to] if lease.due.tenant_id else [lease.row.address]


def _failure_of(lease: Lease, error: str, said: str) -> Outcome:
    return Outcome(fates=dict.fromkeys(_addresses_of(lease), ("failed", said)), error=error, detail=said)


def _count_failures(table: sa.Table) -> sa.ColumnElement[int]:
    """Count the failures so far, including an attempt whose lease was never ended, so that retries have an end."""
    return table.c.failures + sa.case((table.c.lease_token.is_not(None), 1), else_=0)


def _build_letter(app: App, row: Row) -> bytes:
    read_address(row.address)  # some sign-in addresses cannot get mail, such as büro@example.com
    text = encryption.decrypt_text(app, row.sealed)
    if text is None:
        raise ValueError("no secret of the deployment opens it")
    return message.build_message(app, id=row.id, at=row.created_at, subject=row.subject, text=text, to=[row.address])


def _build_email(app: App, lease: Lease) -> bytes:
    row, due = lease.row, lease.due
    with app.db.reading(due.tenant_id or "") as db:
        found = sa.select(files).where(files.c.tenant_id == due.tenant_id, files.c.id.in_([row.file_id, row.logo_id]))
        kept = {each.id: each for each in db.execute(found)} if row.file_id or row.logo_id else {}
        file = _build_file(kept[row.file_id], row.attachment["filename"]) if row.file_id else None
        logo = _build_file(kept[row.logo_id], "logo") if row.logo_id in kept and logos.shows_logo(row.html) else None
        mine = (recipients.c.tenant_id == due.tenant_id) & (recipients.c.email_id == due.id)
        shown = sa.select(recipients).where(mine, recipients.c.status.not_in(["suppressed", "held"]))
        everybody = db.execute(shown.order_by(recipients.c.position)).all()
    headers = unsubscribe.unsubscribe_headers(app, due.tenant_id or "", everybody[0].address) if row.reminder else {}
    return message.build_message(
        app,
        id=row.id,
        at=row.created_at,
        subject=row.subject,
        text=row.text,
        html=row.html,
        to=message.addresses_of_kind(everybody, "to"),
        cc=message.addresses_of_kind(everybody, "cc"),
        sender_name=row.sender_name,
        reply_to=row.reply_to,
        logo=logo,
        file=file,
        headers=headers,
    )


def _build_file(row: Any, filename: str) -> message.File:
    return message.File(filename, row.content_type, bytes(row.content))


_DUE_LETTERS = sa.select(letters.c.id).where(is_free_to_send(letters)).order_by(letters.c.due_at).limit(_AT_ONCE)
# One email of each business, which may take seconds, before the next look.
_turn = sa.func.row_number().over(partition_by=emails.c.tenant_id, order_by=emails.c.due_at)
_turns = (
    sa.select(emails.c.tenant_id, emails.c.id, emails.c.due_at, _turn.label("turn"))
    .where(is_free_to_send(emails))
    .subquery()
)
_firsts = sa.select(_turns.c.tenant_id, _turns.c.id).where(_turns.c.turn == 1)
_DUE_EMAILS = _firsts.order_by(_turns.c.due_at).limit(_AT_ONCE)
