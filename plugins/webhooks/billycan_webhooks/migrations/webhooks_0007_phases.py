"""Keep how long each phase of an attempt took, and what TLS or the connecting said."""

import sqlalchemy as sa
from alembic import op

from billycan import Json

revision, down_revision = "webhooks_0007", "webhooks_0006"


def upgrade() -> None:
    op.add_column("webhooks_attempts", sa.Column("phases", Json))
    op.add_column("webhooks_attempts", sa.Column("detail", sa.Text))


def downgrade() -> None:
    op.drop_column("webhooks_attempts", "detail")
    op.drop_column("webhooks_attempts", "phases")
