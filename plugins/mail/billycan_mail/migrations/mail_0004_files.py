"""Index the files of emails: whoever forgets an email asks whether others have its files."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "mail_0004", "mail_0003"


def upgrade() -> None:
    for name in ("file_id", "logo_id"):
        some = sa.text(f"{name} IS NOT NULL")
        columns = ["tenant_id", name]
        op.create_index(f"ix_mail_emails_{name}", "mail_emails", columns, sqlite_where=some, postgresql_where=some)


def downgrade() -> None:
    for name in ("file_id", "logo_id"):
        op.drop_index(f"ix_mail_emails_{name}", "mail_emails")
