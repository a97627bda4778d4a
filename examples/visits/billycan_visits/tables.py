"""The tables of visits, and of the jobs that want them regularly."""

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

# Each row's id is a job's. Without a foreign key, so that a job can be deleted that nobody has visited yet: the plugin
# hears of it. The row of the job itself is locked whenever a plan is kept.
plans = tenant_table(
    "visits_plans",
    sa.Column("every_days", sa.Integer, nullable=False),
    sa.Column("next_on", sa.Date, nullable=False),
    # When the next visit is to be announced; null once it was.
    sa.Column("announce_at", UTCDateTime),
    sa.Index(None, "announce_at"),
)
