"""Handlers of emails: one function for each route."""

import sqlalchemy as sa
from msgspec import Struct

from billycan import Conflict, Context, Deleted, NotFound, Page, Reply, Row, own

from . import pdf_attachments, records, sandboxes
from .document_email import check_recipients
from .schemas import Email, EmailQuery, ListedEmail
from .tables import emails, files, recipients


def list_emails(ctx: Context, query: EmailQuery) -> Page[ListedEmail]:
    """The emails to the business's clients, newest first, without their attempts.

    Emails of the platform itself, such as invitations, are not included. What an email says is null for a key that may
    not read its document.
    """
    return records.list_emails(ctx, query)


def get_email(ctx: Context, id: str) -> Email:
    """One email, with every attempt to send it.

    `sent` means that the mail server accepted it. Opens are not tracked. `subject`, `message` and `text` are null for a
    key that may not read the document.
    """
    return records.get_email(ctx, id)


def resend_email(ctx: Context, id: str) -> Email:
    """Send an email again as it was, attachment included: a new email to the same addresses.

    Refused with `invalid_state_transition` while the email is still being sent, with `address_suppressed` if every
    recipient is suppressed, and with `too_many_emails` once the business has reached its limit for 24 hours.
    """
    row = records.find_email(ctx, id)
    _require_document(ctx, row)
    ctx.check_version(row.version)
    if row.status not in records.FINISHED:
        raise Conflict(
            "The email is still on its way.", code="invalid_state_transition", status=row.status, allowed_actions=[]
        )
    mine = sa.select(recipients).where(own(ctx, recipients), recipients.c.email_id == id)
    found = ctx.db.execute(mine.order_by(recipients.c.position)).all()
    to, cc = ([r.address for r in found if r.kind == kind] for kind in ("to", "cc"))
    check_recipients(ctx, to, cc, reminder=row.reminder)
    copied = ("document_id", "subject", "message", "text", "html", "sender_name", "reply_to", "reminder")
    again = records.queue_email(
        ctx,
        to=to,
        cc=cc,
        may_get=sandboxes.allowed_recipients(ctx),
        file_id=row.file_id,
        logo_id=row.logo_id,
        resend_of=id,
        attachment=row.attachment,
        paper=row.paper,
        **{name: row._mapping[name] for name in copied},
    )
    return records.show_written(ctx, again)


def get_email_pdf(ctx: Context, id: str) -> Reply:
    """The PDF that was attached to an email, as it was sent; if it was not sent yet, as it will be.

    The key also needs the read scope of the document; otherwise `insufficient_scope`. Refused with `too_many_pdfs` if
    the PDF is yet to be made and 2 PDF files of the business are being made.
    """
    row = records.find_email(ctx, id)
    if row.attachment is None:
        raise NotFound("Nothing is attached to this email.")
    _require_document(ctx, row)
    if row.file_id is None:
        content = pdf_attachments.make_pdf(ctx, row).content
    else:
        kept = sa.select(files.c.content).where(own(ctx, files), files.c.id == row.file_id)
        content = bytes(ctx.db.execute(kept).scalar_one())
    name = row.attachment["filename"].encode("ascii", "replace").decode().replace('"', "'").replace("\\", "_")
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "X-Content-Type-Options": "nosniff"}
    return Reply(content, "application/pdf", headers)


def _require_document(ctx: Context, row: Row) -> None:
    """Raise Forbidden unless the key may read the document of an email."""
    for each in records.documents_in(ctx.app, row.document_id):
        ctx.require(ctx.app.scope_of(each))


class MergedContact(Struct):
    """A contact into which another was merged.

    id: Its id.
    merged: The other, which is gone.
    """

    id: str
    merged: Deleted


def move_statements(ctx: Context, contact: MergedContact) -> None:
    """Let the emails of statements of a contact that was merged into another be about the one that is left."""
    theirs = own(ctx, emails) & (emails.c.document_id == contact.merged.id)
    ctx.db.execute(sa.update(emails).where(theirs).values(document_id=contact.id))
