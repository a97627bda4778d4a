"""Rows as JSON: each value by its column's type, so that a file says the same whichever database it is from."""

import base64
from collections.abc import Callable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
import sqlalchemy as sa

from ..db import UTCDateTime, read_json
from ..fields import Moment
from ..web import encode

if TYPE_CHECKING:
    from ..app import App

INLINE_BYTES = 512  # of a value that stands in its row; more are a file beside it
FILE, BASE64 = "file", "base64"
Keep = Callable[[bytes], str]
Fetch = Callable[[str], bytes]


class Unreadable(ValueError):
    """A row, or a value in it, is not what its table takes."""


def write_row(row: sa.Row[Any], columns: list[sa.Column[Any]], keep: Keep) -> bytes:
    """Return a row as a line of JSON; `keep` stores long bytes and returns their name."""
    return encode({c.name: _write_value(value, c, keep) for c, value in zip(columns, row, strict=True)}) + b"\n"


def read_row(line: bytes, table: sa.Table, fetch: Fetch) -> dict[str, Any]:
    """Return a row's values by its columns' names; `fetch` returns long bytes. Raise Unreadable for any other."""
    try:
        given = read_json(line)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Unreadable(f"is not JSON: {error}") from None
    names = {c.name for c in table.c}
    if not isinstance(given, dict) or given.keys() != names:
        raise Unreadable(f"must have the members {', '.join(sorted(names))}")
    return {c.name: _read_value(given[c.name], c, fetch) for c in table.c}


def of_another_deployment(row: dict[str, Any], table: sa.Table, app: "App") -> None:
    """Change the values of a row whose meaning depends on the secrets of the deployment that it is from."""
    for column in table.c:
        if again := column.info.get("resealed"):
            row[column.name] = again(app)


def _write_value(value: Any, column: sa.Column[Any], keep: Keep) -> Any:
    if "elsewhere" in column.info:
        return column.info["elsewhere"]
    if isinstance(value, bytes | memoryview | bytearray):
        value = bytes(value)
        if len(value) > INLINE_BYTES:
            return {FILE: keep(value), "bytes": len(value)}
        return {BASE64: base64.b64encode(value).decode()}
    return value


def _read_value(value: Any, column: sa.Column[Any], fetch: Fetch) -> Any:
    if "elsewhere" in column.info:
        return column.info["elsewhere"]
    if value is None:
        if not column.nullable:
            raise Unreadable(f"has no {column.name}")
        return None
    kind = column.type
    if isinstance(kind, sa.JSON):
        return value
    try:
        if isinstance(kind, sa.LargeBinary):
            return _read_bytes(value, fetch)
        if isinstance(kind, UTCDateTime):
            return Moment.of(msgspec.convert(value, datetime))
        if kind.python_type is float:
            return float(value)
        return msgspec.convert(value, kind.python_type)
    except (msgspec.ValidationError, ValueError, TypeError, AttributeError, KeyError) as error:
        raise Unreadable(f"has no valid {column.name}: {error}") from None


def _read_bytes(value: Mapping[str, Any], fetch: Fetch) -> bytes:
    if FILE in value:
        found = fetch(str(value[FILE]))
        if len(found) != value["bytes"]:
            raise ValueError("its file has another length")
        return found
    return base64.b64decode(value[BASE64], validate=True)
