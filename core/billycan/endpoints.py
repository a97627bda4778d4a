"""Mounted routes: each with its handler's parameters and answer, and the function that runs it."""

import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, get_args, get_origin

from msgspec import Struct

from . import chosen
from .context import Context
from .extending import Extended, fill_members
from .manifest import Route
from .resources import Page
from .states import NotPossible

if TYPE_CHECKING:
    from .app import App

PARAMETER = re.compile(r"{(\w+)}")


class Signature(Struct, frozen=True):
    """A handler's contract: its body (None if it reads none), query, path parameters and answer.

    `patch` says that the body is a merge patch of that Struct; `shown` is the Struct whose members are read-only in it.
    A POST whose handler names no body still takes an empty object.
    """

    body: Any
    patch: bool
    query: Any
    params: tuple[str, ...]
    answer: Any
    shown: Any

    @property
    def listed(self) -> Any:
        """The Struct of a list's items; None if the answer is not a page."""
        return get_args(self.answer)[0] if get_origin(self.answer) is Page else None


class Endpoint(Struct, frozen=True):
    """A mounted route: its plugin, its handler's signature, and the prefixes of the ids that its filters take.

    `extended` is the resource whose body it takes, if other plugins take members of that body, too. `choice` has the
    members that its `fields` can choose. `off` are the actions of its record whose plugins are off.
    """

    plugin: str
    route: Route
    signature: Signature
    ids: Mapping[str, str] = {}
    extended: Extended | None = None
    choice: chosen.Choice | None = None
    off: frozenset[str] = frozenset()

    def prepare(self, ctx: Context, values: Mapping[str, Any], params: Mapping[str, str]) -> None:
        """Call the route's `prepare` with what its handler will get, before the transaction begins."""
        if self.route.prepare is None:
            return
        if self.extended and "body" in values:
            values = {**values, "body": self.extended.take_out(self, values["body"], params.get("id"))[0]}
        ctx.prepare(partial(self.route.prepare, ctx, **values, **params))

    def run(self, ctx: Context, values: Mapping[str, Any], params: Mapping[str, str]) -> Any:
        """Call the handler with these values, its `query` and `body`; return its answer with the plugins' members."""
        if self.extended and "body" in values:
            body, ctx.sent_besides = self.extended.take_out(self, values["body"], params.get("id"))
            values = {**values, "body": body}
        try:
            answer = self.route.handler(ctx, **values, **params)
        except NotPossible as refusal:
            raise refusal.without(self.off) from None
        if ctx.sent_besides:
            raise RuntimeError(
                f"{self.route.method} {self.route.path}: its handler did not call its Records' insert or save"
            )
        if ctx.told and ctx.told[0] is answer:
            return ctx.told[1]
        return fill_members(ctx, answer)


def endpoint_at(app: "App", method: str, path: str) -> tuple[Endpoint, dict[str, str]] | None:
    """Return the endpoint that answers at a path, which may have a query, with the path's parameters."""
    found = app.find(path.partition("?")[0])
    endpoint = app.at.get((method, found[-1])) if found else None
    return (endpoint, found[2]) if endpoint else None
