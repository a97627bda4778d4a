"""The command `billycan access`: list, approve and refuse requests for access."""
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

    with _open_app(opened) as app, app.db.writing() as db:
        records.expire_requests(db, app)
        rows = [_print_request(row) for row in records.list_requests(db, app, all_states=all_states)]
    if as_json:
        _print_found(rows, as_json)
        return
    for row in rows:
        who = f"{row['email']}  {row['abn'] or '-'}  {row['business']!r}"
        click.echo(f"{row['id']}  {row['state']}  {who}  {row['digest']}")
    if not rows:
        click.echo("nobody waits")


@access.command("approve")
@click.argument("request_id")
@click.option("--digest", help="Approve what `billycan access list` showed with this digest, without asking.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_obj
def approve(opened: Any, request_id: str, digest: str | None, as_json: bool) -> None:
    """Show a request; once you confirm it, create the business, its sandbox and its owner's invitation.

    It prints the link to send to the owner. A request that has changed since it was shown is not approved. In a script,
    read it with `billycan access list --json` and give its digest.

    \b
    billycan access approve acc_01abc
    billycan access approve acc_01abc --digest 0c5f6b1d2a9e4f370c5f6b1d2a9e4f37
    """
    from msgspec import to_builtins

    from billycan_users.api import check_digest

    from . import records

    with _open_app(opened) as app:
        digest = digest or _confirm_request(app, request_id, as_json=as_json)
        with app.db.writing() as db:
            approved = records.approve_request(db, app, request_id, lambda now: check_digest(digest, now))
    _print_found(to_builtins(approved), as_json)


def _confirm_request(app: "App", request_id: str, *, as_json: bool) -> str:
    """Show a request, and return its digest once the operator confirms it."""
    from . import records

    if as_json:
        raise click.UsageError("--digest: give the digest that `billycan access list` shows: --json asks nothing")
    with app.db.writing() as db:
        found = _print_request(records.lock_request(db, app, request_id))
    for name in ("business", "abn", "email", "purpose", "state", "digest"):
        click.echo(f"{name}: {found[name]!r}")
    click.confirm("Give this business access?", abort=True)
    return str(found["digest"])


def _print_request(row: Any) -> dict[str, Any]:
    """Return a request as the commands print it, with the digest of the members that an approval depends on."""
    from billycan_users.api import digest_of

    from . import records

    shown = {name: value for name, value in row._mapping.items() if name not in records.HIDDEN}
    return shown | {"digest": digest_of(records.decision_members(row))}


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

    with _open_app(opened) as app, app.db.writing() as db:
        records.refuse_request(db, app, request_id)
    _print_found({"request": request_id, "refused": True}, as_json)


@contextmanager
def _open_app(opened: Any) -> Iterator["App"]:
    from billycan import Problem

    with opened() as app:
        if "access" not in app.manifests:
            raise click.ClickException("the plugin access is not enabled: add it to plugins")
        try:
            yield app
        except Problem as problem:
            raise click.ClickException(problem.message) from problem


def _print_found(found: Any, as_json: bool) -> None:
    from billycan.web import encode

    if as_json:
        click.echo(encode(found).decode())
    else:
        click.echo("\n".join(f"{name}: {value}" for name, value in found.items()))
