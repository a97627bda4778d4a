"""The endpoints of a connected app, for the plugin apps, and those that people set up, for the plugin users."""

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from billycan import Context, Event, Row, own

from . import deliveries
from .handlers import PING, records
from .tables import endpoints

CONSENT = "consent"


def follow_consent(ctx: Context, connection_id: str, scopes: Collection[str]) -> None:
    """Hold a connection's endpoints that deliver more than these scopes may read; release those that no longer do."""
    for row in _lock_endpoints(ctx, connection_id):
        may_read = all(scope in scopes for scope in _scopes_needed(ctx, row))
        if not may_read and row.enabled:
            deliveries.hold_deliveries(ctx, row.id)
            records.save(ctx, row, enabled=False, disabled_reason=CONSENT)
        elif may_read and row.disabled_reason == CONSENT:
            deliveries.release_deliveries(ctx, row.id)
            records.save(ctx, row, enabled=True, disabled_reason=None, failing_since=None)


def delete_of_connection(ctx: Context, connection_id: str) -> None:
    """Delete a connection's endpoints and cancel their open deliveries. The history stays."""
    for row in _lock_endpoints(ctx, connection_id):
        deliveries.cancel_deliveries(ctx, row.id)
        records.delete(ctx, row)


def set_up_by_people(ctx: Context) -> list[tuple[str, str, list[str], str]]:
    """List the business's own endpoints: id, URL, the scopes to make one, and the person or key that made it."""
    made = sa.select(endpoints.c.id, endpoints.c.url, endpoints.c.made_by)
    own_ones = made.where(own(ctx, endpoints), endpoints.c.made_by.is_not(None)).order_by(endpoints.c.id)
    return [(row.id, row.url, ["webhooks:write"], row.made_by) for row in ctx.db.execute(own_ones)]


def end_set_up(ctx: Context, id: str) -> None:
    """Delete an endpoint and cancel its open deliveries. The history stays. Raise NotFound if the endpoint is gone."""
    row = records.lock(ctx, id)
    deliveries.cancel_deliveries(ctx, row.id)
    records.delete(ctx, row)


def _lock_endpoints(ctx: Context, connection_id: str) -> Sequence[Row]:
    of_it = sa.select(endpoints).where(own(ctx, endpoints), endpoints.c.connection_id == connection_id)
    return ctx.db.execute(of_it.order_by(endpoints.c.id).with_for_update()).all()


def _scopes_needed(ctx: Context, endpoint: Row) -> list[str]:
    """Return the scopes needed to read all that an endpoint is sent: its present and its former events."""
    names = {event for name in endpoint.events for event in Event.matching(name, ctx.app.events)}
    names |= {*deliveries.events_under_way(ctx, endpoint.id, "pending" if endpoint.enabled else "held")} - {PING}
    return [ctx.app.scope_of(name) for name in names]
