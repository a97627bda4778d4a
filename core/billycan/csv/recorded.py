"""Recorded statements: what their text tells of them, and their values as they are stored and sent again."""

import re
from datetime import date, datetime
from functools import lru_cache
from typing import Any

import msgspec

from .. import counters
from ..db import metadata
from ..fields import Moment
from ..web import encode

_DATE, _TIME = 1, 2  # what marks them in MessagePack
_INSERTED = re.compile(r'INSERT INTO "?(\w+)')
_READ_FROM = re.compile(r'\b(?:FROM|JOIN)\s+"?(\w+)')
_COMMENT = re.compile(r"/\*.*?\*/|--[^\n]*", re.DOTALL)


def is_read(text: str) -> bool:
    """Tell whether a statement only reads, judged by its words so that SQL written by hand is included."""
    words = _split_words(text)
    if words[:1] == ["WITH"]:
        return {"INSERT", "UPDATE", "DELETE", "MERGE"}.isdisjoint(words)
    return words[:1] in (["SELECT"], ["VALUES"])


def adds_only(text: str) -> bool:
    """Tell whether a statement only inserts, and changes no existing row as ON CONFLICT DO UPDATE does."""
    words = _split_words(text)
    changes = not {"UPDATE", "DELETE", "MERGE"}.isdisjoint(words) or words[1:3] == ["OR", "REPLACE"]
    return words[:1] == ["INSERT"] and not changes and counters.counters.name not in text


@lru_cache(512)
def find_table(text: str) -> str:
    """Name the table of an INSERT; "" for any other statement."""
    found = _INSERTED.match(text)
    return found[1] if found else ""


@lru_cache(512)
def table_added_to(text: str) -> str:
    """Name the table of an INSERT if its rows add to records; "" for any other statement."""
    table = metadata.tables.get(find_table(text))
    return str(table.name) if table is not None and table.info.get("of_record") else ""


@lru_cache(512)
def reads_additions(text: str) -> bool:
    """Tell whether a query reads nothing but a table whose rows add to records."""
    read = [metadata.tables.get(name) for name in _READ_FROM.findall(text)]
    return bool(read) and all(table is not None and table.info.get("of_record") for table in read)


def find_ids(text: str, values: Any) -> set[str]:
    """Return the ids of the rows that an INSERT adds."""
    if isinstance(values, dict):
        return {row["id"] for row in read_rows(values)}
    names = text[text.index("(") + 1 : text.index(")")].split(", ")
    return {values[names.index("id")]}


def find_search_text(text: str, values: Any) -> str:
    """Return the `search_text` of the row that an INSERT adds, "" if it has none."""
    if isinstance(values, dict):
        return str(values.get("search_text", ""))
    place = _place_of_search_text(text)
    return str(values[place]) if place >= 0 else ""


@lru_cache(512)
def _place_of_search_text(text: str) -> int:
    names = text[text.find("(") + 1 : text.find(")")].split(", ")
    return names.index("search_text") if "search_text" in names else -1


def read_rows(values: Any) -> list[Any]:
    """Return the rows that these values of an INSERT are; `Insertion` sends PostgreSQL many as one text."""
    is_text = isinstance(values, dict) and values.keys() == {"tenant_id", "rows"}
    return msgspec.json.decode(values["rows"], type=list[dict[str, Any]]) if is_text else [values]


@lru_cache(512)
def _split_words(text: str) -> list[str]:
    return re.findall("[A-Z_]+", _COMMENT.sub("", text).upper())


def as_storable_row(parameters: Any) -> Any:
    """Return a driver's form of values, as it can be stored."""
    if isinstance(parameters, dict):
        return {name: _as_storable(value) for name, value in parameters.items()}
    return [_as_storable(value) for value in parameters]


def _as_storable(value: Any) -> Any:
    if value is None or isinstance(value, str | int | float | bytes | datetime):
        return value
    if isinstance(value, date):
        return msgspec.msgpack.Ext(_DATE, value.isoformat().encode())
    if hasattr(value, "obj"):  # psycopg's JSON, which the statement casts
        return encode(value.obj).decode()
    raise TypeError(f"a value of the type {type(value).__name__} cannot be recorded")


def _pack_extension(value: Any) -> msgspec.msgpack.Ext:
    if isinstance(value, Moment):
        return msgspec.msgpack.Ext(_TIME, value.isoformat().encode())
    raise NotImplementedError


def read_extension(code: int, data: memoryview) -> date:
    """Return the date or time that was packed as such an extension of MessagePack."""
    return (datetime if code == _TIME else date).fromisoformat(bytes(data).decode())


def with_present_moment(values: Any, now: dict[Any, Any]) -> Any:
    """Return values as the driver takes them, with the present moment in place of that of the recording."""
    if isinstance(values, dict):
        return {name: now.get(value, value) for name, value in values.items()}
    return tuple([now.get(value, value) for value in values])


def write_moment(moment: Moment, is_sqlite: bool) -> Any:
    """Return a driver's form of a moment."""
    return moment.replace(tzinfo=None).isoformat(" ", "microseconds") if is_sqlite else moment


pack = msgspec.msgpack.Encoder(enc_hook=_pack_extension).encode
