"""The one spelling of a request's path, so that everything that reads it reads the same."""

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

# What most paths are: without a character that could stand for another, and no segment that begins with a dot.
_PLAIN = re.compile(r"(/[A-Za-z0-9_~-][A-Za-z0-9_.~-]*)+")
_AUTHORITY = re.compile(r"^https?://[^/?#]*", re.IGNORECASE)
_NEVER_IN_A_SEGMENT = re.compile(r"[/\\\0]")


def as_sent(environ: Mapping[str, Any]) -> str:
    """Return the path of the request line as the client wrote it; empty if a fragment follows, which is not allowed."""
    # PATH_INFO is decoded already, where %2f cannot be told from a slash; only gunicorn keeps what was sent.
    target = environ.get("RAW_URI") or quote(environ["PATH_INFO"].encode("latin-1"))
    if _PLAIN.fullmatch(target):
        return str(target)
    return "" if "#" in target else _AUTHORITY.sub("", target).partition("?")[0] or "/"  # RFC 9112, 3.2.1 and 3.2.2


def is_canonical(path: str) -> bool:
    """Tell whether a path as sent is the one spelling of itself.

    It is not if it has an empty segment, a slash at its end, `.` or `..`, or an encoded slash, backslash or NUL.
    """
    if _PLAIN.fullmatch(path):
        return True
    return path == "/" or (path.startswith("/") and all(map(_is_plain, path[1:].split("/"))))


def _is_plain(segment: str) -> bool:
    text = unquote(segment)
    return text not in ("", ".", "..") and not _NEVER_IN_A_SEGMENT.search(text)


def is_of_the_api(path: str) -> bool:
    """Tell whether a decoded path leads under /v1, or some reader of it might think so."""
    return path.startswith("/v1/") or "v1" in re.split(r"[/\\]+", unquote(path).lower())
