"""Index what is held, and when the others were finished: what is kept too long is looked for every ten minutes."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "webhooks_0006", "webhooks_0005"


def upgrade() -> None:
    _index("held", ["tenant_id", "endpoint_id", "created_at", "id"], "status = 'held'")
    _index("finished", ["tenant_id", "finished_at"], "finished_at IS NOT NULL")


def downgrade() -> None:
    for name in ("held", "finished"):
        op.drop_index(f"ix_webhooks_deliveries_{name}", "webhooks_deliveries")


def _index(name: str, columns: list[str], where: str) -> None:
    op.create_index(
        f"ix_webhooks_deliveries_{name}",
        "webhooks_deliveries",
        columns,
        sqlite_where=sa.text(where),
        postgresql_where=sa.text(where),
    )
