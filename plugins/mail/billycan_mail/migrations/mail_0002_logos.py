"""Keep which file is the logo of an email."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint

revision, down_revision = "mail_0002", "mail_0001"


def upgrade() -> None:
    op.add_column("mail_emails", sa.Column("logo_id", ByCodePoint))


def downgrade() -> None:
    op.drop_column("mail_emails", "logo_id")
