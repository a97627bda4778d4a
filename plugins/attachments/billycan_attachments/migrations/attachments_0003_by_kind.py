"""Find the attachments of one resource in any business."""

from alembic import op

revision, down_revision = "attachments_0003", "attachments_0002"


def upgrade() -> None:
    op.create_index("ix_attachments_kind", "attachments", ["kind"])


def downgrade() -> None:
    op.drop_index("ix_attachments_kind", "attachments")
