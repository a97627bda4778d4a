"""Create the tables of notifications; add when a person finished the first steps."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint, UTCDateTime
from billycan.migrations import key_columns

revision, down_revision = "users_0002", "users_0001"


def upgrade() -> None:
    op.add_column("users_roles", sa.Column("settled_at", UTCDateTime))
    op.create_table(
        "users_notification_rules",
        *key_columns(),
        sa.Column("user_id", ByCodePoint, nullable=False),
        sa.Column("how", sa.Text, nullable=False),
    )
    op.create_index(
        "ix_users_notification_rules_tenant_id_user_id", "users_notification_rules", ["tenant_id", "user_id"]
    )
    op.create_table("users_untold", *key_columns(), sa.Column("created_at", UTCDateTime, nullable=False))
    op.create_index("ix_users_untold_created_at", "users_untold", ["created_at"])
    op.create_table(
        "users_digests",
        *key_columns(),
        sa.Column("user_id", ByCodePoint, nullable=False),
        sa.Column("event_id", ByCodePoint, nullable=False),
        sa.Column("due_at", UTCDateTime, nullable=False),
    )
    op.create_index("ix_users_digests_due_at", "users_digests", ["due_at"])
    op.create_index("ix_users_digests_tenant_id_user_id_id", "users_digests", ["tenant_id", "user_id", "id"])


def downgrade() -> None:
    op.drop_table("users_digests")
    op.drop_table("users_untold")
    op.drop_table("users_notification_rules")
    op.drop_column("users_roles", "settled_at")
