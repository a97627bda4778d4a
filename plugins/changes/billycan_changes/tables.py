"""The table of records that changed without an event."""

import sqlalchemy as sa

from billycan import new_table

# Ids are those of the records; `sequence` is the place of their last such change in the log of events.
untold = new_table(
    "changes_untold",
    sa.Column("sequence", sa.BigInteger, nullable=False),
    sa.Index(None, "tenant_id", "sequence", "id"),
)
