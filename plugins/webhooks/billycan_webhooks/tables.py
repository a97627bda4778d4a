"""The tables of endpoints, deliveries, attempts and chores."""

import sqlalchemy as sa

from billycan import ByCodePoint, Json, UTCDateTime, new_table
from billycan.timed import Leases

from .signing import key_id


def _index_where(condition: str, name: str, *columns: str) -> sa.Index:
    """Return an index of only those rows for which a condition is true."""
    rows = sa.text(condition)
    return sa.Index(name, *columns, sqlite_where=rows, postgresql_where=rows)


endpoints = new_table(
    "webhooks_endpoints",
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("events", Json, nullable=False),
    sa.Column("description", sa.Text),
    sa.Column("enabled", sa.Boolean, nullable=False),
    sa.Column("disabled_reason", sa.Text),
    sa.Column("failing_since", UTCDateTime),
    sa.Column("secret_version", sa.Integer, nullable=False),
    # At a deployment with other secrets the endpoint gets a new one, and has none before it.
    sa.Column("secret_key", sa.Text, nullable=False, info={"resealed": lambda app: key_id(app.secrets[-1])}),
    sa.Column("secret_rotated_at", UTCDateTime),
    sa.Column("previous_secret_key", sa.Text, info={"resealed": lambda app: None}),
    sa.Column("connection_id", ByCodePoint),  # of the app that owns it; null for the business's own
    sa.Column("made_by", ByCodePoint),  # a person or a key; null for an app's
    _index_where("connection_id IS NOT NULL", "ix_webhooks_endpoints_connection_id", "tenant_id", "connection_id"),
    external_ids_of="connection_id",  # an app never sees the external ids of another app or the business
    of="resource",
)

# A delivery in flight is pending and has a lease. It does not reference its endpoint, because it outlives it. Its event
# is in the log, once for all endpoints, under `webhook_id`. Only a ping, which is not an event, has a body here.
deliveries = new_table(
    "webhooks_deliveries",
    sa.Column("endpoint_id", ByCodePoint, nullable=False),
    sa.Column("webhook_id", ByCodePoint, nullable=False),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    sa.Column("own_body", sa.LargeBinary),
    sa.Column("replay_of", ByCodePoint),
    sa.Column("created_at", UTCDateTime, nullable=False),
    sa.Column("first_attempt_at", UTCDateTime),
    sa.Column("due_at", UTCDateTime, nullable=False),
    sa.Column("finished_at", UTCDateTime),
    sa.Column("failures", sa.Integer, nullable=False),
    sa.Column("attempts_made", sa.Integer, nullable=False),
    sa.Column("lease_until", UTCDateTime),
    sa.Column("lease_token", sa.Text),
    sa.Column("last_error", sa.Text),
    sa.Column("connection_id", ByCodePoint),  # its endpoint's: the delivery outlives the endpoint
    sa.Index(None, "tenant_id", "created_at", "id"),
    sa.Index("ix_webhooks_deliveries_open", "tenant_id", "endpoint_id", "status", "due_at", "event"),
    _index_where("status = 'pending'", "ix_webhooks_deliveries_due", "due_at"),
    _index_where("status IN ('pending', 'held')", "ix_webhooks_deliveries_needs", "tenant_id", "webhook_id"),
    _index_where("lease_until IS NOT NULL", "ix_webhooks_deliveries_leased", "tenant_id", "endpoint_id"),
    _index_where(
        "connection_id IS NOT NULL",
        "ix_webhooks_deliveries_connection_id",
        "tenant_id",
        "connection_id",
        "created_at",
        "id",
    ),
    _index_where("status = 'held'", "ix_webhooks_deliveries_held", "tenant_id", "endpoint_id", "created_at", "id"),
    _index_where("finished_at IS NOT NULL", "ix_webhooks_deliveries_finished", "tenant_id", "finished_at"),
    _index_where(
        "status IN ('failed', 'held')",
        "ix_webhooks_deliveries_lost",
        "tenant_id",
        "endpoint_id",
        "created_at",
        "id",
        "event",
        "status",  # otherwise SQLite reads the rows
    ),
)

# Literals, not parameters: only then does the database know that the partial index has all the rows.
PENDING = deliveries.c.status == sa.literal_column("'pending'")
OPEN = deliveries.c.status.in_([sa.literal_column("'pending'"), sa.literal_column("'held'")])
HELD = deliveries.c.status == sa.literal_column("'held'")
LOST = deliveries.c.status.in_([sa.literal_column("'failed'"), sa.literal_column("'held'")])

FREE = Leases(deliveries).is_free  # of the pending ones

# The process died during an attempt that never finished: it may have arrived.
attempts = new_table(
    "webhooks_attempts",
    sa.Column("delivery_id", ByCodePoint, nullable=False),
    sa.Column("number", sa.Integer, nullable=False),
    sa.Column("started_at", UTCDateTime, nullable=False),
    sa.Column("finished_at", UTCDateTime),
    sa.Column("url", sa.Text, nullable=False),
    sa.Column("headers", Json, nullable=False),
    sa.Column("error", sa.Text),
    sa.Column("response_status", sa.Integer),
    sa.Column("response_headers", Json),
    sa.Column("response_body", sa.Text),
    sa.Column("duration_ms", sa.Integer),
    sa.Column("phases", Json),
    sa.Column("detail", sa.Text),
    sa.Column("response_bytes", sa.Integer),
    sa.ForeignKeyConstraint(
        ["tenant_id", "delivery_id"],
        ["webhooks_deliveries.tenant_id", "webhooks_deliveries.id"],
        name="fk_webhooks_attempts_delivery",
        ondelete="CASCADE",
    ),
    sa.Index(None, "tenant_id", "delivery_id", "number"),
    _index_where("response_bytes > 1024", "ix_webhooks_attempts_large", "tenant_id", "id", "response_bytes"),
)

# Changes still to be made to an endpoint's deliveries, a thousand at a time, in order for each endpoint.
chores = new_table(
    "webhooks_chores",
    sa.Column("endpoint_id", ByCodePoint, nullable=False),
    sa.Column("kind", sa.Text, nullable=False),  # add, hold, cancel, release or recover
    sa.Column("created_at", UTCDateTime, nullable=False),
    sa.Column("steps", sa.Integer, nullable=False),  # steps taken so far
    sa.Column("events", Json),  # the names of the events to add deliveries of
    sa.Column("first_sequence", sa.BigInteger),  # in the log of events
    sa.Column("last_sequence", sa.BigInteger),
    sa.Column("since", UTCDateTime),  # the period of the deliveries to recover
    sa.Column("until", UTCDateTime),
    sa.Column("after_id", ByCodePoint),  # the last of those created at `since` that was recovered
    sa.Index(None, "tenant_id", "endpoint_id", "id"),
)

Hint = tuple[str, str]  # a tenant's id and an endpoint's: something may be due there
CHORES = ""  # in place of an endpoint's id: the business has chores
