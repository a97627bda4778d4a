"""The checks of `billycan doctor --restore-test`: a backup restored into a database that is thrown away afterwards."""

import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import sqlalchemy as sa

from ..app import App
from ..manifest import Manifest
from ..moving.backups import Backup, Refused, broken_references, count_rows, plain_connection
from ..operating.health import Finding
from ..starting import migrate, settings, versions
from .opening import with_settings

_MADE_NEW = "make another backup, and keep the one before until it passes this test"


def examine_backup(folder: Path, into: str | None = None) -> Iterator[Finding]:
    """Restore a backup, into the empty database `into` or one of its own, and check what is there."""
    try:
        backup = Backup(folder)
        if damages := [*backup.check()]:
            yield Finding("files", False, "; ".join(damages[:5]), _MADE_NEW, {"damaged": len(damages)})
            return
        whole = backup.whole
        yield Finding("files", True, f"the database and {whole.files:,} files are as their hashes say")
        config = settings.load_settings()
        with (
            _throwaway_database(config, into) as url,
            tempfile.TemporaryDirectory(prefix="billycan-restore-") as shared,
        ):
            backup.fill_database(url)
            yield Finding("restored", True, f"as of {whole.made_at}, by release {whole.release}")
            given = {"database": url.render_as_string(hide_password=False), "database_owner": None}
            secret = config.settings.secret or "x" * 32
            app = App(with_settings(config, **given, secret=secret, shared_folder=shared))
            try:
                yield from _check_restored(app, backup)
            finally:
                app.close()
    except Refused as error:
        yield Finding("restored", False, str(error), _MADE_NEW)


def _check_restored(app: App, backup: Backup) -> Iterator[Finding]:
    yield _check_schema(app)
    with plain_connection(app.db.url) as db:
        there, said = count_rows(db), backup.whole.tables
        wrong = [
            f"{name} has {there.get(name, 0):,} rows and not {n:,}" for name, n in said.items() if there.get(name) != n
        ]
        rows = f"{sum(there.values()):,} rows in {len(there):,} tables"
        yield _build_finding("counts", wrong, f"{rows}, as many as were backed up")
        yield _build_finding("references", broken_references(db), "every foreign key holds")
        for plugin, offer in app.offered(Manifest.Sound):
            yield _build_finding(plugin, [*offer.faults(db)], offer.says)
        yield _build_finding("hashes", [*_wrong_hashes(app, backup, db)], "stored files are those that the rows name")


def _check_schema(app: App) -> Finding:
    try:
        versions.check_schema(app.db, app.manifests)
    except versions.SchemaBehind as error:
        return Finding("schema", False, str(error), "use the release that made it, or migrate once it is restored")
    found = {name: migrate.find_differences(app.db, name, m.tables) for name, m in app.manifests.items()}
    wrong = [f"{name}: {said}" for name, all_ in found.items() for said in migrate.describe_differences(all_)]
    return _build_finding("schema", wrong, "the tables are as this release declares them")


def _wrong_hashes(app: App, backup: Backup, db: sa.Connection) -> Iterator[str]:
    """Compare the hashes of files with those that their rows have."""
    tables = {plugin: offer.table for plugin, offer in app.offered(Manifest.Files) if "sha256" in offer.table.c}
    hashes: dict[str, dict[tuple[str, str], str]] = {}
    for plugin, table in tables.items():
        rows = db.execute(sa.select(table.c.tenant_id, table.c.id, table.c.sha256))
        hashes[plugin] = {(row.tenant_id, row.id): row.sha256 for row in rows}
    for stored in backup.files():
        if stored.plugin in hashes and hashes[stored.plugin].get((stored.tenant_id, stored.id)) != stored.sha256:
            yield f"{stored.path} is not what its row says"


def _build_finding(check: str, wrong: list[str], well: str) -> Finding:
    if not wrong:
        return Finding(check, True, well)
    return Finding(check, False, "; ".join(wrong[:5]), _MADE_NEW, {"faults": len(wrong)})


@contextmanager
def _throwaway_database(config: settings.Config, into: str | None) -> Iterator[sa.URL]:
    """Yield the URL of an empty database, and drop it afterwards unless it was given."""
    url = sa.make_url(into or config.settings.database_owner or config.settings.database)
    if into:
        yield url
    elif url.get_backend_name() == "sqlite":
        with tempfile.TemporaryDirectory(prefix="billycan-restore-") as folder:
            yield url.set(database=str(Path(folder) / "restored.db"))
    else:
        name = f"billycan_restore_{secrets.token_hex(4)}"
        _run_statement(url, f"CREATE DATABASE \"{name}\" TEMPLATE template0 ENCODING 'UTF8'")
        try:
            yield url.set(database=name)
        finally:
            _run_statement(url, f'DROP DATABASE "{name}" WITH (FORCE)')


def _run_statement(url: sa.URL, statement: str) -> None:
    try:
        with plain_connection(url, "AUTOCOMMIT") as db:
            db.exec_driver_sql(statement)
    except sa.exc.ProgrammingError as error:
        if getattr(error.orig, "sqlstate", "") != "42501":
            raise
        raise Refused(
            f"the role {url.username} may not create a database: name an empty one by --into, or allow it by ALTER ROLE"
            f" {url.username} CREATEDB"
        ) from None
