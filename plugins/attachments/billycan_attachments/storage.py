"""The storage of attachments' bytes: files in a folder, or objects in a bucket of S3-compatible storage."""

import os
import re
import secrets
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import IO, TYPE_CHECKING, Protocol

from billycan import App, Reply

from .settings import Settings

if TYPE_CHECKING:
    from obstore.store import ClientConfig, RetryConfig, S3Config, S3Store

_PIECE_BYTES = 64 * 1024
_CODE = re.compile("<Code>([A-Za-z0-9]+)</Code>")  # the reason for a refusal, such as SignatureDoesNotMatch
# The test kit intercepts both and refuses them in a write transaction: a bucket may take seconds.
_PUT, _REMOVE = ("billycan.slow", "to store a file"), ("billycan.slow", "to remove a file")
_IN_MEMORY = 1024 * 1024  # bytes sent to a bucket from memory; more use a temporary file


class Storage(Protocol):
    """Stores bytes by a key of the form `<tenant>/<attachment>`, each written once."""

    def put(self, key: str, pieces: Iterable[bytes]) -> None:
        """Store these bytes: all of them, durably, or none."""

    def open(self, key: str) -> Reply.Pieces:
        """Open the bytes of a key. Raise FileNotFoundError if there are none."""

    def remove(self, key: str) -> None:
        """Remove the bytes of a key, if there are any."""

    def check(self) -> str:
        """Describe the storage in words. Raise OSError if nothing can be stored there."""


def storage_of(app: App) -> Storage:
    """Return the storage that the settings choose."""
    settings = app.settings_of(Settings)
    if settings.bucket:
        return Bucket(settings)
    if settings.folder:
        return Folder(Path(settings.folder))
    beside = app.db.url.database if app.db.is_sqlite else None
    return Folder(Path(beside or "var/billycan.db").with_name("attachments"))


class Folder:
    """A folder for this user only, with a folder for each business and a file for each attachment."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def put(self, key: str, pieces: Iterable[bytes]) -> None:
        sys.audit(*_PUT)
        final = self.path / key
        # another process may be storing the same file
        part = final.with_name(f"{final.name}.{secrets.token_hex(4)}.part")
        for folder in (self.path, final.parent):
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
                for piece in pieces:
                    file.write(piece)
                file.flush()
                os.fsync(file.fileno())
            part.replace(final)
        except BaseException:
            part.unlink(missing_ok=True)
            raise
        for folder in (final.parent, self.path, self.path.parent):
            _sync_folder(folder)  # a name is durable once its folder is

    def open(self, key: str) -> Reply.Pieces:
        file = (self.path / key).open("rb")
        return Reply.Pieces(iter(lambda: file.read(_PIECE_BYTES), b""), file.close)

    def remove(self, key: str) -> None:
        sys.audit(*_REMOVE)
        final = self.path / key
        for path in (final, *final.parent.glob(f"{final.name}.*.part")):
            path.unlink(missing_ok=True)  # never the folder: another upload may be about to use it

    def check(self) -> str:
        # The folder is not made here: the caller may be another user than the server.
        there = next(path for path in (self.path, *self.path.absolute().parents) if path.exists())
        if not there.is_dir() or not os.access(there, os.W_OK | os.X_OK):
            raise OSError(f"no files can be kept in {self.path}")
        return f"in {self.path}"


class Bucket:
    """A bucket of S3-compatible storage."""

    def __init__(self, settings: Settings) -> None:
        self._settings, self._store = settings, _open_s3(settings)

    def put(self, key: str, pieces: Iterable[bytes]) -> None:
        sys.audit(*_PUT)
        # The whole file arrives before any of it is sent: an incomplete or refused upload leaves nothing in the bucket.
        with tempfile.SpooledTemporaryFile(_IN_MEMORY) as file:
            for piece in pieces:
                file.write(piece)
            file.seek(0)
            self._put_object(key, file)

    def open(self, key: str) -> Reply.Pieces:
        with _as_os_error():
            found = self._store.get(key)
        return Reply.Pieces(map(bytes, found.stream(_PIECE_BYTES)), lambda: None)

    def remove(self, key: str) -> None:
        sys.audit(*_REMOVE)
        with suppress(FileNotFoundError), _as_os_error():
            self._store.delete(key)

    def check(self) -> str:
        key = "billycan-doctor"
        self._put_object(key, BytesIO(b"billycan"))
        self.remove(key)
        return f"in the bucket {self._settings.bucket}"

    def _put_object(self, key: str, file: IO[bytes]) -> None:
        try:
            with _as_os_error():
                self._store.put(key, file)
        except FileNotFoundError:
            raise OSError(f"there is no bucket {self._settings.bucket}") from None


@contextmanager
def _as_os_error() -> Iterator[None]:
    """Turn a bucket's errors into OSError, and into FileNotFoundError if there are no such bytes."""
    from obstore.exceptions import BaseError  # noqa: PLC0415 - only where a bucket is set

    try:
        yield
    except BaseError as error:
        code = _CODE.search(str(error))
        raise OSError(f"the bucket: {type(error).__name__}: {code[1] if code else str(error)[:200]}") from error


def _open_s3(settings: Settings) -> "S3Store":
    from obstore.store import S3Store  # noqa: PLC0415 - only where a bucket is set

    config: S3Config = {"region": settings.region}
    if settings.endpoint:
        config["endpoint"] = settings.endpoint
    if settings.access_key_id and settings.secret_access_key:
        config["access_key_id"], config["secret_access_key"] = settings.access_key_id, settings.secret_access_key
    allow_http = (settings.endpoint or "").startswith("http://")
    client_options: ClientConfig = {"allow_http": allow_http, "timeout": "60s"}
    # The uploader is waiting, and can try again.
    retry: RetryConfig = {"max_retries": 2, "retry_timeout": timedelta(seconds=10)}
    prefix = settings.prefix or None
    return S3Store(settings.bucket, prefix=prefix, config=config, client_options=client_options, retry_config=retry)


def _sync_folder(folder: Path) -> None:
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
