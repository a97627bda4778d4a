"""Commands for the tables and the roles that may use them."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

import secrets

import click

from ..opening import open_app, open_as_owner, open_checked_app
from ..printing import as_json, print_json


@click.command()
@click.option("--status", is_flag=True, help="Change nothing: show the versions, and how far the worker filled rows.")
@as_json
def migrate(*, status: bool, as_json: bool) -> None:
    """Create or upgrade the tables of core and of every enabled plugin.

    \b
    billycan migrate
    billycan migrate --status
    """
    from ...starting import migrate as migrations

    if status:
        _show_status(as_json=as_json)
        return
    with open_as_owner(open_app) as app:
        tell = (lambda step: None) if as_json else click.echo
        changed = migrations.upgrade_all(app.db, app.manifests, tell)
    if as_json:
        print_json({"changed": changed})
    elif not changed:
        click.echo("nothing to do")


def _show_status(*, as_json: bool) -> None:
    from ...starting import filling, versions

    with open_as_owner(open_app) as app:
        chains = versions.find_chains(app.manifests)
        with app.db.reading() as db:
            at = versions.stored_versions(db, [chain.name for chain in chains])
        fills = filling.look(app.db, app.manifests)
    if as_json:
        print_json({"versions": at, "fills": [each._asdict() for each in fills]})
        return
    for chain in chains:
        found = at.get(chain.name, "nothing")
        click.echo(
            f"{chain.name}: {found}" if found == chain.last else f"{chain.name}: {found}, the code: {chain.last}"
        )
    for each in fills:
        click.echo(each)


@click.group()
def database() -> None:
    """Manage the database."""


@database.command("harden")
@click.argument("role", default="billycan_web")
def harden_database(role: str) -> None:
    """Let PostgreSQL isolate tenants by row-level security, with ROLE for the server to run as.

    ROLE can read and write rows but owns nothing. Run this as the owner of the tables, or as a superuser. If ROLE does
    not exist yet, it is created with a password that is shown only once, which takes permission to create roles.

    \b
    billycan database harden
    billycan database harden billycan_web
    """
    import sqlalchemy as sa

    from ...starting import policies, settings

    with open_as_owner(open_checked_app) as app:
        if app.db.is_sqlite:
            raise click.ClickException(
                "SQLite has no roles: each query keeps tenants apart, and every statement is checked"
            )
        password = secrets.token_urlsafe(24)
        with app.db.writing() as db:
            was = policies.has_policies(db)
            made = policies.create_policies(db, role, password)
            slow = policies.index_statements(db) if policies.searches_unindexed(db) else []
    # By the server's way to the database, if that is another than the owner's. Over a socket of the file system most
    # let in nobody but the account of the role's own name.
    way = sa.make_url(settings.load_settings().settings.database)
    way = app.db.url if way.get_backend_name() == "sqlite" else way
    host = way.host or (None if "host" in way.query else "127.0.0.1")
    # Not by `set`, which would leave the owner's password where there is no other.
    url = sa.URL.create(
        way.drivername, role, password if made else None, host, way.port, app.db.url.database, dict(way.query)
    )
    click.echo("tenants are kept apart by row-level security" + (" already" if was else ""))
    click.echo("Let the web server and the worker run as this role, and only `billycan migrate` as the owner:")
    click.echo(f"\n  BILLYCAN_DATABASE={url.render_as_string(hide_password=False)}\n")
    click.echo("The password cannot be shown again." if made else "Add the password that the role was given.")
    if slow:
        click.echo("Searches read every row of a tenant until a superuser runs this in the database once:")
        click.echo("\n" + "".join(f"  {statement};\n" for statement in slow))


@database.command("distribute")
@click.option("--check", is_flag=True, help="Only show what would be done; exit with 1 if that is anything.")
def distribute_database(check: bool) -> None:
    """Distribute the tables over a cluster, with the rows of each business on one node.

    Run this as the owner of the tables on the coordinator of a PostgreSQL with the extension Citus, while neither the
    web server nor the worker runs. `billycan migrate` then distributes new tables, too.

    \b
    billycan database distribute --check
    billycan database distribute
    """
    from ...starting import distribution, migrate

    with open_as_owner(open_checked_app) as app:
        with app.db.reading() as db:
            missing = distribution.find_missing(db, app.manifests)
            todo = [] if missing else distribution.describe_undistributed(db, app.manifests)
        if missing:
            raise click.ClickException(missing)
        for step in todo if check else migrate.distribute_tables(app.db, app.manifests):
            click.echo(step)
    if not todo:
        click.echo("nothing to do")
    elif check:
        raise click.exceptions.Exit(1)
