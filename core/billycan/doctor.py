"""What `billycan doctor` looks at: each check says what is so, and where it fails, how to cure it."""

from collections.abc import Iterator

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from . import migrate, settings, worker
from .app import App
from .db import reason
from .explain import explained
from .plugins import PluginError
from .serve import SECRET
from .settings import SettingsError

_ALIVE_SECONDS = 30  # A worker notes every ten that it lives.
_OF_ANOTHER_FORM = (
    "a migration that has run is never changed: write a new one; while {name} is being developed, switch it off and"
    " run `billycan plugins drop {name}`, or take a new database"
)


class Finding(Struct):
    """One thing that was looked at."""

    check: str
    ok: bool
    message: str
    cure: str | None = None


def examine() -> Iterator[Finding]:
    """Look at everything, as far as one thing does not need another that failed."""
    try:
        config = settings.load()
    except SettingsError as error:
        yield Finding("settings", False, str(error), "mend this setting; deploy/billycan.example.toml explains all")
        return
    yield _secret(config.settings.secret)
    if not config.settings.secret:
        config = settings.Config(msgspec.structs.replace(config.settings, secret="x" * 32), config.plugins)
    try:
        app = App(config)
    except Exception as error:
        if (said := explained(error)) is None:
            raise
        cure = "mend what it names"
        if isinstance(error, PluginError):
            said, _, cure = said.rpartition(": ")  # Each ends with its own.
        yield Finding("settings", False, said, cure)
        return
    yield Finding("settings", True, f"plugins: {', '.join(app.manifests) or 'none'}")
    try:
        yield from _database(app)
    finally:
        app.close()


def _secret(secret: str | None) -> Finding:
    if secret:
        return Finding("secret", True, "set")
    if SECRET.exists():
        return Finding("secret", True, f"{SECRET}, which `billycan serve` uses by itself")
    cure = "set BILLYCAN_SECRET_FILE to a file with at least 32 random characters; `billycan serve` makes one by itself"
    return Finding("secret", False, "not set", cure)


def _database(app: App) -> Iterator[Finding]:
    where = app.db.url.render_as_string(hide_password=True)
    try:
        with app.db.reading() as db:
            db.execute(sa.select(1))
    except sa.exc.SQLAlchemyError as error:
        cure = "start the database, or correct BILLYCAN_DATABASE"
        yield Finding("database", False, f"{where}: {explained(error) or error}", cure)
        return
    yield Finding("database", True, where)
    try:
        migrate.check(app.db, app.manifests)
    except migrate.SchemaBehind as error:
        yield Finding("schema", False, str(error), "run `billycan migrate`")
        return
    for name, manifest in app.manifests.items():
        found = migrate.differences(app.db, name, manifest.tables)
        # A table that only looks like this plugin's may be of one that is off.
        if said := migrate.described([d for d in found if d[0] != "remove_table"]):
            yield Finding("schema", False, f"{name}: {'; '.join(said)}", _OF_ANOTHER_FORM.format(name=name))
            return
    yield Finding("schema", True, "current")
    try:
        with app.db.writing() as db:
            db.execute(sa.update(worker.tasks).where(sa.false()).values(name=""))
    except sa.exc.SQLAlchemyError as error:
        cure = "look for a full disk, for who may write there, and for a process that holds a lock"
        yield Finding("database", False, f"cannot be written: {reason(error)}", cure)
        return
    yield _worker(app)
    yield _search(app)


def _worker(app: App) -> Finding:
    with app.db.reading() as db:
        seen = worker.last_seen(db)
    cure = "start `billycan worker` beside the web server, or use `billycan serve`"
    if seen is None:
        return Finding("worker", False, "none has run yet", cure)
    ago = round((app.now() - seen).total_seconds())
    return Finding("worker", ago <= _ALIVE_SECONDS, f"last seen {ago} s ago", None if ago <= _ALIVE_SECONDS else cure)


def _search(app: App) -> Finding:
    if app.db.is_sqlite:
        return Finding("search", True, "SQLite needs no index")
    with app.db.reading() as db:
        missing = migrate.unindexed(db, app.manifests)
    if not missing:
        return Finding("search", True, "indexed")
    cure = (
        "as a superuser run CREATE EXTENSION btree_gin; CREATE EXTENSION pg_trgm; (package postgresql-contrib),"
        " then `billycan migrate`"
    )
    return Finding("search", False, f"row by row in {', '.join(missing)}", cure)
