"""What a route takes and gives, read from its handler's signature."""

import inspect
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, get_args, get_origin, get_type_hints

from msgspec import Struct

from .manifest import Page, Route
from .patch import Patch
from .reader import StructOf, compiled

if TYPE_CHECKING:
    from .app import App
    from .pipeline import Endpoint

PARAMETER = re.compile(r"{(\w+)}")


class Signature(Struct, frozen=True):
    """A handler's contract: its body (None where it reads none), query, path parameters and answer.

    `patch` says the body is a merge patch of that Struct; `shown` is the Struct whose members are read-only in it. A
    POST whose handler names no body still takes an empty object.
    """

    body: Any
    patch: bool
    query: Any
    params: tuple[str, ...]
    answer: Any
    shown: Any

    @property
    def listed(self) -> Any:
        """The Struct of a list's items; None where the answer is no page."""
        return get_args(self.answer)[0] if get_origin(self.answer) is Page else None


def read(route: Route) -> Signature:
    """The signature of a route's handler; TypeError says what core cannot serve."""
    name = f"{route.method} {route.path}: {getattr(route.handler, '__name__', route.handler)}"
    hints = get_type_hints(route.handler, include_extras=True)
    first, *taken = [*inspect.signature(route.handler).parameters] or [""]
    params = tuple(PARAMETER.findall(route.path))
    if first != "ctx":
        raise TypeError(f"{name} must take ctx first")
    if "return" not in hints:
        raise TypeError(f"{name} does not say what it returns")
    if missing := [p for p in taken if p not in hints]:
        raise TypeError(f"{name} does not say the type of {', '.join(missing)}")
    if set(taken) - {"body", "query"} != set(params):
        raise TypeError(f"{name} takes {taken}, but the path has {list(params)}")
    body = hints.get("body")
    patch = get_origin(body) is Patch
    if patch:
        (body,) = get_args(body)
    query = hints.get("query")
    if query and not (isinstance(query, type) and issubclass(query, Struct)):
        raise TypeError(f"{name} takes a query that is not a Struct: {query!r}")
    if body and route.method in ("GET", "DELETE"):
        raise TypeError(f"{name} takes a body, which a {route.method} does not have")
    answer = hints["return"]
    # What a client got it may send back with a change or a new record; an action's body is a thing of its own.
    is_record = patch or (route.status == 201 and not params)
    shown = answer if is_record and isinstance(answer, type) and issubclass(answer, Struct) else None
    if isinstance(reader := compiled(body, shown), StructOf):
        _ = reader.members  # says now, and not at the first request, what it cannot read
    return Signature(body, patch, query, params, answer, shown)


def endpoint_at(app: "App", method: str, path: str) -> "tuple[Endpoint, dict[str, str]] | None":
    """The endpoint that answers at a path, be there a query behind it or not, with the path's parameters."""
    # A path without parameters goes before one that its last part would be an id of.
    for endpoint in sorted(app.endpoints, key=lambda e: len(e.signature.params)):
        pattern = PARAMETER.sub(r"(?P<\1>[^/]+)", endpoint.route.path.replace(".", r"\."))
        if endpoint.route.method == method and (match := re.fullmatch(pattern, path.partition("?")[0])):
            return endpoint, match.groupdict()
    return None


def heard(hear: Callable[..., None]) -> Any:
    """The Struct of the data that a function which hears an event takes; None where it does not say one."""
    first, *taken = inspect.signature(hear).parameters or [""]
    kind = get_type_hints(hear).get(taken[0]) if len(taken) == 1 and first == "ctx" else None
    return kind if isinstance(kind, type) and issubclass(kind, Struct) else None
