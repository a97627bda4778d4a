"""The ten hooks a plugin may implement. Arguments are passed by name: take only those you need."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    import falcon

    from .app import App
    from .context import Context, Event
    from .engines.forms import Row
    from .keys import Identity
    from .lists.queries import Found
    from .manifest import Route
    from .problems import Problem
    from .resources import Page, Paging
    from .sharing.limits import Allowance, Limit

hookspec = pluggy.HookspecMarker("billycan")
hookimpl = pluggy.HookimplMarker("billycan")
"""Marks a function of `plugin.py` as the implementation of the hook of its name."""


@hookspec
def startup(app: "App") -> None:
    """Called once per process, in dependency order, before the first request; raising stops the start."""


@hookspec(firstresult=True)
def authenticate(app: "App", req: "falcon.Request") -> "Identity | None":
    """Return the Identity that is calling, or None to let the next plugin try; none at all is a 401."""


@hookspec(firstresult=True)
def resolve_tenant(identity: "Identity", req: "falcon.Request") -> "str | None":
    """Return the id of the tenant the call is for; core's answer is the key's own."""


@hookspec(firstresult=True)
def rate_limit(
    app: "App", limits: "Sequence[Limit]", identity: "Identity | None", address: str, now: float
) -> "Allowance | None":
    """Count a request under each of these limits, or under none if one is reached, and return its Allowance.

    Calls of the API, visits of pages and the requests of a business all come here. `identity` is None for a visitor,
    and for a call about to be refused with 401. Core counts in memory that the processes of a host share.
    """


@hookspec
def authorize(ctx: "Context", route: "Route") -> None:
    """Raise Forbidden to refuse the call; return nothing to let it through."""


@hookspec(firstresult=True)
def paginate(ctx: "Context", found: "Found", query: "Paging") -> "Page[Row] | None":
    """Return the Page of rows of `found` that `query` asks for."""


@hookspec(firstresult=True)
def envelope(data: Any, page: "Page[Any] | None", problem: "Problem | None") -> Any:
    """Return the JSON value that wraps every answer; `page` and `problem` are None where they do not apply."""


@hookspec
def on_event(ctx: "Context", event: "Event") -> None:
    """Called inside the transaction for each event; raising undoes the whole request."""


@hookspec
def after_commit(ctx: "Context", events: "Sequence[Event]") -> None:
    """Called once for each committed transaction of a write, whether it emitted events or not; `ctx.db` is closed.

    A failure is logged and not shown.
    """


@hookspec(firstresult=True)
def handle_error(error: Exception) -> "Problem | None":
    """Turn an exception into a Problem, or return None to let the next plugin try; none at all is a plain 500."""
