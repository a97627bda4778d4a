"""Audit: an append-only, hash-chained log of every change, with the key that made it and the time."""

from billycan import Context, Event, Manifest, Route, hookimpl

from .chain import append_entry, audit
from .handlers import list_audit


# Last, so that the chain is not locked while other subscribers wait for locks.
@hookimpl(trylast=True)
def on_event(ctx: Context, event: Event) -> None:
    """Add an entry for every change, in the transaction that made it."""
    append_entry(ctx, event)


manifest = Manifest(
    name="audit",
    tables=(audit,),
    routes=(Route("GET", "/v1/audit", list_audit, scope="audit:read"),),
)
