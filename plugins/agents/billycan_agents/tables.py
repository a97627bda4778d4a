"""The tables of agents: what each may do alone, what it did today, and what it proposed."""

import sqlalchemy as sa

from billycan import ByCodePoint, Decimals, Json, UTCDateTime, new_table

# The id is that of the key or connection. The row is locked while the caller writes within limits: its changes are
# counted one after the other.
policies = new_table(
    "agents_policies",
    sa.Column("policy", Json, nullable=False),
    sa.Column("frozen_at", UTCDateTime),
    sa.Column("changed_by", ByCodePoint, nullable=False),
    sa.Column("updated_at", UTCDateTime, nullable=False),
)

# The greatest amount of each document that a caller changed on a day of the business: together what it spent that day.
spent = new_table(
    "agents_spent",
    sa.Column("caller_id", ByCodePoint, nullable=False),
    sa.Column("day", sa.Date, nullable=False),
    sa.Column("document_id", ByCodePoint, nullable=False),
    sa.Column("amount", Decimals(2), nullable=False),
    sa.UniqueConstraint("tenant_id", "caller_id", "day", "document_id"),
)

# When the account that clients pay into was changed, whoever did it.
bank_changes = new_table(
    "agents_bank_changes",
    sa.Column("changed_at", UTCDateTime, nullable=False),
    sa.Column("changed_by", ByCodePoint),
)

writes = new_table(
    "agents_writes",
    sa.Column("caller_id", ByCodePoint, nullable=False),
    sa.Column("written_at", UTCDateTime, nullable=False),
    sa.Index("ix_agents_writes_caller", "tenant_id", "caller_id", "written_at"),
)

_PENDING = sa.text("status = 'pending'")
proposals = new_table(
    "agents_proposals",
    sa.Column("caller_id", ByCodePoint, nullable=False),
    sa.Column("caller_name", sa.Text),
    sa.Column("scopes", Json, nullable=False),  # of the caller then: it is carried out with those that it still has
    sa.Column("operation", ByCodePoint, nullable=False),
    sa.Column("method", sa.Text, nullable=False),
    sa.Column("path", sa.Text, nullable=False),
    sa.Column("query", sa.Text, nullable=False),
    sa.Column("body", sa.Text, nullable=False),
    sa.Column("version", sa.Integer),  # that the record must have, if the caller said so
    sa.Column("digest", sa.LargeBinary, nullable=False),  # of the request
    sa.Column("preview", Json, nullable=False),
    sa.Column("previewed_at", UTCDateTime, nullable=False),
    sa.Column("mark", ByCodePoint, nullable=False),  # ids that are newer were made for the preview alone
    sa.Column("amount", Decimals(2)),
    sa.Column("reason", sa.Text),
    sa.Column("versions", Json, nullable=False),
    sa.Column("status", ByCodePoint, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False),
    sa.Column("expires_at", UTCDateTime, nullable=False),
    sa.Column("changed_at", UTCDateTime),  # when the preview was last made anew
    sa.Column("decided_at", UTCDateTime),
    sa.Column("decided_by", ByCodePoint),
    sa.Column("decided_by_name", sa.Text),
    sa.Column("decline_reason", sa.Text),
    sa.Column("error", Json),
    sa.Column("record_id", ByCodePoint),
    sa.Index("ix_agents_proposals_created_at", "tenant_id", "created_at", "id"),
    sa.Index("ix_agents_proposals_pending", "expires_at", sqlite_where=_PENDING, postgresql_where=_PENDING),
    sa.Index("ix_agents_proposals_caller", "tenant_id", "caller_id", "status"),
)
