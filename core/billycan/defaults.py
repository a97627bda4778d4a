"""Core's own answers to the hooks; a plugin overrides one by answering first."""

import sqlite3
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import falcon
import sqlalchemy as sa
from msgspec import Struct

from .db import is_read_only
from .hookspecs import hookimpl
from .keys import Identity
from .lists import paging
from .lists.queries import Found
from .manifest import Route
from .problems import Conflict, Forbidden, Problem, RateLimited, Unauthenticated, Unavailable
from .resources import Page
from .sharing.limits import Allowance, Limit

if TYPE_CHECKING:
    from .app import App
    from .context import Context


class Pagination(Struct):
    """The envelope's `pagination` of a list.

    page: Which page this is, from 1.
    per_page: How many records there are on a page.
    total: How many records there are on all pages together.
    has_more: Whether there is a page after this one.
    next_cursor: The `cursor` of the page after this one.
    prev_cursor: The `cursor` of the page before this one.
    """

    page: int
    per_page: int
    total: int
    has_more: bool
    next_cursor: str | None
    prev_cursor: str | None


class Envelope(Struct):
    """The JSON value of every answer."""

    data: Any
    pagination: Pagination | None
    error: Any


@hookimpl(trylast=True)
def authenticate(app: "App", req: falcon.Request) -> Identity | None:
    scheme, _, key = (req.get_header("Authorization") or "").partition(" ")
    if not scheme:
        return None
    if scheme.lower() != "bearer":
        raise Unauthenticated("The Authorization header must be `Bearer <API_KEY>`.", code="invalid_api_key")
    key = key.strip()
    for _, kind in app.offered(Identity.Kind):
        if kind.identify and key.startswith(kind.starts):
            return kind.identify(app, key, req)
    return app.keys.identify(key)


@hookimpl(trylast=True)
def resolve_tenant(identity: Identity, req: falcon.Request) -> str:
    return identity.tenant_id


@hookimpl(trylast=True)
def rate_limit(app: "App", limits: Sequence[Limit], identity: Identity | None, address: str, now: float) -> Allowance:
    return app.limiter.take_each(now, *limits)


@hookimpl(trylast=True)
def authorize(ctx: "Context", route: Route) -> None:
    if route.scope and not (ctx.identity and ctx.identity.holds(route.scope)):
        raise Forbidden(f"This key lacks the scope {route.scope}.", required_scope=route.scope)
    if route.authorize:
        route.authorize(ctx, route)
    # If there are several, the body decides, so only the handler can check the scope, by `ctx.require`.
    made = ctx.app.scopes_to_make(route)
    if len(made) == 1:
        ctx.require(made[0])


@hookimpl(trylast=True)
def paginate(ctx: "Context", found: Found, query: Any) -> Page[Any]:
    return paging.paginate(ctx, found, query)


@hookimpl(trylast=True)
def envelope(data: Any, page: Page[Any] | None, problem: Problem | None) -> Envelope:
    pagination = None
    if page:
        pagination = Pagination(page.page, page.per_page, page.total, page.has_more, page.next_cursor, page.prev_cursor)
    return Envelope(data, pagination, problem.as_error() if problem else None)


@hookimpl(trylast=True)
def handle_error(error: Exception) -> Problem | None:
    if isinstance(error, Problem):
        return error
    if _is_of_another_form(error):
        return None
    if isinstance(error, sa.exc.IntegrityError):
        return _lost_race(str(error.orig))
    # No connection, none free, or a lock or statement that took too long: the same request may work in a moment.
    if isinstance(error, sa.exc.OperationalError | sa.exc.InterfaceError | sa.exc.TimeoutError):
        return Unavailable()
    if isinstance(error, sa.exc.DBAPIError) and is_read_only(error):  # as after a failover, until its end
        return Unavailable()
    if isinstance(error, sa.exc.InternalError) and any(said in str(error.orig) for said in _NODE_DIED):
        return Unavailable()
    return None


def rate_limit_refusal(allowance: Allowance) -> RateLimited:
    """Return the 429 of a request that its allowance refuses."""
    return RateLimited(
        f"More than {allowance.limit} requests in a {allowance.window}: wait {allowance.retry_after} s.",
        headers={"Retry-After": str(allowance.retry_after)},
        limit=allowance.window,
        retry_after=allowance.retry_after,
    )


# A cluster's coordinator has no code of its own for it, but passes on what libpq says.
_NODE_DIED = ("server closed the connection unexpectedly", "EOF detected", "Connection reset by peer")


def _is_of_another_form(error: Exception) -> bool:
    """Tell whether a table is not as the code expects it, which no retry can mend; PostgreSQL's error class says so."""
    original = getattr(error, "orig", None)
    codes = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CONSTRAINT_NOTNULL)
    return getattr(original, "sqlite_errorcode", None) in codes or getattr(original, "sqlstate", None) == "23502"


def _lost_race(text: str) -> Conflict:
    # Handlers check this before they write, so it only fails here in a race of two requests.
    if "external_id" in text:
        return Conflict("Another record has this external_id.", code="duplicate_external_id", param="external_id")
    return Conflict("Another request changed the same records at the same time: fetch them and try again.")
