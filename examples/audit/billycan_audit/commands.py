"""The command `billycan audit`: verify the chains."""

import sys
from collections import defaultdict
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
@click.option("--checkpoint", "kept", multiple=True, help="What a webhook told: TENANT:SEQUENCE:HASH. Repeat it.")
@click.pass_obj
def verify(opened: "Callable[[], AbstractContextManager[App]]", kept: tuple[str, ...]) -> None:
    """Verify each business's chain and name its first broken link; exit code 1 if there is one."""
    from .chain import count_entries, find_faults  # noqa: PLC0415 - `--help` must not load the database library

    found, told = {}, defaultdict[str, dict[int, str]](dict)
    for each in kept:
        tenant_id, sequence, hash = [*each.split(":"), "", ""][:3]
        if not sequence.isdecimal() or not hash:
            raise click.ClickException(f"{each}: a checkpoint is TENANT:SEQUENCE:HASH")
        told[tenant_id][int(sequence)] = hash
    with opened() as app, app.db.reading(across="verifies every business's entries") as db:
        for tenant_id, entries in count_entries(db):
            found[tenant_id] = next(find_faults(db, tenant_id, entries, told.get(tenant_id)), None)
            click.echo(f"{tenant_id}  {found[tenant_id] or f'{entries} entries, unbroken'}")
    sys.exit(1 if any(found.values()) else 0)
