"""Create the links to calendar feeds."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "calendar_feeds_0001", None


def upgrade() -> None:
    op.create_table(
        "calendar_feeds_links",
        *key_columns(),
        sa.Column("user_id", ByCodePoint, nullable=False),
        sa.Column("business_id", ByCodePoint, nullable=False),
        sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("read_at", UTCDateTime),
        sa.ForeignKeyConstraint(
            ["business_id", "user_id"],
            ["users_roles.tenant_id", "users_roles.id"],
            name="fk_calendar_feeds_links_business_id_user_id",
            ondelete="CASCADE",
        ),
    )
    for columns in (["tenant_id", "user_id"], ["business_id", "user_id"]):
        op.create_index(f"ix_calendar_feeds_links_{'_'.join(columns)}", "calendar_feeds_links", columns)


def downgrade() -> None:
    op.drop_table("calendar_feeds_links")
