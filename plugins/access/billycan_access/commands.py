"""The command `billycan access`: who asks for access, and who gets it."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from billycan import App


@click.group("access")
def access() -> None:
    """List the requests for access, and approve or refuse them.

    \b
    billycan access list
    """


@access.command("list")
@click.option("--all", "all_states", is_flag=True, help="Include those that were decided on or have expired.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def list_requests(opened: Any, all_states: bool, as_json: bool) -> None:
    """List the requests that await a decision.

    \b
    billycan access list --json
    """
    from . import records

    with _access(opened) as app, app.db.writing() as db:
        records.expire(db, app)
        rows = [dict(row._mapping) for row in records.listed(db, app, all_states=all_states)]
    if as_json:
        _say(rows, as_json)
        return
    for row in rows:
        click.echo(f"{row['id']}  {row['state']}  {row['email']}  {row['abn'] or '-'}  {row['business']!r}")
    if not rows:
        click.echo("nobody waits")


@access.command("approve")
@click.argument("request_id")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def approve(opened: Any, request_id: str, as_json: bool) -> None:
    """Create the business, its sandbox and its owner's invitation; prints the link to send to them.

    \b
    billycan access approve acc_01abc
    """
    from msgspec import to_builtins

    from . import records

    with _access(opened) as app, app.db.writing() as db:
        approved = records.approve(db, app, request_id)
    _say(to_builtins(approved), as_json)


@access.command("refuse")
@click.argument("request_id")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def refuse(opened: Any, request_id: str, as_json: bool) -> None:
    """Refuse a request; nobody is notified.

    \b
    billycan access refuse acc_01abc
    """
    from . import records

    with _access(opened) as app, app.db.writing() as db:
        records.refuse(db, app, request_id)
    _say({"request": request_id, "refused": True}, as_json)


@contextmanager
def _access(opened: Any) -> Iterator["App"]:
    from billycan import Problem

    with opened() as app:
        if "access" not in app.manifests:
            raise click.ClickException("the plugin access is not enabled: add it to plugins")
        try:
            yield app
        except Problem as problem:
            raise click.ClickException(problem.message) from problem


def _say(found: Any, as_json: bool) -> None:
    from billycan.web import encode

    if as_json:
        click.echo(encode(found).decode())
    else:
        click.echo("\n".join(f"{name}: {value}" for name, value in found.items()))
