"""Reading a business's file: nothing in it is believed before it is checked, and nothing is unpacked to a disk."""

import hashlib
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec

from ..fields import Moment
from .leaving import FORMAT, MANIFEST, Contents, Part

MOST_TIMES = 200  # that the contents may be larger than the file; lines of JSON are 10 to 40 times as large
FREE_BYTES = 64 * 1024 * 1024  # which may be in a file of any size
MOST_LINE_BYTES = 64 * 1024 * 1024
_PIECE_BYTES = 256 * 1024
_NAME = re.compile(r"manifest\.json|(tables|outside)/[a-z0-9_]{1,63}\.jsonl|files/[0-9a-f]{64}")


class Refused(Exception):
    """A file is not taken in; the message says why, and what to do."""


class BusinessFile:
    """An open file of a business, whose names, sizes and manifest are checked."""

    def __init__(self, entries: zipfile.ZipFile, size: int) -> None:
        self._zip, infos = entries, entries.infolist()
        for info in infos:
            if not _NAME.fullmatch(info.filename):
                raise Refused(f"it has an entry {info.filename[:80]!r}, which is in no file that billycan writes")
            if info.flag_bits & 1 or info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
                raise Refused(f"its entry {info.filename} is encrypted or packed in another way than billycan does")
        self.sizes = {info.filename: info.file_size for info in infos}
        if len(self.sizes) < len(infos):
            raise Refused("two of its entries have the same name")
        if sum(info.compress_size for info in infos) > size:
            raise Refused("its entries overlap")
        if sum(self.sizes.values()) > MOST_TIMES * size + FREE_BYTES:
            raise Refused(f"its contents are more than {MOST_TIMES} times as large as the file, so they may be made up")
        if self.sizes.get(MANIFEST, FREE_BYTES + 1) > FREE_BYTES:
            raise Refused(f"it has no {MANIFEST}: it is no file that `billycan tenants export` wrote")
        self.contents = self._read_manifest()
        self.parts = {part.name: part for part in self.contents.parts}
        there = {name for name in self.sizes if name != MANIFEST and not name.startswith("files/")}
        if there != {*self.parts} or len(self.parts) < len(self.contents.parts):
            raise Refused("its entries are not those of its manifest: it is damaged")

    def _read_manifest(self) -> Contents:
        with refuse_damaged():
            raw = self._zip.read(MANIFEST)
        self.digest = hashlib.sha256(raw).hexdigest()
        try:
            form = msgspec.json.decode(raw, type=_Form).format
            if form != FORMAT:
                raise Refused(
                    f"its form is number {form}, and this release reads {FORMAT}: use the release that wrote it"
                )
            return msgspec.json.decode(raw, type=Contents, dec_hook=lambda _, value: Moment.read(value))
        except (msgspec.DecodeError, ValueError) as error:
            raise Refused(f"its {MANIFEST} cannot be read: {error}") from None

    def lines(self, part: Part) -> Iterator[bytes]:
        """Yield the lines of a part; raise Refused at its end if they are not as the manifest says."""
        sha256, rows = hashlib.sha256(), 0
        with refuse_damaged(), self._zip.open(part.name) as entry:
            while line := entry.readline(MOST_LINE_BYTES):
                if not line.endswith(b"\n"):
                    raise Refused(f"{part.name}: line {rows + 1} has no end, or more than {MOST_LINE_BYTES >> 20} MiB")
                sha256.update(line)
                rows += 1
                yield line
        if (rows, sha256.hexdigest()) != (part.rows, part.sha256):
            raise Refused(f"{part.name} is not as the manifest says: it is damaged")

    def file(self, name: str) -> bytes:
        """Return a file; raise Refused if there is none, or another."""
        found = b"".join(self.pieces(name))
        if hashlib.sha256(found).hexdigest() != name:
            raise Refused(f"files/{name} is damaged")
        return found

    def pieces(self, name: str) -> Iterator[bytes]:
        """Yield a file piece by piece."""
        if f"files/{name}" not in self.sizes:
            raise Refused(f"it has no files/{name[:80]}: it is damaged")
        with refuse_damaged(), self._zip.open(f"files/{name}") as entry:
            while piece := entry.read(_PIECE_BYTES):
                yield piece

    def check_files(self) -> None:
        """Compare each file with its name; raise Refused if one differs, or there are more or fewer."""
        names = [name.removeprefix("files/") for name in self.sizes if name.startswith("files/")]
        if len(names) != self.contents.files:
            raise Refused("it has more or fewer files than its manifest says: it is damaged")
        for name in names:
            sha256 = hashlib.sha256()
            for piece in self.pieces(name):
                sha256.update(piece)
            if sha256.hexdigest() != name:
                raise Refused(f"files/{name} is damaged")


class _Form(msgspec.Struct):
    format: int


@contextmanager
def open_file(path: Path) -> Iterator[BusinessFile]:
    """Open a business's file; raise Refused if it is none, or made to do harm."""
    try:
        entries = zipfile.ZipFile(path)
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as error:
        raise Refused(f"it is no zip file, or cut short: {error}") from None
    with entries:
        yield BusinessFile(entries, path.stat().st_size)


@contextmanager
def refuse_damaged() -> Iterator[None]:
    """Raise Refused for what zipfile raises if an entry is damaged."""
    try:
        yield
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError) as error:
        raise Refused(f"it is damaged: {error}") from None
