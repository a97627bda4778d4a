"""Requests and pages: JSON in and out, bodies as they arrive, and work that shares the processor.

Of a body, sizes, UTF-8, depth and duplicate keys are checked.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from decimal import Decimal, InvalidOperation
from typing import Any

import falcon
import msgspec

from .apart import finalize_in_turns, in_turns, run_apart
from .problems import MOST_SHOWN, BadRequest, PayloadTooLarge, Timeout, UnsupportedMediaType

MOST_BYTES = 1024 * 1024
MOST_DEPTH = 32
MOST_CONTAINERS = 20_000  # lists and objects; 1 MiB could hold so many that they take a second
PIECE_BYTES = 64 * 1024
_TEXT = re.compile(rb'"[^"\\]*(?:\\.[^"\\]*)*"?', re.DOTALL)


def _encode_other(value: Any) -> Any:
    if isinstance(value, datetime):
        return str(value)
    raise NotImplementedError(type(value))


encode = msgspec.json.Encoder(decimal_format="number", enc_hook=_encode_other).encode
"""Return a value as JSON bytes, in the form of the API's answers."""


def read_body(req: falcon.Request) -> bytes:
    """Return the bytes of a JSON body, at most 1 MiB; empty if there is none."""
    if raw := read_bytes(req, MOST_BYTES):
        _check_media_type(req)
    return raw


def read_bytes(req: falcon.Request, most: int) -> bytes:
    """Return a body's bytes of any kind, chunked or not; empty if there is none, PayloadTooLarge beyond `most`."""
    length = req.content_length
    if length is None and "chunked" not in (req.get_header("Transfer-Encoding") or "").lower():
        return b""
    if (length or 0) > most:
        raise PayloadTooLarge
    # Falcon's bounded stream reads a chunked body as empty, since it has no length.
    stream, size = (req.stream, most + 1) if length is None else (req.bounded_stream, length)
    raw = _read_stream(stream, size, "malformed_json")
    if len(raw) > most:
        raise PayloadTooLarge
    return raw


def read_pieces(req: falcon.Request, most: int) -> Iterator[bytes]:
    """Yield the body's bytes piece by piece as they arrive; raise PayloadTooLarge for a length beyond `most`."""
    if (req.get_header("Content-Encoding") or "identity").lower() != "identity":
        raise UnsupportedMediaType("Send the bytes as they are, without a Content-Encoding.")
    length = req.content_length
    if length is None and "chunked" not in (req.get_header("Transfer-Encoding") or "").lower():
        return
    if (length or 0) > most:
        raise too_large(most)
    stream, size = req.stream if length is None else req.bounded_stream, 0
    while piece := _read_stream(stream, PIECE_BYTES, "malformed_request"):
        size += len(piece)
        yield piece
    if length is not None and size < length:
        short = "The body is cut short: it has fewer bytes than Content-Length says."
        raise BadRequest(short, code="malformed_request")


def _read_stream(stream: Any, size: int, code: str) -> bytes:
    """Read `size` bytes, or as many as there are; raise a refusal with `code` if they cannot be read."""
    try:
        data: bytes = stream.read(size)
    except (TimeoutError, BlockingIOError):
        raise Timeout from None
    except OSError as error:
        raise BadRequest("The body is cut short, or its chunks are not well-formed.", code=code) from error
    return data


def _check_media_type(req: falcon.Request) -> None:
    kind, _, parameters = (req.content_type or "").lower().partition(";")
    accepted = ("application/json", "application/merge-patch+json") if req.method == "PATCH" else ("application/json",)
    charset = parameters.partition("charset=")[2].partition(";")[0].strip(" \"'")
    encoding = (req.get_header("Content-Encoding") or "identity").lower()
    if kind.strip() not in accepted or charset not in ("", "utf-8", "utf8") or encoding != "identity":
        raise UnsupportedMediaType


def parse(raw: bytes) -> Any:
    """Return the JSON tree in `raw`: numbers exact, no key twice, at most 32 levels and 20,000 lists and objects."""
    if _deepest_brackets(raw) > MOST_CONTAINERS and _deepest_brackets(_TEXT.sub(b"", raw)) > MOST_CONTAINERS:
        raise PayloadTooLarge(f"The body has more than {MOST_CONTAINERS:,} lists and objects.")
    try:
        text = raw.decode("utf-8")
        if text.startswith("\ufeff"):
            raise ValueError("it begins with a byte order mark")
        tree = _decoder.decode(text)
        if "\\u" in text:
            json.dumps(tree, ensure_ascii=False, default=str).encode("utf-8")  # lone surrogates cannot be encoded
    except RecursionError:
        raise _too_deep() from None
    except ValueError as error:
        raise BadRequest(
            f"The body is not JSON in UTF-8: {_describe_syntax_error(error)}.", code="malformed_json"
        ) from None
    # Brackets bound the depth, so only a body with many is walked.
    if _deepest_brackets(raw) > MOST_DEPTH and _depth_of(tree) > MOST_DEPTH:
        raise _too_deep()
    return tree


def _deepest_brackets(raw: bytes) -> int:
    return raw.count(b"[") + raw.count(b"{")


def _refuse_repeated(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        seen: set[str] = set()
        for twice, _ in pairs:
            if twice in seen:
                break
            seen.add(twice)
        twice = twice[:MOST_SHOWN].encode(errors="replace").decode()  # half a surrogate pair cannot be answered
        raise BadRequest(f"The member {twice!r} appears twice.", code="duplicate_key", param=twice)
    return found


def _read_number(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        return Decimal("Infinity")  # an absurd exponent; the value fails the range check


def _read_integer(text: str) -> int | Decimal:
    # Python refuses to read thousands of digits as an integer; as a decimal they fail the range check like any other.
    return int(text) if len(text) < 30 else Decimal(text)


def _no_constant(text: str) -> Any:
    raise ValueError(f"{text} is not a JSON number")


_decoder = json.JSONDecoder(
    object_pairs_hook=_refuse_repeated, parse_float=_read_number, parse_int=_read_integer, parse_constant=_no_constant
)


def _describe_syntax_error(error: Exception) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg[0].lower()}{error.msg[1:]} at line {error.lineno} column {error.colno}"
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.start} is not UTF-8"
    if isinstance(error, UnicodeEncodeError):
        return "it has half a surrogate pair"
    return str(error) or "a number cannot be read"


def _too_deep() -> BadRequest:
    return BadRequest(f"The body is nested deeper than {MOST_DEPTH} levels.", code="too_deep")


def _depth_of(tree: Any) -> int:
    level, depth = [tree], 0
    while level := [x for x in level if isinstance(x, dict | list)]:
        depth += 1
        level = [child for x in level for child in (x.values() if isinstance(x, dict) else x)]
    return depth


class Incoming:
    """The bytes of a request's body, at most `most` of them: `for piece in incoming`.

    Iteration raises PayloadTooLarge beyond that, Timeout if they come too slowly, and BadRequest if the body is cut
    short.

    size: How many bytes were read so far.
    """

    def __init__(self, pieces: Iterable[bytes], most: int) -> None:
        self._pieces, self._hash, self._most = pieces, hashlib.sha256(), most
        self.size = 0

    def __iter__(self) -> Iterator[bytes]:
        for piece in self._pieces:
            self.size += len(piece)
            if self.size > self._most:
                raise too_large(self._most)
            self._hash.update(piece)
            yield piece

    @property
    def sha256(self) -> str:
        """The SHA-256 of what was read so far, in hexadecimal."""
        return self._hash.hexdigest()


def too_large(most: int) -> PayloadTooLarge:
    """Return the refusal of a body of more than `most` bytes."""
    return PayloadTooLarge(f"The body is larger than {most >> 20} MiB.")


__all__ = [
    "Incoming",
    "PayloadTooLarge",
    "encode",
    "finalize_in_turns",
    "in_turns",
    "read_bytes",
    "run_apart",
]
