"""The ten hooks a plugin may implement. Arguments are passed by name: take only those you need."""

from collections.abc import Sequence
from typing import Any

import pluggy

hookspec = pluggy.HookspecMarker("billycan")
hookimpl = pluggy.HookimplMarker("billycan")


@hookspec
def startup(app: Any) -> None:
    """Called once per process, in dependency order, before the first request; raising stops the start."""


@hookspec(firstresult=True)
def authenticate(app: Any, req: Any) -> Any:
    """Return the Identity that is calling, or None to let the next plugin try; none at all is a 401."""


@hookspec(firstresult=True)
def resolve_tenant(identity: Any, req: Any) -> Any:
    """Return the id of the tenant the call is for; core's answer is the key's own."""


@hookspec(firstresult=True)
def rate_limit(app: Any, identity: Any, address: str, now: float) -> Any:
    """Count this request and return its Allowance; `identity` is None for a call about to be refused with 401."""


@hookspec
def authorize(ctx: Any, route: Any) -> None:
    """Raise Forbidden to refuse the call; return nothing to let it through."""


@hookspec(firstresult=True)
def paginate(ctx: Any, found: Any, query: Any) -> Any:
    """Return the Page of rows of `found` that `query` asks for."""


@hookspec(firstresult=True)
def envelope(data: Any, page: Any, problem: Any) -> Any:
    """Return the JSON value that wraps every answer; `page` and `problem` are None where they do not apply."""


@hookspec
def on_event(ctx: Any, event: Any) -> None:
    """Called inside the transaction for each event; raising undoes the whole request."""


@hookspec
def after_commit(ctx: Any, events: Sequence[Any]) -> None:
    """Called once the transaction is durable, of which `ctx.db` is over; a failure is logged and not shown."""


@hookspec(firstresult=True)
def handle_error(error: Exception) -> Any:
    """Turn an exception into a Problem, or return None to let the next plugin try; none at all is a plain 500."""
