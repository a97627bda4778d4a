"""The tables of emails, their recipients and attempts, of addresses not written to, and of the platform's letters."""

from typing import Any

import sqlalchemy as sa

from billycan import ByCodePoint, Json, UTCDateTime, new_table
from billycan.timed import Leases


def _index_where(condition: str, name: str, *columns: str) -> sa.Index:
    """Return an index of only those rows for which a condition is true."""
    rows = sa.text(condition)
    return sa.Index(name, *columns, sqlite_where=rows, postgresql_where=rows)


# A message that is being sent has a lease, and its holder may record the outcome. If the lease has ended, the process
# died, and the message is sent again.
def _delivery_columns() -> tuple[sa.Column[Any], ...]:
    return (
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("due_at", UTCDateTime, nullable=False),
        sa.Column("first_attempt_at", UTCDateTime),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("lease_until", UTCDateTime),
        sa.Column("lease_token", sa.Text),
        sa.Column("last_error", sa.Text),
    )


emails = new_table(
    "mail_emails",
    *_delivery_columns(),
    sa.Column("document_id", ByCodePoint),  # no reference: an email outlives its document
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("message", sa.Text, nullable=False),
    sa.Column("text", sa.Text, nullable=False),
    sa.Column("html", sa.Text, nullable=False),
    sa.Column("sender_name", sa.Text, nullable=False),
    sa.Column("reply_to", sa.Text),
    sa.Column("reminder", sa.Boolean, nullable=False),
    sa.Column("attachment", Json),  # its filename, and its size once made
    sa.Column("paper", sa.Text),  # the document's content, until its PDF is made
    sa.Column("file_id", ByCodePoint),
    sa.Column("logo_id", ByCodePoint),  # also a file's id; shown by the HTML, or only by the PDF
    sa.Column("resend_of", ByCodePoint),
    sa.Column("held_because", sa.Text),
    sa.Column("sent_at", UTCDateTime),
    sa.Column("attempts_made", sa.Integer, nullable=False),
    sa.Column("is_uncertain", sa.Boolean, nullable=False),  # the last attempt may have arrived
    sa.Column("may_have_arrived_twice", sa.Boolean, nullable=False),
    sa.Index("ix_mail_emails_document_id", "tenant_id", "document_id", "created_at"),
    sa.Index("ix_mail_emails_status", "tenant_id", "status", "created_at", "id"),
    _index_where("status IN ('queued', 'sending')", "ix_mail_emails_due", "due_at"),
    _index_where("file_id IS NOT NULL", "ix_mail_emails_file_id", "tenant_id", "file_id"),
    _index_where("logo_id IS NOT NULL", "ix_mail_emails_logo_id", "tenant_id", "logo_id"),
    of="resource",
)

recipients = new_table(
    "mail_recipients",
    sa.Column("email_id", ByCodePoint, nullable=False),
    sa.Column("position", sa.Integer, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),  # to or cc
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("address_folded", ByCodePoint, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("detail", sa.Text),
    sa.ForeignKeyConstraint(
        ["tenant_id", "email_id"],
        ["mail_emails.tenant_id", "mail_emails.id"],
        name="fk_mail_recipients_email",
        ondelete="CASCADE",
    ),
    sa.Index("ix_mail_recipients_email_id", "tenant_id", "email_id", "position"),
    sa.Index("ix_mail_recipients_address", "tenant_id", "address_folded", "email_id"),
)

# The process died during an attempt that never finished: the message may have arrived.
attempts = new_table(
    "mail_attempts",
    sa.Column("email_id", ByCodePoint, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("started_at", UTCDateTime, nullable=False),
    sa.Column("finished_at", UTCDateTime),
    sa.Column("error", sa.Text),
    sa.Column("detail", sa.Text),
    sa.ForeignKeyConstraint(
        ["tenant_id", "email_id"],
        ["mail_emails.tenant_id", "mail_emails.id"],
        name="fk_mail_attempts_email",
        ondelete="CASCADE",
    ),
    sa.Index("ix_mail_attempts_email_id", "tenant_id", "email_id", "number"),
)

# Attachments, stored once for an email and all that send it again; and logos, stored once for all emails.
files = new_table(
    "mail_files",
    sa.Column("content", sa.LargeBinary, nullable=False),
    sa.Column("content_type", sa.Text, nullable=False),
)

suppressed = new_table(
    "mail_suppressed",
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("address_folded", ByCodePoint, nullable=False),
    sa.Column("covers", sa.Text, nullable=False),  # everything, or reminders
    sa.Column("reason", sa.Text, nullable=False),
    sa.Column("detail", sa.Text),
    sa.Column("email_id", ByCodePoint),
    sa.UniqueConstraint("tenant_id", "address_folded", "covers", name="uq_mail_suppressed_address"),
    of="resource",
)

# Letters of the platform, such as invitations: they belong to no business, and contain links that give access.
letters = new_table(
    "mail_letters",
    sa.Column("id", ByCodePoint, primary_key=True),
    *_delivery_columns(),
    sa.Column("address", sa.Text, nullable=False),
    sa.Column("subject", sa.Text, nullable=False),
    sa.Column("sealed", sa.LargeBinary),  # its text; null once it is sent or has failed
    sa.Column("created_at", UTCDateTime, nullable=False),
    _index_where("status IN ('queued', 'sending')", "ix_mail_letters_due", "due_at"),
    of="deployment",
)


def is_open(table: sa.Table) -> sa.ColumnElement[bool]:
    """Return the condition that a message is not finished."""
    # Literals, not parameters: only then does the database know that the partial index has all the rows.
    return table.c.status.in_([sa.literal_column("'queued'"), sa.literal_column("'sending'")])


def is_free_to_send(table: sa.Table) -> sa.ColumnElement[bool]:
    """Return the condition that a message is due and not leased. The statement needs the parameters of `times`."""
    return is_open(table) & Leases(table).is_free
