"""The table of jobs with regular visits."""

import sqlalchemy as sa

from billycan import UTCDateTime, new_table

# Each row's id is a job. There is no foreign key, so that a job without visits can be deleted; the plugin hears of
# that. Storing a plan always locks the row of its job.
plans = new_table(
    "visits_plans",
    sa.Column("every_days", sa.Integer, nullable=False),
    sa.Column("next_on", sa.Date, nullable=False),
    # When to announce the next visit; null once announced.
    sa.Column("announce_at", UTCDateTime),
    sa.Index(None, "announce_at"),
)
