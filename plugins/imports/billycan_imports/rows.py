"""Rows of a file on their way: joined to records, a few at a time, and packed as they are stored."""

import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any, TypeVar

import msgspec

from billycan.web import encode

ROWS_OF_CHUNK = 10  # few enough that checking them does not block the database for long

T = TypeVar("T")


def join_rows(rows: Iterable[tuple[int, Sequence[str]]], joins_by: int | None) -> Iterator[list[Any]]:
    """Yield records: the number of the first row, its cells, and each further row of the record as a list."""
    record: list[Any] = []
    for number, cells in rows:
        if record and _belongs_to_record(record, number, cells, joins_by):
            record.append([*cells])
            continue
        if record:
            yield record
        record = [number, *cells]
    if record:
        yield record


def last_row_of(record: Sequence[Any]) -> int:
    """Return the number of the last row of a record."""
    return int(record[0]) + sum(isinstance(cell, list) for cell in record)


def batched(items: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield so many items at a time."""
    left = iter(items)
    while some := list(islice(left, size)):
        yield some


def pack_rows(rows: Sequence[Any]) -> bytes:
    """Return rows as they are stored."""
    return zlib.compress(encode(rows), 1)


def unpack_rows(packed: bytes) -> list[list[Any]]:
    """Return the rows that were packed like this."""
    found: list[list[Any]] = msgspec.json.decode(zlib.decompress(packed))
    return found


def _belongs_to_record(record: list[Any], number: int, cells: Sequence[str], joins_by: int | None) -> bool:
    """Tell whether a row continues the record before it: it follows it, and has the same number."""
    if joins_by is None or len(cells) <= joins_by:
        return False
    first = [cell for cell in record if not isinstance(cell, list)]
    follows = number == record[0] + len(record) - len(first) + 1
    return follows and len(first) > joins_by + 1 and first[joins_by + 1] == cells[joins_by] != ""
