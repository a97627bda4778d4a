"""CSV for spreadsheets, in which no text that somebody sent runs as a formula."""

import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from decimal import Decimal
from typing import Any

from msgspec import UNSET, Struct, UnsetType
from msgspec.structs import fields

from ..members import is_struct, options, parts
from ..resources import Named
from ..web import encode

MEDIA_TYPE = "text/csv; charset=utf-8"
# What a spreadsheet takes for the beginning of a formula (OWASP, CSV Injection), in full width too; and text that looks
# like what guards one, so that what is read again is what was written. Where semicolons or tabs separate cells, what
# follows one is a cell of its own, and quotation marks before it do not change that.
_SIGNS = r"=+\-@\uff1d\uff0b\uff0d\uff20"
_FORMULA = re.compile(rf"'*[{_SIGNS}\t\r\n]")
_NUMBER = r"[+-]?\d[\d ().-]*"
_WITHIN = re.compile(rf"""([;\t\r\n]"*)(?='*[{_SIGNS}])(?!{_NUMBER}"*(?:[;\t\r\n]|$))""", re.ASCII)
_GUARDED_WITHIN = re.compile(rf"""([;\t\r\n]"*)'(?='*[{_SIGNS}])""")
_NUMBER_OR_PHONE = re.compile(_NUMBER, re.ASCII)
_PLAIN_ITEM = re.compile(r"[^\s,\[][^,\r\n]*")
_DEEPEST = 3


class Column(Struct, frozen=True):
    """A column of a list's file, named after its member: `billing_address.suburb` for a nested one."""

    name: str
    path: tuple[str, ...]

    def of(self, record: Any) -> Any:
        """Return its value in a record; None if the record has none."""
        for name, key in zip(self.path, self.name.split("."), strict=True):
            record = record.get(key) if isinstance(record, Mapping) else getattr(record, name, None)
        return None if record is UNSET else record


def columns(kind: Any, asked: Collection[str] | None = None, include: Collection[str] = ()) -> list[Column]:
    """List the columns of records: for the members in `asked`, or for all that are there without `include`.

    An object has a column for each of its members, except the id of a named record that a member of its own gives.
    """
    return [
        column
        for field in fields(kind)
        if (field.name in asked if asked is not None else field.default is not UNSET or field.encode_name in include)
        for column in _find_columns(kind, field)
    ]


def _find_columns(kind: Any, field: Any, depth: int = 1) -> Iterator[Column]:
    within = [parts(option)[0] for option in options(parts(field.type)[0])]
    within = [option for option in within if option not in (type(None), UnsetType)]
    if len(within) != 1 or not is_struct(within[0]) or depth == _DEEPEST:
        yield Column(field.encode_name, (field.name,))
        return
    told = within[0] is Named and f"{field.encode_name}_id" in kind.__struct_encode_fields__
    for part in fields(within[0]):
        if not (told and part.name == "id"):
            for column in _find_columns(within[0], part, depth + 1):
                yield Column(f"{field.encode_name}.{column.name}", (field.name, *column.path))


def write_rows(rows: Iterable[Iterable[Any]]) -> bytes:
    """Return rows as lines of CSV."""
    out = io.StringIO(newline="")
    csv.writer(out).writerows([cell(value) for value in row] for row in rows)
    return out.getvalue().encode()


def cell(value: Any) -> str:
    """Return a value as a cell: a list of short texts as `a, b`, any other list or object as JSON."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, int | date):
        return str(value)
    if isinstance(value, list | tuple) and all(isinstance(each, str) and _PLAIN_ITEM.fullmatch(each) for each in value):
        value = ", ".join(value)
    elif not isinstance(value, str):
        value = encode(value).decode() if value else ""
    guard = "'" if _FORMULA.match(value) and not _NUMBER_OR_PHONE.fullmatch(value) else ""
    return guard + _WITHIN.sub(r"\1'", value)


def text_of(cell: str) -> str:
    """Return the text from which a cell was made, without the `'` that guards it."""
    cell = _GUARDED_WITHIN.sub(r"\1", cell)
    return cell[1:] if cell.startswith("'") and _FORMULA.match(cell) else cell
