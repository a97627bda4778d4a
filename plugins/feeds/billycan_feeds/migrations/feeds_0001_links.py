"""Create the links to calendar feeds."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "feeds_0001", None


def upgrade() -> None:
    op.create_table(
        "feeds_links",
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
            name="fk_feeds_links_business_id_user_id",
            ondelete="CASCADE",
        ),
    )
    for columns in (["tenant_id", "user_id"], ["business_id", "user_id"]):
        op.create_index(f"ix_feeds_links_{'_'.join(columns)}", "feeds_links", columns)


def downgrade() -> None:
    op.drop_table("feeds_links")
