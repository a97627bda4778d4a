"""Handlers of webhook endpoints and deliveries: one function for each route."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import sqlalchemy as sa

from billycan import Conflict, Context, Deleted, Event, Forbidden, Invalid, NotFound, Page, Patch, Records, Row, own
from billycan.fields import Moment
from billycan.web import encode

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
    Phases,
    Ping,
    Received,
    Recovery,
    Sent,
)
from .settings import Settings
from .tables import attempts, endpoints
from .tables import deliveries as deliveries_table

MOST_ENDPOINTS = 20  # for the business itself, and for each app
MOST_IN_ALL = 40
MOST_ATTEMPTS = 50  # shown; only `recover` makes more than four
MOST_BODY_BYTES = 8 * 1024 * 1024  # in total
PING = "ping"


def _list_actions(endpoint: Row) -> list[str]:
    return ["rotate_secret", "test", "recover"] if endpoint.enabled else ["rotate_secret"]


records = Records(endpoints, Endpoint, prefix="whk", actions=_list_actions)
log = Records(
    deliveries_table,
    ListedDelivery,
    prefix="dlv",
    filters={
        "event": lambda ctx, names: Event.has_name(ctx, deliveries_table.c.event, names, PING),
    },
    points_at={"endpoint_id": "webhooks_endpoints"},
)


def list_endpoints(ctx: Context, query: EndpointQuery) -> Page[Endpoint]:
    """All endpoints, without their secrets.

    A secret is shown only when it is created; use `rotate_secret` for a new one.
    """
    page = records.rows(ctx, query, *_match_seen(ctx, endpoints))
    return page.of([_show_endpoint(ctx, row) for row in page.items])


def create_endpoint(ctx: Context, body: NewEndpoint) -> Endpoint:
    """Add an endpoint; its secret cannot be shown again.

    Keep the `secret` in the response. The key needs the read scope of everything the endpoint subscribes to; otherwise
    `insufficient_scope`. Refused with `url_not_allowed` if nothing can be delivered to the URL, and
    `too_many_endpoints` above 20, or if the business and its apps have 40 together.
    """
    _check_allowed(ctx, body.events)
    _check_endpoint(ctx, body, known=())
    key = signing.key_id(ctx.app.secrets[-1])
    row = records.insert(
        ctx,
        **{name: getattr(body, name) for name in body.__struct_fields__},
        secret_version=1,
        secret_key=key,
        connection_id=_connection_of(ctx),
        made_by=ctx.identity.id if ctx.identity and not _connection_of(ctx) else None,
    )
    mine = endpoints.c.connection_id.is_not_distinct_from(_connection_of(ctx))
    found = sa.select(sa.func.count(), sa.func.count().filter(mine)).where(own(ctx, endpoints))
    # The insert locked the counter's row, so others wait and the counts are right.
    in_all, of_caller = ctx.db.execute(found).one()
    if of_caller > MOST_ENDPOINTS or in_all > MOST_IN_ALL:
        raise Conflict(
            f"A business, and each app, has at most {MOST_ENDPOINTS} endpoints, and the business with all its apps"
            f" {MOST_IN_ALL}: delete one first.",
            code="too_many_endpoints",
        )
    return _show_endpoint(ctx, row, secret=_open_secret(ctx, row))


def get_endpoint(ctx: Context, id: str) -> Endpoint:
    """One endpoint.

    `disabled_reason` and `failing_since` show whether its deliveries succeed.
    """
    return _show_endpoint(ctx, _require_visible(ctx, records.find(ctx, id)))


def update_endpoint(ctx: Context, id: str, body: Patch[NewEndpoint]) -> Endpoint:
    """Change an endpoint; pending deliveries go to the new URL.

    `enabled: false` holds new deliveries. Enabling the endpoint again does not send them: use `recover`. New `events`
    apply to new deliveries only. The key needs the read scope of everything the endpoint subscribes to, before and
    after the change; for a new URL, also of every pending delivery, and `read` if 10,000 or more are pending; otherwise
    `insufficient_scope`. Refused with `url_not_allowed` if nothing can be delivered to the URL.
    """
    row = _lock_endpoint(ctx, id)
    after = body.over(row._mapping)
    _check_allowed(ctx, after.events)
    if after.url != row.url:
        _allow_each(ctx, deliveries.count_pending(ctx, id), "are pending: wait")
    _check_endpoint(ctx, after, known=row.events)
    values: dict[str, Any] = {name: getattr(after, name) for name in after.__struct_fields__}
    if after.enabled or not row.enabled:
        # A repaired endpoint has another five days.
        if after.url != row.url or after.enabled != row.enabled:
            values["failing_since"] = None
    else:
        deliveries.hold_deliveries(ctx, id)
    if after.enabled:
        values["disabled_reason"] = None
    return _show_endpoint(ctx, records.save(ctx, row, **values))


def delete_endpoint(ctx: Context, id: str) -> Deleted:
    """Delete an endpoint: pending and held deliveries are cancelled, and its history stays.

    To pause deliveries, set `enabled` to false instead.
    """
    row = _lock_endpoint(ctx, id)
    deliveries.cancel_deliveries(ctx, id)
    return records.delete(ctx, row)


def rotate_endpoint_secret(ctx: Context, id: str) -> Endpoint:
    """Create a new secret, which cannot be shown again; for 24 hours the old one signs too.

    Meanwhile each delivery carries both signatures, so that you can update your receiver.
    """
    row = _lock_endpoint(ctx, id)
    row = records.save(
        ctx,
        row,
        secret_version=row.secret_version + 1,
        secret_key=signing.key_id(ctx.app.secrets[-1]),
        previous_secret_key=row.secret_key,
        secret_rotated_at=ctx.app.now(),
    )
    return _show_endpoint(ctx, row, secret=_open_secret(ctx, row))


def test_endpoint(ctx: Context, id: str) -> Delivery:
    """Send a `ping`, which is not an event.

    Returns the delivery, which is sent within seconds. For a disabled endpoint: `invalid_state_transition`.
    """
    row = _enable_endpoint(_lock_endpoint(ctx, id), "test")
    body = encode({"event": PING, "timestamp": ctx.now(), "data": Ping(endpoint_id=id)})
    return get_delivery(ctx, deliveries.add_delivery(ctx, row, webhook_id="", event=PING, own_body=body))


def recover_endpoint(ctx: Context, id: str, body: NewRecovery) -> Recovery:
    """Send every failed or held delivery of a period again, in the background.

    Each gets as many attempts as a new delivery. The response has the number of deliveries, counting no more than
    10,000. Up to a thousand of them are due at once; the worker makes the others due soon after. For a disabled
    endpoint: `invalid_state_transition`. The key needs the read scope of each event that would be sent, and `read` for
    10,000 deliveries or more.
    """
    _enable_endpoint(_lock_endpoint(ctx, id), "recover")
    since, until = Moment.of(body.since), Moment.of(body.until or ctx.now())
    lost = deliveries.count_lost(ctx, id, since, until)
    _allow_each(ctx, lost, "are to be sent again: ask for a shorter period")
    count = deliveries.recover_deliveries(ctx, id, since, until, sum(lost.values()))
    return Recovery(endpoint_id=id, since=since, until=until, deliveries=count)


def _enable_endpoint(row: Row, action: str) -> Row:
    if not row.enabled:
        raise Conflict(
            f"{action} needs an enabled endpoint: set enabled to true first.",
            code="invalid_state_transition",
            status="disabled",
            allowed_actions=_list_actions(row),
        )
    return row


def _lock_endpoint(ctx: Context, id: str) -> Row:
    """Lock an endpoint to change it. Raise Forbidden unless it is the caller's, who may read all its events."""
    if _connection_of(ctx):
        _require_visible(ctx, records.find(ctx, id))  # before the answer reveals anything, such as its version
    row = records.lock(ctx, id)
    _check_own(ctx, row)
    _check_allowed(ctx, row.events)
    return row


def _connection_of(ctx: Context) -> str | None:
    """Return the connection of the calling app, or None for the business's own keys and people."""
    return ctx.identity.connection_id if ctx.identity else None


def _match_seen(ctx: Context, table: sa.Table) -> tuple[sa.ColumnElement[bool], ...]:
    """Return the condition that limits an app to its own rows; the business sees every row."""
    connection_id = _connection_of(ctx)
    return (table.c.connection_id == connection_id,) if connection_id else ()


def _require_visible(ctx: Context, row: Row) -> Row:
    """Return an endpoint or a delivery. Raise NotFound for an app unless the row is its own."""
    if _connection_of(ctx) not in (None, row.connection_id):
        raise NotFound
    return row


def _check_own(ctx: Context, row: Row) -> None:
    """Raise Forbidden if the row belongs to an app: the business can see it but not change it."""
    if _require_visible(ctx, row).connection_id != _connection_of(ctx):
        raise Forbidden("This belongs to a connected app: only the app can change it.", code="belongs_to_app")


def _check_allowed(ctx: Context, names: Iterable[str]) -> None:
    """Raise Forbidden unless the key may read the records of these events: a delivery would take them anywhere."""
    for name in names:
        for event in Event.matching(name, ctx.app.events) or [name]:
            if not ctx.may_read(event):
                scope = ctx.app.scope_of(event)
                raise Forbidden(f"{name} delivers data that needs the scope {scope}.", required_scope=scope)


def _allow_each(ctx: Context, counted: Mapping[str, int], which: str) -> None:
    """Raise Forbidden unless the key may read the events of these deliveries; all events, if not all were counted."""
    _check_allowed(ctx, counted.keys() - {PING})
    if sum(counted.values()) >= deliveries.MOST_COUNTED and ctx.identity and not ctx.holds("read"):
        most = f"{deliveries.MOST_COUNTED:,} deliveries or more {which}"
        raise Forbidden(f"{most}, or use a key that has the scope read.", required_scope="read")


def _check_endpoint(ctx: Context, body: NewEndpoint, known: Iterable[str]) -> None:
    """Raise Invalid for a URL that can never be delivered to, or an event that no plugin declares."""
    private = ctx.settings(Settings).allows_private(ctx.tenant.environment)
    try:
        addresses.parse_url(body.url, private)
    except addresses.NotAllowed as why:
        raise Invalid(f"url: {why}.", code="url_not_allowed", param="url") from None
    for i, name in enumerate(body.events):
        if name != "*" and name not in known and not Event.matching(name, ctx.app.events):
            some = ", ".join(sorted(ctx.app.events))
            raise Invalid.member(f"events[{i}]", "invalid_value", f"must be one of {some}, or *")


def _open_secret(ctx: Context, row: Row) -> str:
    return signing.encode_secret(
        signing.derive_secret(ctx.app.secrets, ctx.tenant_id, row.id, row.secret_version, row.secret_key)
    )


def _show_endpoint(ctx: Context, row: Row, secret: str | None = None) -> Endpoint:
    (endpoint,) = records.show(ctx, [row], secret={row.id: secret})
    return endpoint


def list_deliveries(ctx: Context, query: DeliveryQuery) -> Page[ListedDelivery]:
    """The deliveries to all endpoints, newest first, without their attempts.

    Finished deliveries are kept for 30 days by default.
    """
    # With a condition the rows are counted: no counter includes deliveries of events.
    page = log.rows(ctx, query, sa.true(), *_match_seen(ctx, deliveries_table))
    return page.of([ListedDelivery(**_members_of_delivery(row)) for row in page.items])


def get_delivery(ctx: Context, id: str) -> Delivery:
    """One delivery with each attempt: what was sent, and what came back.

    The first 16 KiB of each response are kept. Both bodies are null for a key that may not read the event; the
    request's is also null once the event is no longer kept. The newest 50 attempts are shown, with up to 8 MiB of
    bodies.
    """
    row = _require_visible(ctx, log.find(ctx, id))
    made = sa.select(attempts).where(own(ctx, attempts), attempts.c.delivery_id == id)
    newest = ctx.db.execute(made.order_by(attempts.c.number.desc()).limit(MOST_ATTEMPTS)).all()
    may_read = row.event == PING or ctx.may_read(row.event)  # a ping contains no record
    body = deliveries.body_of(ctx.db, ctx.tenant_id, row) if may_read else None
    return Delivery(
        **_members_of_delivery(row), attempts=_show_attempts(row, newest, body.decode() if body else None, may_read)
    )


def replay_delivery(ctx: Context, id: str) -> Delivery:
    """Send a delivery again, whatever its result: a new delivery with the same body and `webhook-id`.

    It uses the endpoint's current URL and secret. The key needs the read scope of the event and of everything the
    endpoint subscribes to. If the endpoint was deleted, or the event is no longer kept: `invalid_state_transition`.
    """
    row = log.find(ctx, id)
    _check_own(ctx, row)
    if deliveries.body_of(ctx.db, ctx.tenant_id, row) is None:
        raise Conflict(
            "The event of this delivery is no longer kept.", code="invalid_state_transition", status=row.status
        )
    endpoint = ctx.db.execute(
        sa.select(endpoints).where(own(ctx, endpoints), endpoints.c.id == row.endpoint_id)
    ).first()
    if endpoint is None:
        raise Conflict("The endpoint of this delivery was deleted.", code="invalid_state_transition", status=row.status)
    _check_allowed(ctx, [*({row.event} - {PING}), *endpoint.events])
    new = deliveries.add_delivery(
        ctx, endpoint, webhook_id=row.webhook_id, event=row.event, own_body=row.own_body, replay_of=row.id
    )
    return get_delivery(ctx, new)


def _members_of_delivery(row: Row) -> dict[str, Any]:
    members = {name: row._mapping.get(name) for name in ListedDelivery.__struct_fields__}
    return {**members, "next_attempt_at": row.due_at if row.status == "pending" else None}


def _show_attempts(delivery: Row, newest: Sequence[Row], body: str | None, may_read: bool) -> list[Attempt]:
    """Return the attempts in order. All had the same body: a large one is shown only with the newest attempts."""
    bodies = max(1, MOST_BODY_BYTES // len(body)) if body else 0
    return [
        Attempt(
            number=row.number,
            started_at=row.started_at,
            finished_at=row.finished_at,
            duration_ms=row.duration_ms,
            phases=Phases(**(row.phases or {})),
            error=row.error or ("interrupted" if _is_interrupted(delivery, row) else None),
            detail=row.detail,
            request=Sent(url=row.url, headers=row.headers, body=body if i < bodies else None),
            response=None
            if row.response_status is None
            else Received(
                status=row.response_status,
                headers=row.response_headers,
                # A receiver may echo the request.
                body=row.response_body if may_read else None,
            ),
        )
        for i, row in reversed([*enumerate(newest)])
    ]


def _is_interrupted(delivery: Row, attempt: Row) -> bool:
    """Tell whether the process died during an attempt: it never finished, and a later one was made."""
    return attempt.finished_at is None and attempt.number < delivery.attempts_made
