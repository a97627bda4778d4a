"""An append-only, hash-chained log of every change: who did what, and when."""

from pathlib import Path

from billycan import Context, Event, Manifest, Route, hookimpl

from .chain import append, audit
from .handlers import list_audit


# Last, so that no other subscriber's locks are waited for while the end of the chain is held.
@hookimpl(trylast=True)
def on_event(ctx: Context, event: Event) -> None:
    """Keep an entry for every change, in the transaction that made it."""
    append(ctx, event)


manifest = Manifest(
    name="audit",
    tables=(audit,),
    migrations=Path(__file__).parent / "migrations",
    routes=(Route("GET", "/v1/audit", list_audit, scope="audit:read"),),
)
