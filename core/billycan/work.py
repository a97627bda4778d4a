"""The unit of work: one transaction with everything that belongs to it, and what follows once it is durable."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from . import events
from .engines.statements import at_once
from .problems import Problem

if TYPE_CHECKING:
    from .context import Context

log = logging.getLogger("billycan")


@contextmanager
def unit_of_work(ctx: "Context") -> Iterator[None]:
    """Begin; on leaving publish the events and commit, then announce that. Any exception rolls all of it back."""
    try:
        with ctx.app.db.writing(ctx.tenant_id) as ctx.db:
            yield
            write_events(ctx, commits=True)
    except Problem as problem:
        if problem.find_more:
            ctx.memo = {}
            with ctx.app.db.reading(ctx.tenant_id) as ctx.db:
                problem.more |= problem.find_more(ctx)
        raise
    if ctx.outdates:
        ctx.app.epoch.bump()
    call_after_commit(ctx)


def write_events(ctx: "Context", *, commits: bool = False) -> None:
    """Tell of the events, and write all of them to the log, last of all."""
    notify_hearers(ctx)
    if last := [*ctx.last, *events.written(ctx)]:
        at_once(ctx.db, *last, commits=commits)


def notify_hearers(ctx: "Context", *, of_many: bool = False) -> None:
    """Tell whoever hears an event of it, who may emit more; not, if `of_many`, those who will hear of all at once."""
    on_event = ctx.app.on_event_of_many if of_many else ctx.app.hook.on_event
    for event in ctx.events:
        for hear, read in ctx.app.hearers.get(event.name, ()):
            hear(ctx, read(event.data))
        on_event(ctx=ctx, event=event)


def call_after_commit(ctx: "Context") -> None:
    """Tell every plugin that the transaction is durable, events or none; one that fails keeps no other from hearing."""
    offered: dict[str, Any] = {"ctx": ctx, "events": ctx.events}
    for implementation in ctx.app.after_commit:
        try:
            implementation.function(*(offered[name] for name in implementation.argnames))
        except Exception:
            log.exception("after_commit of %s failed", implementation.plugin_name)
