"""The tables of agents: what each may do alone, what it did today, and what it proposed."""

import sqlalchemy as sa

from billycan import ByCodePoint, Decimals, Json, UTCDateTime, tenant_table

# The id is that of the key or connection. The row is locked while the caller writes within limits: its changes are
# counted one after the other.
policies = tenant_table(
    "agents_policies",
    sa.Column("policy", Json, nullable=False),
    sa.Column("frozen_at", UTCDateTime),
    sa.Column("changed_by", ByCodePoint, nullable=False),
    sa.Column("updated_at", UTCDateTime, nullable=False),
)

# The greatest amount of each document that a caller changed on a day of the business: together what it spent that day.
spent = tenant_table(
    "agents_spent",
    sa.Column("caller_id", ByCodePoint, nullable=False),
    sa.Column("day", sa.Date, nullable=False),
    sa.Column("document_id", ByCodePoint, nullable=False),
    sa.Column("amount", Decimals(2), nullable=False),
    sa.UniqueConstraint("tenant_id", "caller_id", "day", "document_id"),
)

writes = tenant_table(
    "agents_writes",
    sa.Column("caller_id", ByCodePoint, nullable=False),
    sa.Column("written_at", UTCDateTime, nullable=False),
    sa.Index("ix_agents_writes_caller", "tenant_id", "caller_id", "written_at"),
)
