"""An append-only, hash-chained log of every change: who did what, and when."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import click

from billycan import App, Context, Event, Manifest, Route, hookimpl

from .chain import append, audit, broken, lengths
from .handlers import list_audit


# Last, so that no other subscriber's locks are waited for while the end of the chain is held.
@hookimpl(trylast=True)
def on_event(ctx: Context, event: Event) -> None:
    """Keep an entry for every change, in the transaction that made it."""
    append(ctx, event)


@click.command("verify")
@click.pass_obj
def verify(opened: Callable[[], AbstractContextManager[App]]) -> None:
    """Follow each business's chain of entries and name its first broken link; exit code 1 where there is one."""
    found = {}
    with opened() as app, app.db.reading() as db:
        for tenant_id, entries in lengths(db):
            found[tenant_id] = next(broken(db, tenant_id, entries), None)
            click.echo(f"{tenant_id}  {found[tenant_id] or f'{entries} entries, unbroken'}")
    sys.exit(1 if any(found.values()) else 0)


manifest = Manifest(
    name="audit",
    tables=(audit,),
    migrations=Path(__file__).parent / "migrations",
    routes=(Route("GET", "/v1/audit", list_audit, scope="audit:read"),),
    commands=(click.Group("audit", {"verify": verify}, help="The log of every change."),),
)
