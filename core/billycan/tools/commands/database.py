"""Commands for the tables and the roles that may use them."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

import secrets
from typing import TYPE_CHECKING

import click

from ..opening import open_app, open_as_owner, open_checked_app
from ..printing import as_json, print_json

if TYPE_CHECKING:
    pass


@click.command()
@as_json
def migrate(as_json: bool) -> None:
    """Create or upgrade the tables of core and of every enabled plugin.

    \b
    billycan migrate
    """
    from ...starting import migrate as migrations

    with open_as_owner(open_app) as app:
        tell = (lambda step: None) if as_json else click.echo
        changed = migrations.upgrade(app.db, app.manifests, tell)
    if as_json:
        print_json({"changed": changed})
    elif not changed:
        click.echo("nothing to do")


@click.group()
def database() -> None:
    """Manage the database."""


@database.command("harden")
@click.argument("role", default="billycan_web")
def harden_database(role: str) -> None:
    """Let PostgreSQL isolate tenants by row-level security, with ROLE for the server to run as.

    ROLE can read and write rows but owns nothing. If it does not exist yet, it is created with a password that is
    shown only once. Run this as the owner of the tables, with permission to create roles, or as a superuser.

    \b
    billycan database harden
    billycan database harden billycan_web
    """
    from ...starting import policies

    with open_as_owner(open_checked_app) as app:
        if app.db.is_sqlite:
            raise click.ClickException(
                "SQLite has no roles: each query keeps tenants apart, and every statement is checked"
            )
        password = secrets.token_urlsafe(24)
        with app.db.writing() as db:
            was = policies.stand(db)
            made = policies.build(db, role, password)
            slow = policies.searches_unindexed(db)
    url = app.db.url.set(username=role, password=password if made else None).render_as_string(hide_password=False)
    click.echo("tenants are kept apart by row-level security" + (" already" if was else ""))
    click.echo("Let the web server and the worker run as this role, and only `billycan migrate` as the owner:")
    click.echo(f"\n  BILLYCAN_DATABASE={url}\n")
    if made:
        click.echo("The password cannot be shown again.")
    if slow:
        click.echo("Searches read every row of a tenant until a superuser runs this command once.")
