"""The table of resets: the last one of each sandbox."""

import sqlalchemy as sa

from billycan import UTCDateTime, new_table

resets = new_table(
    "sandbox_resets",
    sa.Column("samples", sa.Boolean, nullable=False),
    sa.Column("removed", sa.BigInteger, nullable=False),
    sa.Column("filled", sa.Text),  # the plugin that added its samples last; null until all is removed, "" from then on
    sa.Column("created_at", UTCDateTime, nullable=False),  # the real time, too
    sa.Column("done_at", UTCDateTime),
    sa.UniqueConstraint("tenant_id"),
)
