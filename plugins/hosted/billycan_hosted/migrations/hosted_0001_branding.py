"""Create the table of how businesses' documents look."""

import sqlalchemy as sa
from alembic import op

from billycan import UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "hosted_0001", None


def upgrade() -> None:
    op.create_table(
        "hosted_branding",
        *key_columns(),
        sa.Column("logo_attachment_id", sa.Text),
        sa.Column("accent_colour", sa.Text),
        sa.Column("footer", sa.Text),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("updated_at", UTCDateTime, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("hosted_branding")
