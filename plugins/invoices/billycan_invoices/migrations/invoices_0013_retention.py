"""Keep what a progress claim says of the contract, and what of it the client retains."""

import sqlalchemy as sa
from alembic import op

from billycan import Cents, Json

revision, down_revision = "invoices_0013", "invoices_0012"


def upgrade() -> None:
    op.add_column("invoices", sa.Column("progress_claim", Json))
    op.add_column("invoices", sa.Column("retained", Cents()))
    op.add_column("invoices", sa.Column("retained_parts", Json))


def downgrade() -> None:
    for name in ("progress_claim", "retained", "retained_parts"):
        op.drop_column("invoices", name)
