"""A business as one file: a zip of a manifest, JSON Lines for each table, and its files, all of one moment."""

import hashlib
import hmac
import os
import secrets
import tempfile
import zipfile
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from importlib.metadata import version
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from ..db import one_moment
from ..fields import Moment
from ..manifest import Manifest
from ..starting import versions
from ..tenants import pair_of, tenants
from ..web import encode
from . import whose
from .values import write_row

if TYPE_CHECKING:
    from ..app import App

FORMAT = 1
MANIFEST = "manifest.json"
ROWS_AT_ONCE, WITH_BYTES_AT_ONCE = 1_000, 8
_IN_MEMORY = 4 * 1024 * 1024
_PIECE_BYTES = 64 * 1024
_RESTS = "10min"  # that PostgreSQL lets the one moment of a file wait for the next turn
Tell = Callable[[str], object]
Pause = Callable[[int, int], object]


class Part(Struct, frozen=True):
    """The rows of one table: the name of their entry, how many there are, their bytes, and the SHA-256 of these."""

    name: str
    table: str
    rows: int
    bytes: int
    sha256: str


class Contents(Struct, frozen=True, kw_only=True):
    """The manifest of a file.

    format: The number of this form of the file.
    release: The release of billycan that wrote it.
    engine: The database that it is from.
    exported_at: The moment that all of it is of.
    tenant, sandbox, name: The business.
    schema: The version of the tables, by plugin.
    secret: The last secret of the deployment, as a digest that only tells whether another is the same.
    parts: The rows, each table before those that refer to it.
    files, file_bytes: How many files there are, each named after its SHA-256, and their bytes.
    left_out: What is not in the file, in words.
    """

    format: int
    release: str
    engine: str
    exported_at: Moment
    tenant: str
    sandbox: str
    name: str
    schema: dict[str, str]
    secret: str
    parts: list[Part]
    files: int
    file_bytes: int
    left_out: list[str]


class Outside(Struct, frozen=True):
    """Bytes that a plugin keeps outside of the database: of which row, and the name of the file."""

    tenant_id: str
    id: str
    file: str


def export_business(app: "App", tenant_id: str, path: Path, tell: Tell = lambda said: None) -> Contents:
    """Write a business and its sandbox into a new file, and return what it holds.

    Requests are served meanwhile: the file has everything as it was when it was begun. Raise LookupError if there is no
    such business, and FileExistsError if there is such a file.
    """
    if path.exists():
        raise FileExistsError(f"{path} is there already: name another file")
    part = path.with_name(f"{path.name}.{secrets.token_hex(4)}.part")
    try:
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            contents = write_business(app, tenant_id, file, tell)
            file.flush()
            os.fsync(file.fileno())
        os.link(part, path)  # unlike a rename it replaces nothing
    finally:
        part.unlink(missing_ok=True)
    return contents


def write_business(
    app: "App",
    tenant_id: str,
    file: IO[bytes],
    tell: Tell = lambda said: None,
    pause: Pause = lambda done, parts: None,
    *,
    with_sandbox: bool = True,
) -> Contents:
    """Write a business into an open file, as `export_business` does.

    `pause` is called every few milliseconds of work with how many parts are written, of how many. It may wait.
    """
    with (
        app.db.reading(across="a business is exported") as db,
        one_moment(db),
        zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as entries,
    ):
        if not app.db.is_sqlite:
            db.execute(sa.text(f"SET LOCAL idle_in_transaction_session_timeout = '{_RESTS}'"))
        return _Writer(app, db, entries, tell, pause).write(tenant_id, with_sandbox=with_sandbox)


def secret_digest(secret: str) -> str:
    """Return a digest of a deployment's secret that reveals nothing about it."""
    return hmac.digest(secret.encode(), b"billycan businesses", "sha256").hex()[:24]


class _Writer:
    def __init__(self, app: "App", db: sa.Connection, entries: zipfile.ZipFile, tell: Tell, pause: Pause) -> None:
        self.app, self.db, self.zip, self.tell, self._pause = app, db, entries, tell, pause
        self.kept: dict[str, int] = {}  # the bytes of the files, by their names
        self.missing = self.done = self.parts = 0

    def pause(self) -> None:
        self._pause(self.done, self.parts)

    def write(self, tenant_id: str, *, with_sandbox: bool) -> Contents:
        pair = pair_of(self.db, tenant_id)
        if pair is None:
            raise LookupError(f"there is no business {tenant_id}")
        ids = pair if with_sandbox else pair[:1]
        found = whose.find_owners(self.app.manifests)
        name = self.db.execute(sa.select(tenants.c.profile).where(tenants.c.id == pair[0])).scalar_one()["name"]
        offers = [each for each in self.app.offered(Manifest.Files) if not each[1].table.info.get(whose.STAYS)]
        self.parts = len(found.in_files) + len(offers)
        parts = [self.rows(table, found, ids) for table in found.in_files]
        parts += [self.outside(name, offer, ids) for name, offer in offers]
        contents = Contents(
            format=FORMAT,
            release=version("billycan-core"),
            engine=self.db.dialect.name,
            exported_at=self.app.now(),
            tenant=pair[0],
            sandbox=pair[1],
            name=name,
            schema=versions.stored_versions(self.db, ["core", *self.app.manifests]),
            secret=secret_digest(self.app.secrets[-1]),
            parts=parts,
            files=len(self.kept),
            file_bytes=sum(self.kept.values()),
            left_out=[*self.left_out(found, ids)],
        )
        self.zip.writestr(MANIFEST, msgspec.json.format(encode(contents), indent=1))
        return contents

    def rows(self, table: sa.Table, found: whose.Whose, ids: tuple[str, ...]) -> Part:
        """Write a table's rows."""
        columns = [*table.c]

        def lines() -> Iterator[bytes]:
            for rows in pages_of(self.db, table, found, ids):
                for row in rows:
                    yield write_row(row, columns, self.keep)
                self.pause()

        return self.part(f"tables/{table.name}.jsonl", str(table.name), lines())

    def outside(self, plugin: str, offer: Manifest.Files, ids: tuple[str, ...]) -> Part:
        """Write the bytes that a plugin keeps outside of the database, and whose they are."""
        key = sa.select(offer.table.c.tenant_id, offer.table.c.id).where(offer.table.c.tenant_id.in_(ids))

        def lines() -> Iterator[bytes]:
            for row in self.db.execute(key.order_by(*offer.table.primary_key)).all():
                try:
                    file = self.keep_pieces(self.offered(offer, row.tenant_id, row.id))
                except FileNotFoundError:
                    self.missing += 1
                else:
                    yield encode(Outside(row.tenant_id, row.id, file)) + b"\n"

        return self.part(f"outside/{plugin}.jsonl", "", lines())

    def offered(self, offer: Manifest.Files, tenant_id: str, id: str) -> Iterator[bytes]:
        pieces = offer.open(self.app, tenant_id, id)
        try:
            yield from pieces
        finally:
            if end := getattr(pieces, "close", None):
                end()

    def part(self, name: str, table: str, lines: Iterable[bytes]) -> Part:
        """Write an entry of lines; files that they need are written first, since a zip takes one entry at a time."""
        rows, size, sha256 = 0, 0, hashlib.sha256()
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as spool:
            for line in lines:
                spool.write(line)
                sha256.update(line)
                rows, size = rows + 1, size + len(line)
            spool.seek(0)
            self.copy(name, spool, size)
        if rows:
            self.tell(f"{name}: {rows:,}")
        self.done += 1
        self.pause()
        return Part(name, table, rows, size, sha256.hexdigest())

    def keep(self, value: bytes) -> str:
        """Write a file, unless an equal one is there, and return its name."""
        name = hashlib.sha256(value).hexdigest()
        if name not in self.kept:
            self.zip.writestr(f"files/{name}", value)
            self.kept[name] = len(value)
        return name

    def keep_pieces(self, pieces: Iterable[bytes]) -> str:
        """Do the same with a file that may be too long for memory."""
        size, sha256 = 0, hashlib.sha256()
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as spool:
            for piece in pieces:
                spool.write(piece)
                sha256.update(piece)
                size += len(piece)
            name = sha256.hexdigest()
            if name not in self.kept:
                spool.seek(0)
                self.copy(f"files/{name}", spool, size)
                self.kept[name] = size
        return name

    def copy(self, name: str, spool: Any, size: int) -> None:
        info = zipfile.ZipInfo(name, date_time=(1980, 1, 1, 0, 0, 0))  # equal rows make equal files
        info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, 0o600 << 16
        with self.zip.open(info, "w", force_zip64=size > 1 << 30) as entry:
            while piece := spool.read(_PIECE_BYTES):
                entry.write(piece)
                self.pause()

    def left_out(self, found: whose.Whose, ids: tuple[str, ...]) -> Iterator[str]:
        """Say what of the business is not in the file."""
        for table in found.in_files:
            if names := [c.name for c in table.c if whose.ELSEWHERE in c.info]:
                yield f"{table.name}: {', '.join(names)} stay with this deployment"
        for table in found.own:
            if table.info.get(whose.STAYS):
                yield f"{table.name}: its rows stay with this deployment"
        for name in tables_of_the_off(self.db, self.app):
            of = sa.table(name, sa.column("tenant_id"))
            if count := self.db.execute(sa.select(sa.func.count()).where(of.c.tenant_id.in_(ids))).scalar_one():
                yield f"{name}: {count:,} rows of a plugin that is off: enable it and export again to have them"
        if self.missing:
            yield f"{self.missing:,} files whose bytes were not found where they are kept"


def pages_of(
    db: sa.Connection, table: sa.Table, found: whose.Whose, ids: tuple[str, ...]
) -> Iterator[list[sa.Row[Any]]]:
    """Yield a business's rows of a table in the order of their key, page by page."""
    key = [*table.primary_key]
    has_bytes = any(isinstance(c.type, sa.LargeBinary) for c in table.c)
    most = WITH_BYTES_AT_ONCE if has_bytes else ROWS_AT_ONCE
    # One tenant at a time: between two in the order of the key there may be all others.
    for some in [(id,) for id in ids] if "tenant_id" in table.primary_key else [ids]:
        page = sa.select(table).where(found.rows_of(table, some)).order_by(*key).limit(most)
        rows = [*db.execute(page)]
        while rows:
            yield rows
            last = [sa.literal(rows[-1]._mapping[c], c.type) for c in key]
            after = sa.tuple_(*key) > sa.tuple_(*last) if last[1:] else key[0] > last[0]
            rows = [*db.execute(page.where(after))] if len(rows) == most else []


def tables_of_the_off(db: sa.Connection, app: "App") -> list[str]:
    """List the tables of businesses' rows that belong to plugins which are off."""
    known, inspector = {t.name for t in whose.tables_of(app.manifests)}, sa.inspect(db)
    found = []
    for name in sorted({*inspector.get_table_names()} - known):
        with suppress(sa.exc.SQLAlchemyError):  # a table that is part of an index cannot be described
            if any(column["name"] == "tenant_id" for column in inspector.get_columns(name)):
                found.append(name)
    return found
