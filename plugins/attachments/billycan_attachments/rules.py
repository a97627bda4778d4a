"""File types, recognised by their bytes, and file names: pure functions."""

import re
import unicodedata
from codecs import getincrementaldecoder
from collections.abc import Iterable, Iterator
from typing import Literal
from urllib.parse import quote

from billycan import Fault, Invalid, Problem, RuleBroken

ContentType = Literal["application/pdf", "image/jpeg", "image/png", "image/webp", "text/csv", "text/plain"]

MOST_BYTES = 10 * 1024 * 1024

# The first is added to a name that has none of them.
_EXTENSIONS: dict[str, tuple[str, ...]] = {
    "application/pdf": (".pdf",),
    "image/jpeg": (".jpg", ".jpeg", ".jpe", ".jfif"),
    "image/png": (".png",),
    "image/webp": (".webp",),
    "text/csv": (".csv",),
    "text/plain": (".txt", ".text", ".log", ".md"),
}
_BEGINNINGS: tuple[tuple[bytes, ContentType], ...] = (
    (b"%PDF-", "application/pdf"),
    (b"\xff\xd8\xff", "image/jpeg"),
    (b"\x89PNG\r\n\x1a\n", "image/png"),
)
_HEIC = (b"heic", b"heix", b"heim", b"heis", b"hevc", b"hevx", b"mif1", b"msf1")
_TOLD_BY = 1024  # the first bytes, which tell the type
_REFUSED = "An attachment must be a PDF, a JPEG, PNG or WebP image, or plain text or CSV in UTF-8; this file is {what}."
# Controls, line and paragraph separators, halves of surrogate pairs, and what turns the direction of text round, so
# that `invoice_fdp.exe` looks like `invoice_exe.pdf`.
_NEVER_IN_NAMES = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff]")
_NOT_IN_TEXT = re.compile("[\x00-\x08\x0b\x0e-\x1f\x7f]")


class UnsupportedMediaType(Problem):
    """A file that is of none of the known types."""

    status, type, code = 415, "invalid_request", "unsupported_media_type"


def check_name(text: str) -> str:
    """Return a file's name as it is stored. Raise RuleBroken for a path, or a name that disguises its type."""
    if _NEVER_IN_NAMES.search(text):
        raise RuleBroken("invalid_value", "must not contain control characters, or characters that reverse text")
    if "/" in text or "\\" in text or not text.strip(". "):
        raise RuleBroken("invalid_value", "must be the name of a file, without a folder")
    return unicodedata.normalize("NFC", text)


def with_extension(filename: str, content_type: str) -> str:
    """Return the name with an extension of its type, so that programs open the file as what it is."""
    known = _EXTENSIONS[content_type]
    return filename if filename.lower().endswith(known) else filename + known[0]


def content_disposition(filename: str) -> str:
    """Return the Content-Disposition of a download (RFC 6266): an ASCII name for old clients, and the real one."""
    plain = re.sub(r'[^\x20-\x7e]|["\\%]', "_", filename)
    return f"attachment; filename=\"{plain}\"; filename*=UTF-8''{quote(filename, safe='')}"


class Look:
    """Recognises a file's type while its pieces pass: `for piece in look(pieces)`, then `look.content_type`.

    Iterating raises UnsupportedMediaType as soon as the file has none of the known types, and Invalid for an empty
    file.
    """

    def __init__(self, filename: str) -> None:
        self._filename = filename
        self.content_type: ContentType = "text/plain"

    def __call__(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        begun, head = iter(pieces), b""
        while len(head) < _TOLD_BY and (piece := next(begun, b"")):
            head += piece
        if not head:
            raise Invalid.of(Fault("", "required", "must not be empty: send the file's bytes"))
        self.content_type = file_type_of(head, self._filename)
        decoder = getincrementaldecoder("utf-8")() if self.content_type.startswith("text/") else None
        for piece in _chain_bytes(head, begun):
            if decoder:
                _check_text(decoder, piece, final=False)
            yield piece
        if decoder:
            _check_text(decoder, b"", final=True)


def file_type_of(head: bytes, filename: str) -> ContentType:
    """Return the type of a file that begins like this. The caller still has to check that text is text."""
    for beginning, kind in _BEGINNINGS:
        if head.startswith(beginning):
            return kind
    if head.startswith(b"RIFF") and head[8:12] == b"WEBP":
        return "image/webp"
    if head[4:8] == b"ftyp" and head[8:12] in _HEIC:
        raise UnsupportedMediaType(_REFUSED.format(what="a HEIC photo: save it as JPEG first"))
    # HTML, SVG and XML are text too, but a browser that recognises them runs them.
    if head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"<"):
        raise UnsupportedMediaType(_REFUSED.format(what="HTML, SVG or XML"))
    return "text/csv" if filename.lower().endswith(".csv") else "text/plain"


def _check_text(decoder: object, piece: bytes, *, final: bool) -> None:
    try:
        text = decoder.decode(piece, final)  # type: ignore[attr-defined]
    except UnicodeDecodeError:
        raise UnsupportedMediaType(_REFUSED.format(what="none of them")) from None
    if _NOT_IN_TEXT.search(text):
        raise UnsupportedMediaType(_REFUSED.format(what="none of them"))


def _chain_bytes(head: bytes, rest: Iterator[bytes]) -> Iterator[bytes]:
    yield head
    yield from rest
