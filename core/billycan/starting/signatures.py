"""The parameters and answer of a route, read from its handler's signature."""

import inspect
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, get_args, get_origin, get_type_hints

from ..declarations import resolve_query
from ..endpoints import PARAMETER, Signature
from ..manifest import Route
from ..members import is_struct
from ..reader import Patch, StructOf, compiled


def read_signature(route: Route) -> Signature:
    """Read the signature of a route's handler; raise TypeError if core cannot serve it."""
    name = f"{route.method} {route.path}: {getattr(route.handler, '__name__', route.handler)}"
    (first, *taken), hints = _declared_types(route.handler)
    params = tuple(PARAMETER.findall(route.path))
    if first != "ctx":
        raise TypeError(f"{name} must take ctx first")
    if "return" not in hints:
        raise TypeError(f"{name} does not say what it returns")
    if missing := [p for p in taken if p not in hints]:
        raise TypeError(f"{name} does not say the type of {', '.join(missing)}")
    if set(taken) - {"body", "query"} != set(params):
        raise TypeError(f"{name} takes {taken}, but the path has {list(params)}")
    body = None if route.receive else hints.get("body")  # the plugin decides what `receive` yields
    patch = get_origin(body) is Patch
    if patch:
        (body,) = get_args(body)
    query = resolve_query(hints.get("query"))
    if query and not is_struct(query):
        raise TypeError(f"{name} takes a query that is not a Struct: {query!r}")
    if body and route.method in ("GET", "DELETE"):
        raise TypeError(f"{name} takes a body, which a {route.method} does not have")
    answer = hints["return"]
    # A client may send back what it received with a change or a new record, but not with an action.
    is_record = patch or (route.status == 201 and not params)
    shown = answer if body and is_record and is_struct(answer) else None
    if isinstance(reader := compiled(body, shown), StructOf):
        _ = reader.members  # fails now, and not at the first request, if it cannot be read
    return Signature(body, patch, query, params, answer, shown)


def heard_struct(hear: Callable[..., None]) -> Any:
    """Return the Struct of the data that a function hearing an event takes; None if it declares none."""
    (first, *taken), hints = _declared_types(hear)
    kind = hints.get(taken[0]) if len(taken) == 1 and first == "ctx" else None
    return kind if is_struct(kind) else None


def heard_events(heard: str, declared: Iterable[str]) -> tuple[list[str], str | None]:
    """Return the events that a name in `hears` means, and the member that their records must have, if it says one."""
    event, _, member = heard.partition(" with ")
    events = [each for each in declared if each.endswith(event[1:])] if event.startswith("*.") else [event]
    return events, member or None


@lru_cache(2048)  # a fifth of the time that another app of the same process takes to build
def _declared_types(function: Callable[..., Any]) -> tuple[list[str], dict[str, Any]]:
    """Return the names of a function's parameters, "" if there are none, and the types that it declares."""
    hints = get_type_hints(function, include_extras=True)
    return [*inspect.signature(function).parameters] or [""], hints
