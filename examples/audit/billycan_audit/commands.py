"""The command `billycan audit`."""

import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from billycan import App


@click.group()
def audit() -> None:
    """The log of every change."""


@audit.command()
@click.pass_obj
def verify(opened: "Callable[[], AbstractContextManager[App]]") -> None:
    """Follow each business's chain of entries and name its first broken link; exit code 1 where there is one."""
    from .chain import broken, lengths  # noqa: PLC0415 - whoever asks for help waits for no database library

    found = {}
    with opened() as app, app.db.reading(across="verifies every business's entries") as db:
        for tenant_id, entries in lengths(db):
            found[tenant_id] = next(broken(db, tenant_id, entries), None)
            click.echo(f"{tenant_id}  {found[tenant_id] or f'{entries} entries, unbroken'}")
    sys.exit(1 if any(found.values()) else 0)
