"""Keep when the next visit is to be announced: what is planned already, at the start of its day in UTC."""

from datetime import UTC, datetime, time

import sqlalchemy as sa
from alembic import op

from billycan import UTCDateTime

revision, down_revision = "visits_0003", "visits_0002"


def upgrade() -> None:
    op.add_column("visits_plans", sa.Column("announce_at", UTCDateTime))
    # Not the table of tables.py, which later releases change.
    columns = (sa.column("next_on", sa.Date), sa.column("announce_at", UTCDateTime))
    plans = sa.table("visits_plans", *columns)
    db = op.get_bind()
    for day in db.scalars(sa.select(plans.c.next_on).distinct()).all():
        at = datetime.combine(day, time(), UTC)
        db.execute(sa.update(plans).where(plans.c.next_on == day).values(announce_at=at))


def downgrade() -> None:
    op.drop_index("ix_visits_plans_announce_at", "visits_plans", if_exists=True)
    op.drop_column("visits_plans", "announce_at")
