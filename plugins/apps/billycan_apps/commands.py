"""The command `billycan apps`: registered and published apps, and their connections to businesses."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from billycan import App

    from .app_records import Registered

_as_json = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


@click.group("apps")
def apps() -> None:
    """Register and publish the apps of third parties, and see or end their connections.

    \b
    billycan apps list
    """


@apps.command("create")
@click.option("--tenant", required=True, metavar="TEN", help="The business that the app belongs to.")
@click.option("--name", required=True, help="What people are asked to connect.")
@click.option("--home-page", required=True, metavar="URL", help="Where they read about it.")
@click.option("--redirect-uri", "redirect_uris", required=True, multiple=True, metavar="URI", help="May be repeated.")
@click.option("--scope", "scopes", required=True, multiple=True, help="What it may ask for; may be repeated.")
@click.option("--public", is_flag=True, help="It runs where no secret can be kept, as on a phone.")
@_as_json
@click.pass_obj
def create(
    opened: Any,
    tenant: str,
    name: str,
    home_page: str,
    redirect_uris: tuple[str, ...],
    scopes: tuple[str, ...],
    public: bool,
    as_json: bool,
) -> None:
    """Register an app of a business; prints its id and its secret, which cannot be shown again.

    \b
    billycan apps create --tenant ten_01abc --name "Ledger Sync" --home-page https://app.example.com \\
      --redirect-uri https://app.example.com/cb --scope invoices:read
    """
    from billycan_users.api import live_of

    from . import app_records

    with _open_app(opened) as app, app.db.writing() as db:
        wanted = [scope for text in scopes for scope in text.split()]
        edition = app_records.checked_edition(app, name, home_page, redirect_uris, wanted)
        business_id = live_of(db, tenant)
        id, secret = app_records.register_app(db, business_id, edition, app.now(), is_confidential=not public)
    _print_found({"app": id, "secret": secret}, as_json)


@apps.command("list")
@_as_json
@click.pass_obj
def list_apps(opened: Any, as_json: bool) -> None:
    """List the registered apps, newest first.

    \b
    billycan apps list --json
    """
    from billycan_users.api import digest_of

    from . import app_records

    with _open_app(opened) as app, app.db.reading() as db:
        found = app_records.list_all_apps(db)
    if as_json:
        _print_found([_print_app(each) for each in found], as_json)
        return
    for each in found:
        state = "changed since it was published" if each.is_outdated else "published" if each.published else "own only"
        shown = f"{each.own.name!r}  {each.own.home_page}  {digest_of(each.own)}"
        click.echo(f"{each.id}  {each.business_id}  {state}  {shown}")
    if not found:
        click.echo("no app is registered")


@apps.command("publish")
@click.argument("app_id")
@click.option("--withdraw", is_flag=True, help="Let no other business connect it from now on.")
@click.option("--digest", help="Publish what `billycan apps list` showed with this digest, without asking.")
@_as_json
@click.pass_obj
def publish(opened: Any, app_id: str, withdraw: bool, digest: str | None, as_json: bool) -> None:
    """Let every business connect an app as it is now: it is shown, and published once you confirm that.

    If it has changed since it was shown, it is not published. In a script, read it with `billycan apps list --json`
    and give its digest.

    \b
    billycan apps publish app_01abc
    billycan apps publish app_01abc --digest 0c5f6b1d2a9e4f370c5f6b1d2a9e4f37
    """
    from billycan_users.api import check_digest

    from . import app_records

    with _open_app(opened) as app:
        if not withdraw:
            digest = digest or _confirm_edition(app, app_id, as_json=as_json)
        with app.db.writing() as db:
            if withdraw:
                found = app_records.withdraw_app(db, app_id)
            else:
                found = app_records.publish_app(db, app_id, lambda own: check_digest(digest, own))
    _print_found(_print_app(found), as_json)


def _confirm_edition(app: "App", app_id: str, *, as_json: bool) -> str:
    """Show an app's edition, and return its digest if the operator confirms it."""
    from . import app_records

    if as_json:
        raise click.UsageError("--digest: give the digest that `billycan apps list` shows: --json asks nothing")
    with app.db.reading() as db:
        found = _print_app(app_records.get_app(db, app_id))
    for name in ("name", "home_page", "redirect_uris", "scopes", "digest"):
        shown = found[name] if isinstance(found[name], str) else " ".join(found[name])
        click.echo(f"{name.replace('_', ' ')}: {shown!r}")
    click.confirm("Let every business connect this app?", abort=True)
    return str(found["digest"])


@apps.command("end")
@click.argument("app_id")
@_as_json
@click.pass_obj
def end(opened: Any, app_id: str, as_json: bool) -> None:
    """End an app in every business at once: its tokens are refused, and its webhook endpoints are deleted.

    No other business can connect it until it is published again.

    \b
    billycan apps end app_01abc
    """
    from . import app_removal

    with _open_app(opened) as app:
        count = app_removal.end_app(app, app_id)
    _print_found({"app": app_id, "disconnected": count}, as_json)


@apps.command("delete")
@click.argument("app_id")
@_as_json
@click.pass_obj
def delete(opened: Any, app_id: str, as_json: bool) -> None:
    """Delete an app, after ending it in every business.

    \b
    billycan apps delete app_01abc
    """
    from . import app_removal

    with _open_app(opened) as app:
        app_removal.delete_app(app, app_id)
    _print_found({"app": app_id, "deleted": True}, as_json)


@apps.command("rotate-secret")
@click.argument("app_id")
@_as_json
@click.pass_obj
def rotate_secret(opened: Any, app_id: str, as_json: bool) -> None:
    """Print a new secret for an app; the previous one stays valid, and older ones are refused.

    \b
    billycan apps rotate-secret app_01abc
    """
    from . import app_records

    with _open_app(opened) as app, app.db.writing() as db:
        app_records.get_app(db, app_id)
        secret = app_records.rotate_secret(db, app_id, app.now())
    _print_found({"app": app_id, "secret": secret}, as_json)


@apps.command("connections")
@click.option("--tenant", required=True, metavar="TEN", help="The business, or its sandbox.")
@_as_json
@click.pass_obj
def list_connections(opened: Any, tenant: str, as_json: bool) -> None:
    """List the apps that are connected to a business, newest first.

    \b
    billycan apps connections --tenant ten_01abc --json
    """
    from billycan import Context

    from . import connecting

    with _open_app(opened) as app:
        ctx = Context(app, tenant, writes=False)
        with app.db.reading(tenant) as ctx.db:
            rows = [_print_connection(row, connecting.app_name(row)) for row in connecting.list_connected(ctx)]
    if as_json:
        _print_found(rows, as_json)
        return
    for row in rows:
        used = row["last_used_at"] or "never used"
        click.echo(f"{row['id']}  {row['app']['name']!r}  by {row['connected_by']['name']}  {used}")
    if not rows:
        click.echo("nothing is connected")


@apps.command("disconnect")
@click.argument("connection_id")
@click.option("--tenant", required=True, metavar="TEN", help="The business, or its sandbox.")
@_as_json
@click.pass_obj
def disconnect(opened: Any, connection_id: str, tenant: str, as_json: bool) -> None:
    """End a connection, with its tokens and webhook endpoints.

    \b
    billycan apps disconnect cnx_01abc --tenant ten_01abc
    """
    from billycan import Context

    from . import connecting

    with _open_app(opened) as app:
        ctx = Context(app, tenant)
        with ctx.transaction():
            connecting.end_connection(ctx, connection_id)
    _print_found({"connection": connection_id, "disconnected": True}, as_json)


def _print_app(app: "Registered") -> dict[str, Any]:
    from msgspec import to_builtins

    from billycan_users.api import digest_of

    own: dict[str, Any] = to_builtins(app.own)
    return {
        "id": app.id,
        "tenant": app.business_id,
        **own,
        "confidential": app.is_confidential,
        "published": to_builtins(app.published),
        "digest": digest_of(app.own),
        "created_at": app.created_at,
    }


def _print_connection(row: Any, name: str) -> dict[str, Any]:
    return {
        "id": row.id,
        "tenant": row.tenant_id,
        "app": {"id": row.app_id, "name": name},
        "scopes": row.scopes,
        "connected_by": {"id": row.user_id, "name": row.user_name},
        "connected_at": row.created_at,
        "consented_at": row.consented_at,
        "last_used_at": row.last_used_at,
        "held_at": row.held_at,
    }


@contextmanager
def _open_app(opened: Any) -> Iterator["App"]:
    from billycan import Problem

    with opened() as app:
        if "apps" not in app.manifests:
            raise click.ClickException("the plugin apps is not enabled: add it to plugins")
        try:
            yield app
        except Problem as problem:
            faults = "; ".join(f"{fault.param} {fault.message}" for fault in problem.details)
            raise click.ClickException(faults or problem.message) from problem


def _print_found(found: Any, as_json: bool) -> None:
    from billycan.web import encode

    if as_json:
        click.echo(encode(found).decode())
    else:
        click.echo("\n".join(f"{name}: {value}" for name, value in found.items()))
