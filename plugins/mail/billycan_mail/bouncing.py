"""Bounces: reports on mail that could not be delivered (RFC 3464), and the suppression that follows."""

import re
from collections.abc import Sequence
from email import message_from_bytes
from email.message import Message
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Context, own
from billycan.sql import fold

from . import message, records, suppressing
from .settings import Settings
from .tables import emails, recipients

MOST_BYTES = 4 * 1024 * 1024
_ID = re.compile(r"<(eml_[0-9a-z]{1,40})@")
_BETWEEN = re.compile(r"[\s<>,;]+")
_MOST_ADDRESSES = 100  # read from a header


class Report(Struct, frozen=True):
    """The content of a report: the email it is about, and the reason for each address that failed permanently."""

    email_id: str | None
    failed: dict[str, str]


def read_report(app: App, raw: bytes) -> Report:
    """Read a report. It is empty if its return path is not ours or if it reports no failure."""
    failed: dict[str, str] = {}
    try:
        found = message_from_bytes(raw[:MOST_BYTES])  # raw headers: policy.default raises on some
        parts = [*found.walk()]
    except RecursionError:  # endlessly nested parts, which no mail server sends
        return Report(None, failed)
    for part in parts:
        if part.get_content_type() == "message/delivery-status":
            failed |= _failed_addresses(part)
    return Report(_email_id(app, found, parts), failed)


def handle_bounce(app: App, raw: bytes) -> list[str]:
    """Act on a report: suppress the addresses that failed permanently, and return them."""
    report = read_report(app, raw)
    if report.email_id is None or not report.failed:
        return []
    with app.db.reading(across="a report on an email says nothing of whose it is") as db:
        tenant_id = db.execute(sa.select(emails.c.tenant_id).where(emails.c.id == report.email_id)).scalar()
    if tenant_id is None:
        return []
    ctx = Context(app, tenant_id)
    with ctx.transaction():
        return _fail_recipients(ctx, report.email_id, report.failed)


def _fail_recipients(ctx: Context, id: str, failed: dict[str, str]) -> list[str]:
    row = records.lock_email(ctx, id)
    if row is None:
        return []
    mine = own(ctx, recipients) & (recipients.c.email_id == id)
    folded = {fold(address): said for address, said in failed.items()}
    found = ctx.db.execute(sa.select(recipients).where(mine, recipients.c.status.in_(["waiting", "sent"]))).all()
    bounced = [recipient for recipient in found if recipient.address_folded in folded]
    for recipient in bounced:
        said = folded[recipient.address_folded]
        this = own(ctx, recipients) & (recipients.c.id == recipient.id)
        ctx.db.execute(sa.update(recipients).where(this).values(status="failed", detail=said))
        suppressing.suppress(ctx, recipient.address, "everything", "bounced", said, id)
    if bounced and row.status == "sent":
        records.settle_email(ctx, row, last_error="bounced")
    return [recipient.address for recipient in bounced]


def _failed_addresses(part: Any) -> dict[str, str]:
    """Map the addresses that a status report says failed permanently to the reasons."""
    found = {}
    for fields in part.get_payload():
        address = str(fields.get("Original-Recipient") or fields.get("Final-Recipient") or "").rpartition(";")[2]
        status = str(fields.get("Status") or "").strip()
        if str(fields.get("Action") or "").strip().lower() == "failed" and status.startswith("5."):
            said = message.one_line(str(fields.get("Diagnostic-Code") or "").partition(";")[2]) or status
            found[address.strip().strip("<>")] = said[:500]
    return found


def _email_id(app: App, found: Message, parts: Sequence[Message]) -> str | None:
    """Return the email that a report is about, by the return path it was sent to, which nobody can guess."""
    for name in ("Delivered-To", "X-Original-To", "To"):
        for value in found.get_all(name) or []:
            for address in _BETWEEN.split(str(value))[:_MOST_ADDRESSES]:
                if id := message.id_of_return_path(app, address):
                    return id
    if app.settings_of(Settings).bounces:
        return None
    for part in parts:  # without return paths of our own, use the quoted Message-ID
        if found_id := _ID.search(_message_id(part)):
            return found_id[1]
    return None


def _message_id(part: Any) -> str:
    """Return text with the Message-ID that a part of a report quotes; empty if the part quotes none."""
    kind = part.get_content_type()
    if kind == "message/rfc822" and part.is_multipart():
        return str(part.get_payload(0).get("Message-ID"))
    return bytes(part.get_payload(decode=True)).decode("latin-1") if kind == "text/rfc822-headers" else ""
