"""Keep with each answer to an Idempotency-Key the scopes on which it depends."""

import sqlalchemy as sa
from alembic import op

from billycan.db import Json

revision, down_revision = "core_0007", "core_0006"


def upgrade() -> None:
    op.add_column("core_idempotency", sa.Column("scopes", Json))


def downgrade() -> None:
    with op.batch_alter_table("core_idempotency") as answers:
        answers.drop_column("scopes")
