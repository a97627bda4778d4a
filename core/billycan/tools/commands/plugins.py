"""Commands for installed plugins, and for writing new ones."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ..opening import open_app, open_as_owner
from ..printing import as_json, print_json, print_table

if TYPE_CHECKING:
    pass


@click.group(invoke_without_command=True)
@click.pass_context
def plugins(ctx: click.Context) -> None:
    """List installed plugins, write the next migration of one, or drop its tables.

    To begin a plugin, use `billycan new-plugin`.

    \b
    billycan plugins list
    billycan plugins new-migration vehicles "Note the odometer of each vehicle"
    billycan plugins drop invoices
    """
    if ctx.invoked_subcommand is None:
        ctx.invoke(list_plugins, as_json=False)


@plugins.command("list")
@as_json
def list_plugins(as_json: bool) -> None:
    """List the installed plugins, whether each is enabled, and the versions of its package and tables.

    \b
    billycan plugins list
    BILLYCAN_PLUGINS=-invoices billycan plugins list
    """
    import sqlalchemy as sa

    from ...starting import packages, versions

    entries = packages.installed()
    with open_app() as app:
        try:
            with app.db.reading() as db:
                tables = versions.stored_versions(db, entries)
        except sa.exc.SQLAlchemyError:
            tables = {}
            click.echo("the database cannot be reached, so the versions of tables are not shown", err=True)
        listed = [
            {
                "name": name,
                "state": "enabled" if name in app.manifests else "disabled",
                "package": entry.dist.name if entry.dist else None,
                "version": entry.dist.version if entry.dist else None,
                "tables": tables.get(name),
            }
            for name, entry in sorted(entries.items())
        ]
    if as_json:
        print_json(listed)
    else:
        print_table([tuple(plugin.values()) for plugin in listed], "no plugins are installed")


@plugins.command("drop")
@click.argument("name")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@as_json
def drop_plugin(name: str, yes: bool, as_json: bool) -> None:
    """Delete the tables of a disabled plugin, with everything in them.

    \b
    billycan plugins drop invoices
    billycan plugins drop invoices --yes
    """
    from ...starting import migrate as migrations
    from ...starting import plugins as known
    from ...starting import versions

    manifest = known.read_manifest(name)
    with open_as_owner(open_app) as app:
        if name in app.manifests:
            raise click.ClickException(f"{name} is enabled: disable it first, such as with BILLYCAN_PLUGINS=-{name}")
        with app.db.reading() as db:
            if name not in versions.stored_versions(db, [name]):
                raise click.ClickException(f"{name} has no tables here")
            if others := migrations.dependent_tables(db, manifest):
                raise click.ClickException(f"other tables refer to those of {name}: drop {', '.join(others)} first")
        if not yes:
            tables = ", ".join(table.name for table in manifest.tables)
            click.confirm(f"Delete {tables} in {app.db.url.render_as_string()} for good?", abort=True, err=True)
        migrations.drop_plugin(app.db, name, manifest)
    if as_json:
        print_json({"name": name, "dropped": [table.name for table in manifest.tables]})
    else:
        click.echo(f"{name}: tables dropped")


@plugins.command("new-migration")
@click.argument("name")
@click.argument("what")
@click.option("--empty", is_flag=True, help="Although no table differs: for a migration that changes rows.")
def new_migration(name: str, what: str, empty: bool) -> None:
    """Write the next migration of a plugin, or its first, from what its tables have now.

    WHAT is a sentence, which it begins with.

    The tables that the plugin declares are compared with those that its migrations make, in a database of its own: the
    deployment's is not touched. Changes of a column's type, and of checks, are not found. Read what was written, and
    say what rows that exist have in a new column.

    \b
    billycan plugins new-migration vehicles "Note the odometer of each vehicle"
    billycan plugins new-migration vehicles "Give each vehicle an odometer of 0" --empty
    """
    from ..new_migration import NothingToDo, write_migration

    try:
        path = write_migration(name, what, empty=empty)
    except NothingToDo as nothing:
        raise click.ClickException(str(nothing)) from None
    click.echo(path)


@plugins.command("new-resource")
@click.argument("plugin")
@click.argument("name")
@click.option("--one", metavar="WORD", help="The singular, if it is not NAME without its s.")
@click.option("--prefix", metavar="ABC", help="The three letters that ids start with.")
def new_resource(plugin: str, name: str, one: str | None, prefix: str | None) -> None:
    """Add another resource to a plugin: endpoints, table, migration and README. NAME is a plural.

    Its files are in a folder of its name, as in a new plugin; its lines are added to the manifest.

    \b
    billycan plugins new-resource vehicles hires
    billycan plugins new-resource vehicles equipment --one equipment_item
    """
    from ...starting import plugins as known
    from .. import scaffold
    from ..new_resource import write_resource

    known.read_manifest(plugin)
    try:
        words = scaffold.words(name, one, prefix, None)
        written = write_resource(plugin, words)
    except scaffold.Unfit as error:
        raise click.UsageError(str(error)) from None
    click.echo(f"{written[0].parent}: ids start with {words.prefix}_. Changed or added:\n")
    click.echo("".join(f"  {path}\n" for path in written))
    body = '{"name": "Van", "cost": "31500.00"}'
    click.echo(f"Now add a valid body to bodies() in tests/test_conformance.py:\n\n  '/v1/{words.name}': {body}")


@click.command("new-plugin")
@click.argument("name")
@click.option("--one", metavar="WORD", help="The singular, if it is not NAME without its s.")
@click.option("--prefix", metavar="ABC", help="The three letters that ids start with.")
@click.option("--about", metavar="TEXT", help="What the plugin is for, in one line.")
@click.option("--hooks-only", is_flag=True, help="Without a resource: hooks, a setting and tests.")
@click.option("--into", metavar="FOLDER", help="Where to write it; default ./billycan-NAME.")
def new_plugin(
    name: str, one: str | None, prefix: str | None, about: str | None, hooks_only: bool, into: str | None
) -> None:
    """Generate a working plugin: table, migration, endpoints, events and tests. NAME is a plural.

    \b
    billycan new-plugin vehicles
    billycan new-plugin people --one person --about "Who works where" --into ../billycan-people
    billycan new-plugin keep_all --hooks-only --about "Nothing is ever deleted"
    """
    from .. import scaffold

    try:
        if hooks_only and (one or prefix):
            raise scaffold.Unfit("--one and --prefix are for a resource: leave them out with --hooks-only")
        words = scaffold.hooks_words(name, about) if hooks_only else scaffold.words(name, one, prefix, about)
        folder = Path(into or f"billycan-{name}")
        written = scaffold.write(words, folder)
    except scaffold.Unfit as error:
        raise click.UsageError(str(error)) from None
    install, test, serve, *call = scaffold.next_steps(words, folder)
    ids = f"; ids start with {words.prefix}_" if words.prefix else ""
    click.echo(f"{folder}: {len(written)} files{ids}.")
    click.echo(f"\nInstall it, test it, and run it:\n\n  {install}\n  {test}\n  {serve}")
    if call:
        click.echo(f"\nThen, in another terminal, with KEY=svc_test_… as printed by the first run:\n\n  {call[0]}")
