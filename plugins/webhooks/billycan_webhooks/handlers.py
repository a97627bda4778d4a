"""What each endpoint does."""

from collections.abc import Iterable, Sequence
from typing import Any

import sqlalchemy as sa

from billycan import Conflict, Context, Deleted, Forbidden, Invalid, Page, Patch, Records, own
from billycan.fields import Moment
from billycan.records import Row
from billycan.wire import encode

from . import addresses, deliveries, signing
from .schemas import (
    Attempt,
    Delivery,
    DeliveryQuery,
    Endpoint,
    EndpointQuery,
    ListedDelivery,
    NewEndpoint,
    NewRecovery,
    Ping,
    Received,
    Recovery,
    Sent,
    Settings,
)
from .tables import attempts, endpoints
from .tables import deliveries as deliveries_table

MOST_ENDPOINTS = 20
PING = "ping"


def _actions(endpoint: Row) -> list[str]:
    return ["rotate_secret", "test", "recover"] if endpoint.enabled else ["rotate_secret"]


records = Records(endpoints, Endpoint, prefix="whk", actions=_actions)
log = Records(deliveries_table, ListedDelivery, prefix="dlv")

# Endpoints ------------------------------------------------------------------------------------------------------------


def list_endpoints(ctx: Context, query: EndpointQuery) -> Page[Endpoint]:
    """All endpoints; their secrets are not shown.

    Their secrets are never shown again.
    """
    page = records.rows(ctx, query)
    return page.of([_show(ctx, row) for row in page.items])


def create_endpoint(ctx: Context, body: NewEndpoint) -> Endpoint:
    """Add an endpoint; its secret is shown in this answer and never again.

    The `secret` is in this answer only. The key must hold the read scope of what it subscribes to, else
    `insufficient_scope`. Refused with `url_not_allowed` where the URL can never be delivered to, and
    `too_many_endpoints` above 20.
    """
    _check(ctx, body, known=())
    key = signing.key_id(ctx.app.secrets[-1])
    row = records.insert(
        ctx,
        **{name: getattr(body, name) for name in body.__struct_fields__},
        secret_version=1,
        secret_key=key,
    )
    found = sa.select(sa.func.count()).where(own(ctx, endpoints))
    # The counter's row that the insert locked makes others wait, so that the count is right.
    if ctx.db.execute(found).scalar_one() > MOST_ENDPOINTS:
        raise Conflict(
            f"A business has at most {MOST_ENDPOINTS} endpoints: delete one first.", code="too_many_endpoints"
        )
    return _show(ctx, row, secret=_secret(ctx, row))


def get_endpoint(ctx: Context, id: str) -> Endpoint:
    """One endpoint.

    With how its deliveries fare.
    """
    return _show(ctx, records.find(ctx, id))


def update_endpoint(ctx: Context, id: str, body: Patch[NewEndpoint]) -> Endpoint:
    """Change an endpoint; what is still to be delivered goes to its new URL.

    `enabled: false` holds new deliveries; enabling sends nothing that was held, `recover` does. Refused with
    `url_not_allowed` where the URL can never be delivered to.
    """
    row = records.lock(ctx, id)
    after = body.over(row._mapping)
    _check(ctx, after, known=row.events)
    values: dict[str, Any] = {name: getattr(after, name) for name in after.__struct_fields__}
    if after.enabled or not row.enabled:
        # Whoever mends an endpoint gets its five days anew.
        if after.url != row.url or after.enabled != row.enabled:
            values["failing_since"] = None
    else:
        deliveries.hold(ctx.db, ctx.tenant_id, id)
    if after.enabled:
        values["disabled_reason"] = None
    return _show(ctx, records.save(ctx, row, **values))


def delete_endpoint(ctx: Context, id: str) -> Deleted:
    """Delete an endpoint: its open deliveries are cancelled, its history stays.

    To stop for a while, disable it instead.
    """
    row = records.lock(ctx, id)
    deliveries.cancel(ctx, id)
    return records.delete(ctx, row)


def rotate_endpoint_secret(ctx: Context, id: str) -> Endpoint:
    """Make a new secret, shown in this answer only; for 24 hours the old one signs too.

    Each delivery then carries both signatures, so that receivers can change at leisure.
    """
    row = records.lock(ctx, id)
    row = records.save(
        ctx,
        row,
        secret_version=row.secret_version + 1,
        secret_key=signing.key_id(ctx.app.secrets[-1]),
        previous_secret_key=row.secret_key,
        secret_rotated_at=ctx.now(),
    )
    return _show(ctx, row, secret=_secret(ctx, row))


def test_endpoint(ctx: Context, id: str) -> Delivery:
    """Deliver a `ping`, which is no event.

    Answers the delivery, whose attempt follows within seconds. A disabled endpoint gets none:
    `invalid_state_transition`.
    """
    row = _enabled(records.lock(ctx, id), "test")
    body = encode({"event": PING, "timestamp": ctx.now(), "data": Ping(endpoint_id=id)})
    return get_delivery(ctx, deliveries.add(ctx, row, webhook_id="", event=PING, body=body))


def recover_endpoint(ctx: Context, id: str, body: NewRecovery) -> Recovery:
    """Send every failed or held delivery made in a time again, in the background.

    Each of them gets all its attempts anew; 202 says how many there are. A disabled endpoint gets none:
    `invalid_state_transition`.
    """
    _enabled(records.lock(ctx, id), "recover")
    since, until = Moment.of(body.since), Moment.of(body.until or ctx.now())
    return Recovery(endpoint_id=id, since=since, until=until, deliveries=deliveries.recover(ctx, id, since, until))


def _enabled(row: Row, action: str) -> Row:
    if not row.enabled:
        raise Conflict(
            f"{action} needs an enabled endpoint: set enabled to true first.",
            code="invalid_state_transition",
            status="disabled",
            allowed_actions=_actions(row),
        )
    return row


def _check(ctx: Context, body: NewEndpoint, known: Iterable[str]) -> None:
    """Refuse a URL that can never be delivered to, events nobody declares, and events the key may not read."""
    private = ctx.settings(Settings).allows_private(ctx.tenant.environment)
    try:
        addresses.parse(body.url, private)
    except addresses.NotAllowed as why:
        raise Invalid(f"url: {why}.", code="url_not_allowed", param="url") from None
    scopes = ctx.app.event_scopes
    for i, name in enumerate(body.events):
        wanted = _matching(name, scopes)
        if not wanted and name != "*" and name not in known:
            raise Invalid.member(f"events[{i}]", "invalid_value", f"must be one of {', '.join(sorted(scopes))}, or *")
        for event in wanted:
            # Deliveries carry the data, wherever the URL leads.
            if not (ctx.identity and ctx.identity.holds(scopes[event])):
                raise Forbidden(f"{name} delivers what needs the scope {scopes[event]}.", required_scope=scopes[event])


def _matching(name: str, events: Iterable[str]) -> list[str]:
    if name == "*":
        return list(events)
    return [event for event in events if event == name or (name.endswith(".*") and event.startswith(name[:-1]))]


def _secret(ctx: Context, row: Row) -> str:
    return signing.shown(signing.secret(ctx.app.secrets, ctx.tenant_id, row.id, row.secret_version, row.secret_key))


def _show(ctx: Context, row: Row, secret: str | None = None) -> Endpoint:
    (endpoint,) = records.show(ctx, [row], secret={row.id: secret})
    return endpoint


# Deliveries -----------------------------------------------------------------------------------------------------------


def list_deliveries(ctx: Context, query: DeliveryQuery) -> Page[ListedDelivery]:
    """The deliveries to all endpoints, newest first, without their attempts.

    Finished ones are kept for 30 days unless the deployment says otherwise.
    """
    page = log.rows(ctx, query, sa.true())
    return page.of([ListedDelivery(**_listed(row)) for row in page.items])


def get_delivery(ctx: Context, id: str) -> Delivery:
    """One delivery with each attempt: what was sent, and what came back.

    The first 16 KiB of each response are kept.
    """
    row = log.find(ctx, id)
    made = sa.select(attempts).where(own(ctx, attempts), attempts.c.delivery_id == id).order_by(attempts.c.number)
    body = row.body.decode() if _may_read(ctx, row.event) else None
    return Delivery(**_listed(row), attempts=_attempts(ctx.db.execute(made).all(), body))


def replay_delivery(ctx: Context, id: str) -> Delivery:
    """Deliver once more, whatever came of it: a new delivery with the same body and `webhook-id`.

    To the endpoint's present URL with its present secret. Where the endpoint was deleted:
    `invalid_state_transition`.
    """
    row = log.find(ctx, id)
    endpoint = ctx.db.execute(
        sa.select(endpoints).where(own(ctx, endpoints), endpoints.c.id == row.endpoint_id)
    ).first()
    if endpoint is None:
        raise Conflict("The endpoint of this delivery was deleted.", code="invalid_state_transition", status=row.status)
    new = deliveries.add(
        ctx, endpoint, webhook_id=row.webhook_id, event=row.event, body=bytes(row.body), replay_of=row.id
    )
    return get_delivery(ctx, new)


def _may_read(ctx: Context, event: str) -> bool:
    """Whether the key may see an event's data; what a plugin that is off declared needs `read`."""
    scope = ctx.app.event_scopes.get(event, "read")
    return event == PING or bool(ctx.identity and ctx.identity.holds(scope))


def _listed(row: Row) -> dict[str, Any]:
    members = {name: row._mapping.get(name) for name in ListedDelivery.__struct_fields__}
    return {**members, "next_attempt_at": row.due_at if row.status == "pending" else None}


def _attempts(rows: Sequence[Row], body: str | None) -> list[Attempt]:
    return [
        Attempt(
            number=row.number,
            started_at=row.started_at,
            finished_at=row.finished_at,
            duration_ms=row.duration_ms,
            error=row.error,
            request=Sent(url=row.url, headers=row.headers, body=body),
            response=None
            if row.response_status is None
            else Received(status=row.response_status, headers=row.response_headers, body=row.response_body),
        )
        for row in rows
    ]
