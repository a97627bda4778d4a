"""The tables of visits, and of jobs with regular visits."""

import sqlalchemy as sa

from billycan import UTCDateTime, reference, resource_table, tenant_table

visits = resource_table(
    "visits",
    sa.Column("job_id", sa.Text, nullable=False),
    sa.Column("visited_on", sa.Date, nullable=False),
    sa.Column("minutes", sa.Integer, nullable=False),
    reference("job_id", "jobs"),
    sa.Index(None, "tenant_id", "job_id", "visited_on"),
)

# Each row's id is a job. There is no foreign key, so that a job without visits can be deleted; the plugin hears of
# that. Storing a plan always locks the row of its job.
plans = tenant_table(
    "visits_plans",
    sa.Column("every_days", sa.Integer, nullable=False),
    sa.Column("next_on", sa.Date, nullable=False),
    # When to announce the next visit; null once announced.
    sa.Column("announce_at", UTCDateTime),
    sa.Index(None, "announce_at"),
)
