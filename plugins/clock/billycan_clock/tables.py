"""The table of clocks: at most one for each sandbox."""

import sqlalchemy as sa

from billycan import UTCDateTime, new_table

# While a clock advances, it stands at `at`, whose timed work is done or under way. Otherwise it runs on from there,
# where it was at the real time `since`.
clocks = new_table(
    "clock_clocks",
    sa.Column("at", UTCDateTime, nullable=False),
    sa.Column("since", UTCDateTime, nullable=False),
    sa.Column("until", UTCDateTime),  # to which time it advances; null if it runs
    sa.Column("advanced_from", UTCDateTime),
    sa.Column("advanced_to", UTCDateTime),
    sa.Column("looked_at", UTCDateTime, nullable=False),  # the real time at which its work was last looked for
    sa.Column("created_at", UTCDateTime, nullable=False),  # the real time, too
    sa.UniqueConstraint("tenant_id"),
)
