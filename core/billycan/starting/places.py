"""The database and the shared folder that a deployment's settings name."""

from collections.abc import Iterator
from pathlib import Path

import sqlalchemy as sa

from ..db import Database
from ..sharing.folder import hold_folder, shared_folder
from .settings import Settings, SettingsError


def open_database(settings: Settings) -> Database:
    """Return the database of a deployment; raise SettingsError if its URL cannot be one."""
    try:
        url = sa.make_url(settings.database)
    except sa.exc.ArgumentError:
        raise SettingsError("database: must be a SQLAlchemy URL such as sqlite:///var/billycan.db") from None
    if url.get_backend_name() not in ("sqlite", "postgresql"):
        raise SettingsError("database: must be sqlite:/// or postgresql+psycopg://")
    if url.get_backend_name() == "sqlite" and url.database in (None, "", ":memory:"):
        raise SettingsError("database: must be a file: an in-memory database would be a separate one in each process")
    if url.get_backend_name() == "sqlite" and "uri" in url.query:
        raise SettingsError("database: must be a path without ?uri=true: the files beside it are found by the path")
    asked, hosts = url.query.get("target_session_attrs", "any"), url.query.get("host", "")
    if asked != "primary" and (asked != "any" or isinstance(hosts, tuple) or "," in hosts):
        raise SettingsError(
            "database: several hosts need target_session_attrs=primary: reads are sent in sessions that may only read,"
            " which read-write refuses"
        )
    how = {"plain_sql": settings.plain_sql, "pooled": settings.pooled}
    return Database(url, settings.pool_size, replicas=[*_read_replica_urls(settings, url)], **how)


def _read_replica_urls(settings: Settings, primary: sa.URL) -> Iterator[sa.URL]:
    for text in settings.database_replica:
        try:
            url = sa.make_url(text)
        except sa.exc.ArgumentError:
            url = None
        if url is None or {url.get_backend_name(), primary.get_backend_name()} != {"postgresql"}:
            raise SettingsError("database_replica: must be postgresql+psycopg://, as `database` must be then")
        yield url


def find_shared_folder(settings: Settings, db: Database) -> Path:
    """Return the folder that the processes of this host share: from the settings, or named after the database."""
    if settings.shared_folder:
        folder = Path(settings.shared_folder)
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        return folder
    url = db.url
    named = str(Path(url.database or "").resolve()) if db.is_sqlite else url.render_as_string(hide_password=True)
    folder = shared_folder(named)
    hold_folder(folder)
    return folder
