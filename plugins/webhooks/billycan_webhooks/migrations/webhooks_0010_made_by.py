"""Keep who made each endpoint, so that it can end with them."""

import sqlalchemy as sa
from alembic import op

from billycan import ByCodePoint

revision, down_revision = "webhooks_0010", "webhooks_0009"


def upgrade() -> None:
    op.add_column("webhooks_endpoints", sa.Column("made_by", ByCodePoint))


def downgrade() -> None:
    op.drop_column("webhooks_endpoints", "made_by")
