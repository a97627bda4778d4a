"""A backup of a whole deployment as a folder: its database, the files beside it, and a manifest of counts and hashes.

All of the database is of one moment, and requests are served meanwhile. Files are copied after it: they never change,
and one that nobody needs any longer stays for another day, so every file that the database names is there.
"""

import hashlib
import os
import shutil
import sqlite3
import subprocess
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from ..engines.private_files import make_file
from ..engines.walls import ALL, SETTING
from ..fields import Moment
from ..manifest import Manifest
from ..starting import versions
from ..web import encode
from .closing import closed_folder

if TYPE_CHECKING:
    from ..app import App

FORMAT = 1
MANIFEST, LIST = "manifest.json", "files.jsonl"
_PIECE_BYTES = 256 * 1024
_INSTALLED = Path("/usr/lib/postgresql")  # where Debian keeps every version's programs
_SEALED = "closed"
# Row-level security holds for the owner of the tables, too: this lets its connection see the rows of all businesses.
_EVERYTHING = {"options": f"-c {SETTING}={ALL} -c statement_timeout=0 -c idle_in_transaction_session_timeout=0"}


class Refused(Exception):
    """A backup cannot be made, read or restored; the message says why, and what to do."""


class Whole(Struct, frozen=True, kw_only=True):
    """The manifest of a backup.

    format: The number of this form of the backup.
    release: The release of billycan that made it.
    engine: The database that it is of.
    made_at: When it was begun.
    schema: The version of the tables, by plugin.
    tables: The number of rows of each table.
    database: The name of the file with the database.
    files: How many files were stored beside the database.
    sha256: The hashes of the database and of the list of files, by their names.
    missing: How many files were not found where they are kept; those that wait in the database are among them.
    """

    format: int
    release: str
    engine: str
    made_at: Moment
    schema: dict[str, str]
    tables: dict[str, int]
    database: str
    files: int
    sha256: dict[str, str]
    missing: int


class Stored(Struct, frozen=True):
    """A file of a backup: whose it is by plugin, business and id, or a name alone; with its hash."""

    path: str
    sha256: str
    plugin: str = ""
    tenant_id: str = ""
    id: str = ""


def write_backup(app: "App", folder: Path) -> Whole:
    """Write a backup into a new folder, and return its manifest; the app must be the tables' owner's.

    Raise Refused if there is such a folder, or if it cannot be made. What was not made as a whole is not left behind.
    """
    if folder.exists():
        raise Refused(f"{folder} is there already: name another folder")
    part = folder.with_name(f"{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True, mode=0o700)
    try:
        made = _write_parts(app, part)
        part.rename(folder)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return made


def _write_parts(app: "App", part: Path) -> Whole:
    made_at, missing, count = app.now(), 0, 0
    make_file(part / LIST)
    with _one_moment(app.db.url, part) as (db, database), (part / LIST).open("wb") as listed:
        tables = count_rows(db)
        schema = versions.stored_versions(db, ["core", *app.manifests])
        for plugin, offer in app.offered(Manifest.Files):
            key = sa.select(offer.table.c.tenant_id, offer.table.c.id).order_by(*offer.table.primary_key)
            for row in db.execute(key).all():
                path = f"files/{plugin}/{row.tenant_id}/{row.id}"
                try:
                    sha256 = _copy_pieces(offer.open(app, row.tenant_id, row.id), part / path)
                except FileNotFoundError:
                    missing += 1
                else:
                    listed.write(encode(Stored(path, sha256, plugin, row.tenant_id, row.id)) + b"\n")
                    count += 1
        for sealed in sorted(closed_folder(app).glob("*.sealed")):
            path = f"{_SEALED}/{sealed.name}"
            listed.write(encode(Stored(path, _copy_pieces(_read_pieces(sealed), part / path))) + b"\n")
            count += 1
    whole = Whole(
        format=FORMAT,
        release=version("billycan-core"),
        engine=app.db.url.get_backend_name(),
        made_at=made_at,
        schema=schema,
        tables=tables,
        database=database,
        files=count,
        sha256={name: _digest_pieces(_read_pieces(part / name)) for name in (database, LIST)},
        missing=missing,
    )
    _copy_pieces([msgspec.json.format(encode(whole), indent=1)], part / MANIFEST)
    return whole


@contextmanager
def _one_moment(url: sa.URL, part: Path) -> Iterator[tuple[sa.Connection, str]]:
    """Copy the database, and yield a connection that sees it as the copy has it, with the name of the copy."""
    if url.get_backend_name() == "sqlite":
        copy = part / "database.db"
        make_file(copy)
        with closing(sqlite3.connect(url.database or "")) as source, closing(sqlite3.connect(copy)) as target:
            source.backup(target)
            target.execute("PRAGMA journal_mode=DELETE")  # one file, whoever opens it
        with plain_connection(sa.URL.create("sqlite", database=str(copy))) as db:
            yield db, copy.name
        return
    copy = part / "database.dump"
    make_file(copy)
    with plain_connection(url) as db:
        db.execute(sa.text("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"))
        snapshot = db.execute(sa.text("SELECT pg_export_snapshot()")).scalar_one()
        _run_program(
            url, "pg_dump", "--format=custom", "--enable-row-security", f"--snapshot={snapshot}", f"--file={copy}"
        )
        yield db, copy.name


@contextmanager
def plain_connection(url: sa.URL, isolation: Any = None) -> Iterator[sa.Connection]:
    """Open a connection of its own, which sees the rows of all businesses."""
    told = {} if url.get_backend_name() == "sqlite" else _EVERYTHING
    options = {"isolation_level": isolation} if isolation else {}
    engine = sa.create_engine(url, poolclass=sa.NullPool, connect_args=told, hide_parameters=True, **options)
    try:
        with engine.connect() as db:
            yield db
    finally:
        engine.dispose()


def count_rows(db: sa.Connection) -> dict[str, int]:
    """Count the rows of every table; those that an index is made of do not count."""
    kinds = "sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name NOT LIKE '%\\_search%' ESCAPE '\\'"
    if db.dialect.name == "sqlite":
        names = list(db.exec_driver_sql(f"SELECT name FROM {kinds}").scalars())  # noqa: S608
    else:
        names = sa.inspect(db).get_table_names()
    return {
        name: db.execute(sa.select(sa.func.count()).select_from(sa.table(name))).scalar_one() for name in sorted(names)
    }


class Backup:
    """A backup that was made before: its manifest is read, and nothing else in it is trusted yet."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        try:
            self.whole = msgspec.json.decode(
                (folder / MANIFEST).read_bytes(), type=Whole, dec_hook=lambda _, value: Moment.read(value)
            )
        except (OSError, msgspec.DecodeError) as error:
            raise Refused(f"{folder} is no backup that `billycan backup` made: {error}") from None
        if self.whole.format != FORMAT:
            raise Refused(f"{folder} has the form {self.whole.format}, and this release reads {FORMAT}")

    def files(self) -> Iterator[Stored]:
        with (self.folder / LIST).open("rb") as lines:
            for line in lines:
                found = msgspec.json.decode(line, type=Stored)
                if not (self.folder / found.path).resolve().is_relative_to(self.folder.resolve()):
                    raise Refused(f"{found.path} is not within the backup")
                yield found

    def check(self) -> Iterator[str]:
        """Yield what is damaged or missing, by the hashes."""
        for name, sha256 in self.whole.sha256.items():
            path = self.folder / name
            if not path.is_file() or _digest_pieces(_read_pieces(path)) != sha256:
                yield f"{name} is damaged or missing"
                return
        count = 0
        for stored in self.files():
            count += 1
            path = self.folder / stored.path
            if not path.is_file() or _digest_pieces(_read_pieces(path)) != stored.sha256:
                yield f"{stored.path} is damaged or missing"
        if count != self.whole.files:
            yield f"{LIST} names {count:,} files and not {self.whole.files:,}"

    def fill_database(self, url: sa.URL) -> None:
        """Restore the database into an empty one; raise Refused if it is not, or cannot be restored."""
        if url.get_backend_name() != self.whole.engine:
            raise Refused(
                f"it is of {self.whole.engine}, and {url.render_as_string()} is another kind: move each business with"
                " `billycan tenants export` and `import`"
            )
        copy = self.folder / self.whole.database
        if self.whole.engine == "sqlite":
            path = Path(url.database or "")
            if path.exists() and path.stat().st_size:
                raise Refused(f"{path} is there already: move it away first")
            path.parent.mkdir(parents=True, exist_ok=True)
            _copy_pieces(_read_pieces(copy), path)
            return
        with plain_connection(url) as db:
            if sa.inspect(db).get_table_names():
                raise Refused(f"the database {url.database} has tables already: create an empty one")
        _run_program(url, "pg_restore", "--exit-on-error", "--single-transaction", "--no-owner", str(copy))

    def put_files(self, app: "App") -> None:
        """Put the files where the deployment keeps them."""
        offers = dict(app.offered(Manifest.Files))
        for stored in self.files():
            path = self.folder / stored.path
            if not stored.plugin:
                closed_folder(app).mkdir(parents=True, exist_ok=True, mode=0o700)
                _copy_pieces(_read_pieces(path), closed_folder(app) / path.name)
            elif offer := offers.get(stored.plugin):
                offer.put(app, stored.tenant_id, stored.id, _read_pieces(path))
            else:
                raise Refused(f"{stored.path} is of a plugin that is off here: enable it")


def _run_program(url: sa.URL, program: str, *words: str) -> None:
    """Run a program of PostgreSQL on a database; raise Refused with what it says if it fails."""
    newest = sorted(_INSTALLED.glob("[0-9]*/bin"), key=lambda folder: float(folder.parent.name))
    on_path = shutil.which(program)
    found = str(newest[-1] / program) if newest and (newest[-1] / program).exists() else on_path
    if found is None:
        raise Refused(f"there is no {program} here: install PostgreSQL's client programs (postgresql-client)")
    from psycopg.conninfo import make_conninfo  # noqa: PLC0415 - SQLite needs no psycopg

    given = {**url.translate_connect_args(username="user", database="dbname"), **url.query}
    password = given.pop("password", None)
    environ = {**os.environ, "PGOPTIONS": _EVERYTHING["options"], **({"PGPASSWORD": password} if password else {})}
    words = (found, "--no-password", f"--dbname={make_conninfo(**given)}", *words)
    done = subprocess.run(words, env=environ, check=False, stdin=subprocess.DEVNULL, capture_output=True)
    if done.returncode:
        raise Refused(f"{program}: {done.stderr.decode(errors='replace').strip()}")


def _read_pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(_PIECE_BYTES):
            yield piece


def _digest_pieces(pieces: Iterable[bytes]) -> str:
    sha256 = hashlib.sha256()
    for piece in pieces:
        sha256.update(piece)
    return sha256.hexdigest()


def _copy_pieces(pieces: Iterable[bytes], path: Path) -> str:
    """Write a new file, durably and for this user alone; return its hash."""
    path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    sha256 = hashlib.sha256()
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
        for piece in pieces:
            sha256.update(piece)
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())
    return sha256.hexdigest()


def broken_references(db: sa.Connection) -> list[str]:
    """List in words the foreign keys that rows break."""
    if db.dialect.name == "sqlite":
        found = Counter(f"{table} to {other}" for table, _, other, _ in db.exec_driver_sql("PRAGMA foreign_key_check"))
        return [f"{count:,} rows of {names}" for names, count in found.items()]
    asked = "SELECT conrelid::regclass || ' ' || conname FROM pg_constraint WHERE contype = 'f' AND NOT convalidated"
    return list(db.exec_driver_sql(asked).scalars())
