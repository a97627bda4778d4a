"""Keep what the PDF of an email is made from, until the sender makes it."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "mail_0003", "mail_0002"


def upgrade() -> None:
    op.add_column("mail_emails", sa.Column("paper", sa.Text))


def downgrade() -> None:
    op.drop_column("mail_emails", "paper")
