"""Keep how long a visit took in minutes; before, it was in hours with four decimals."""

import sqlalchemy as sa
from alembic import op

revision, down_revision = "visits_0002", "visits_0001"
oldest = "visits_0002"  # which does without `hours`: earlier code must have stopped


def upgrade() -> None:
    op.add_column("visits", sa.Column("minutes", sa.Integer, nullable=False, server_default="0"))
    # Hours are stored as ten-thousandths; half a minute is rounded up, and no visit takes none.
    op.execute("UPDATE visits SET minutes = (hours * 60 + 5000) / 10000")
    op.execute("UPDATE visits SET minutes = 1 WHERE minutes = 0")
    op.drop_column("visits", "hours")


def downgrade() -> None:
    op.add_column("visits", sa.Column("hours", sa.BigInteger, nullable=False, server_default="0"))
    op.execute("UPDATE visits SET hours = (minutes * 10000 + 30) / 60")
    op.drop_column("visits", "minutes")
