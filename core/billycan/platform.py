"""Core's own resources: the calling key, the business profile, the event log and the API's description."""

from typing import Literal

from msgspec import Struct

from .context import Context
from .events import get_event, list_events
from .keys import Identity
from .manifest import Every, Manifest, Route
from .moving import closing
from .profile_changes import ProfileChange, change_profile
from .reader import Patch
from .resources import Named, Reply
from .starting import filling
from .tenants import Profile, Tenant, count_businesses
from .timed import Leases, forget_mornings, with_old_mornings
from .working import replays, retention, worker


class Limits(Struct):
    """A key's rate limits, capped by the deployment and by the ceiling of its business.

    per_minute: Requests in any 60 seconds.
    per_second: Requests in any second within that.
    """

    per_minute: int
    per_second: int


class TenantName(Struct):
    """The tenant a key belongs to.

    id: Its id.
    name: The business's name.
    """

    id: str
    name: str


class ConnectionName(Struct):
    """A connection of an app to a tenant.

    id: Its id.
    """

    id: str


class Me(Struct, kw_only=True):
    """The calling key (never its secret), its tenant, environment, scopes and limits.

    id: The key's id, or the connection's for an access token.
    name: The key's name, or the app's.
    tenant: Whose key it is.
    environment: Production, or the sandbox.
    scopes: What the key may do.
    limits: The key's rate limits.
    policy: What the key or connection may do alone, as an owner of the business has set it; null if it may do all that
      its scopes allow.
    app: The app that is calling with an access token; null for a key.
    connection: Its connection to the tenant; null for a key.
    """

    id: str
    name: str | None
    tenant: TenantName
    environment: Literal["live", "sandbox"]
    scopes: list[str]
    limits: Limits
    policy: Identity.Policy | None
    app: Named | None
    connection: ConnectionName | None


def get_me(ctx: Context) -> Me:
    """The calling key, its tenant, environment, scopes and limits.

    Use it to test a key.
    """
    identity = ctx.identity
    assert identity is not None  # noqa: S101 - no route but the public ones is reached without one
    return Me(
        id=identity.id,
        name=identity.name,
        tenant=TenantName(ctx.tenant_id, ctx.tenant.name),
        environment=identity.environment,
        scopes=list(identity.scopes),
        limits=Limits(*ctx.app.ceilings.in_force(ctx.tenant_id, identity.per_minute, identity.per_second)),
        policy=next((guard.policy(ctx) for _, guard in ctx.app.offered(Context.Guard)), None),
        app=Named(identity.app_id, identity.app_name or "") if identity.app_id else None,
        connection=ConnectionName(identity.connection_id) if identity.connection_id else None,
    )


def get_tenant(ctx: Context) -> Tenant:
    """The business profile.

    The tenant's profile, from which documents and tax invoices take the seller and their defaults.
    """
    # Not from the cache, so that a client that changed it sees the change.
    return ctx.app.tenants.read(ctx)


def update_tenant(ctx: Context, body: Patch[ProfileChange]) -> Tenant:
    """Change the business profile.

    Documents that were already sent do not change. A sandbox has its own profile. `gst_settings` that change days of a
    lodged tax period are refused with `period_lodged` unless `accept_corrections` is true, and those that change days
    up to `locked_until` with `period_locked`.
    """
    accept = bool(body.sent.pop("accept_corrections", False))
    return change_profile(ctx, Patch(Profile, body.sent), accept_corrections=accept)


def get_openapi(ctx: Context) -> Reply:
    """This API's description in OpenAPI 3.1.

    It describes the enabled plugins of this deployment and needs no key. With a key, it also describes what the
    business has defined, such as its custom fields.
    """
    body, tag = ctx.app.openapi_of_business(ctx) if ctx.identity else ctx.app.openapi_file
    caching = "private, no-cache" if ctx.identity else "public, max-age=300"
    return Reply(body, "application/json", {"Cache-Control": caching, "ETag": tag, "Vary": "Authorization"})


manifest = Manifest(
    name="core",
    routes=(
        Route("GET", "/v1/me", get_me, scope=None, own=True),
        Route("GET", "/v1/tenant", get_tenant, scope="tenant:read"),
        Route("PATCH", "/v1/tenant", update_tenant, scope="tenant:write"),
        Route("GET", "/v1/events", list_events, scope="events:read"),
        Route("GET", "/v1/events/{id}", get_event, scope="events:read"),
        Route(
            "GET", "/v1/openapi.json", get_openapi, scope=None, public="or_key", answers="application/json", own=True
        ),
    ),
    tasks=(
        Every(seconds=3600, run=replays.forget_old, tenants=replays.with_old, real_time=True),
        Every(seconds=60, due=replays.too_large, run=replays.forget_large, real_time=True),
        Every(seconds=3600, due=retention.too_old, run=retention.forget_old_events, real_time=True),
        Every(seconds=60, due=retention.too_large, run=retention.forget_excess_events, real_time=True),
        Every(seconds=3600, run=worker.forget_put_off, tenants=worker.with_old_failures, real_time=True),
        Every(seconds=24 * 3600, run=forget_mornings, tenants=with_old_mornings, real_time=True),
        Every(
            seconds=60,
            due=closing.businesses_to_end,
            run=closing.end_business,
            own_transactions=True,
            real_time=True,
            of_the_closed=True,
        ),
        Every(seconds=60, due=filling.to_fill, run=filling.fill_rows, real_time=True, of_the_closed=True),
    ),
    gauges=(
        Manifest.Gauge(
            "billycan_worker_seen_seconds",
            "Seconds since a worker noted that it lives.",
            "",
            worker.silence,
            most=worker.SILENT_SECONDS,
        ),
        Manifest.Gauge(
            "billycan_worker_clock_ahead_seconds",
            "Seconds that the worker's clock is ahead of the database server's.",
            "",
            worker.clock_ahead,
            most=Leases.AHEAD_SECONDS,
        ),
        Manifest.Gauge(
            "billycan_tasks_waiting_seconds",
            "How long the business that waits longest for its timed work has waited.",
            "",
            worker.longest_wait,
            most=worker.WAITING_SECONDS,
        ),
        Manifest.Gauge("billycan_businesses", "Businesses by state.", "state", count_businesses),
        Manifest.Gauge("billycan_tasks_put_off", "Records whose timed work failed and waits.", "task", worker.failing),
    ),
)
