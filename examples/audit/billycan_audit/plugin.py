"""Audit: an append-only, hash-chained log of every change, with the key that made it and the time."""

from billycan import Context, Event, Every, Manifest, Route, hookimpl

from .chain import Checkpoint, append_event, audit, emit_checkpoint, with_news
from .handlers import list_audit
from .imported import append_imported, carrier, imported, with_imported


# Last, so that the chain is not locked while other subscribers wait for locks.
@hookimpl(trylast=True)
def on_event(ctx: Context, event: Event) -> None:
    """Add an entry for every change, in the transaction that made it; those of imported files come by `carrier`."""
    append_event(ctx, event)


manifest = Manifest(
    name="audit",
    tables=(audit, imported),
    events={"audit.checkpointed": Checkpoint},
    routes=(Route("GET", "/v1/audit", list_audit, scope="audit:read"),),
    tasks=(
        Every(seconds=60, run=append_imported, tenants=with_imported, real_time=True),
        Every(seconds=86_400, run=emit_checkpoint, tenants=with_news, real_time=True),
    ),
    offers=(carrier,),
)
