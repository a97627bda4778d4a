"""The unit of work: one transaction with everything that belongs to it, and what follows once it is durable."""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import events

if TYPE_CHECKING:
    from .app import App
    from .context import Context, Event

log = logging.getLogger("billycan")


@contextmanager
def unit_of_work(ctx: "Context") -> Iterator[None]:
    """Begin; on leaving publish the events and commit, then announce them. Any exception rolls all of it back."""
    with ctx.app.db.writing() as ctx.db:
        yield
        publish(ctx)
    announce(ctx.app, ctx.events)


def publish(ctx: "Context") -> None:
    """Tell subscribers of each event, who may emit more, and write all of them to the log."""
    for event in ctx.events:
        ctx.app.hook.on_event(ctx=ctx, event=event)
    if ctx.events:
        events.write(ctx)


def announce(app: "App", happened: "Sequence[Event]") -> None:
    """Tell every plugin that events are durable; one that fails keeps no other from hearing."""
    if not happened:
        return
    offered: dict[str, Any] = {"app": app, "events": happened}
    for implementation in reversed(app.hook.after_commit.get_hookimpls()):
        try:
            implementation.function(*(offered[name] for name in implementation.argnames))
        except Exception:
            log.exception("after_commit of %s failed", implementation.plugin_name)
