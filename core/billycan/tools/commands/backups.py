"""Commands that back a deployment up and restore it."""
# ruff: noqa: PLC0415 - a command imports what it needs, so that the others start quickly

from pathlib import Path

import click

from ...starting.command import command_line
from ..opening import open_app, open_as_owner, open_checked_app
from ..printing import as_json, print_json


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
@as_json
def backup(folder: Path, as_json: bool) -> None:
    """Back up the whole deployment into the new folder FOLDER: the database, and the files beside it.

    The database is of one moment, and requests are served meanwhile. The secret is not in it: keep that elsewhere. On
    PostgreSQL, run this with BILLYCAN_DATABASE_OWNER set to the URL of who owns the tables.

    \b
    billycan backup /var/backups/billycan/2026-11-27
    """
    from ...moving.backups import Refused, write_backup

    with open_as_owner(open_checked_app) as app:
        try:
            whole = write_backup(app, folder)
        except Refused as error:
            raise click.ClickException(str(error)) from None
    if as_json:
        print_json(whole)
        return
    rows = sum(whole.tables.values())
    click.echo(f"{folder} has the deployment as of {whole.made_at}: {rows:,} rows and {whole.files:,} files")
    if whole.missing:
        click.echo(f"{whole.missing:,} files are still in the database, or were not found where they are kept")
    click.echo(f"See that it can be restored: {command_line('doctor --restore-test')} {folder}")


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path))
@as_json
def restore(folder: Path, as_json: bool) -> None:
    """Restore the backup in FOLDER into the empty database of the settings, and put its files where they are kept.

    All of it is compared with its hashes first. With SQLite, move the file of the old database away before; on
    PostgreSQL, create an empty one, and both roles.

    \b
    billycan restore /var/backups/billycan/2026-11-27
    """
    import sqlalchemy as sa

    from ...moving.backups import Backup, Refused
    from ...starting import settings

    core = settings.load_settings().settings
    try:
        found = Backup(folder)
        for damage in found.check():
            raise Refused(f"{damage}: nothing was restored")
        found.fill_database(sa.make_url(core.database_owner or core.database))
        with open_as_owner(open_app) as app:
            found.put_files(app)
    except Refused as error:
        raise click.ClickException(str(error)) from None
    if as_json:
        print_json(found.whole)
        return
    click.echo(f"restored as of {found.whole.made_at}: now run `{command_line('doctor')}`, and start the services")
