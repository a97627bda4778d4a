"""Create emails, their recipients, attempts and files, addresses not written to, and letters."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, Json, UTCDateTime
from billycan.migrations import create_resource_table, key_columns

revision, down_revision = "mail_0001", None


def upgrade() -> None:
    create_resource_table(
        op,
        "mail_emails",
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("due_at", UTCDateTime, nullable=False),
        sa.Column("first_attempt_at", UTCDateTime),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("lease_until", UTCDateTime),
        sa.Column("lease_token", sa.Text),
        sa.Column("last_error", sa.Text),
        sa.Column("document_id", ByCodePoint),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("message", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("html", sa.Text, nullable=False),
        sa.Column("sender_name", sa.Text, nullable=False),
        sa.Column("reply_to", sa.Text),
        sa.Column("reminder", sa.Boolean, nullable=False),
        sa.Column("attachment", Json),
        sa.Column("paper", sa.Text),
        sa.Column("file_id", ByCodePoint),
        sa.Column("logo_id", ByCodePoint),
        sa.Column("resend_of", ByCodePoint),
        sa.Column("held_because", sa.Text),
        sa.Column("sent_at", UTCDateTime),
        sa.Column("attempts_made", sa.Integer, nullable=False),
        sa.Column("is_uncertain", sa.Boolean, nullable=False),
        sa.Column("may_have_arrived_twice", sa.Boolean, nullable=False),
    )
    op.create_index("ix_mail_emails_document_id", "mail_emails", ["tenant_id", "document_id", "created_at"])
    op.create_index("ix_mail_emails_status", "mail_emails", ["tenant_id", "status", "created_at", "id"])
    _index_some("ix_mail_emails_due", "mail_emails", ["due_at"], "status IN ('queued', 'sending')")
    _index_some("ix_mail_emails_file_id", "mail_emails", ["tenant_id", "file_id"], "file_id IS NOT NULL")
    _index_some("ix_mail_emails_logo_id", "mail_emails", ["tenant_id", "logo_id"], "logo_id IS NOT NULL")
    op.create_table(
        "mail_recipients",
        *key_columns(),
        sa.Column("email_id", ByCodePoint, nullable=False),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("kind", sa.Text, nullable=False),
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
    )
    op.create_index("ix_mail_recipients_email_id", "mail_recipients", ["tenant_id", "email_id", "position"])
    op.create_index("ix_mail_recipients_address", "mail_recipients", ["tenant_id", "address_folded", "email_id"])
    op.create_table(
        "mail_attempts",
        *key_columns(),
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
    )
    op.create_index("ix_mail_attempts_email_id", "mail_attempts", ["tenant_id", "email_id", "number"])
    op.create_table(
        "mail_files",
        *key_columns(),
        sa.Column("content", sa.LargeBinary, nullable=False),
        sa.Column("content_type", sa.Text, nullable=False),
    )
    create_resource_table(
        op,
        "mail_suppressed",
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("address_folded", ByCodePoint, nullable=False),
        sa.Column("covers", sa.Text, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("detail", sa.Text),
        sa.Column("email_id", ByCodePoint),
        sa.UniqueConstraint("tenant_id", "address_folded", "covers", name="uq_mail_suppressed_address"),
    )
    op.create_table(
        "mail_letters",
        sa.Column("id", ByCodePoint, primary_key=True),
        sa.Column("status", sa.Text, nullable=False),
        sa.Column("due_at", UTCDateTime, nullable=False),
        sa.Column("first_attempt_at", UTCDateTime),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("lease_until", UTCDateTime),
        sa.Column("lease_token", sa.Text),
        sa.Column("last_error", sa.Text),
        sa.Column("address", sa.Text, nullable=False),
        sa.Column("subject", sa.Text, nullable=False),
        sa.Column("sealed", sa.LargeBinary),
        sa.Column("created_at", UTCDateTime, nullable=False),
    )
    _index_some("ix_mail_letters_due", "mail_letters", ["due_at"], "status IN ('queued', 'sending')")


def downgrade() -> None:
    for name in ("letters", "suppressed", "files", "attempts", "recipients", "emails"):
        op.drop_table(f"mail_{name}")


def _index_some(name: str, table: str, columns: list[str], where: str) -> None:
    """Index the rows alone that a condition is true of."""
    some = sa.text(where)
    op.create_index(name, table, columns, sqlite_where=some, postgresql_where=some)
