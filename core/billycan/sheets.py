"""CSV: rows as a spreadsheet opens them, in which no text that somebody sent runs as a formula."""

import csv
import io
import re
from collections.abc import Iterable, Sequence
from datetime import date
from decimal import Decimal
from typing import Any

from .resources import Reply

MEDIA_TYPE = "text/csv; charset=utf-8"
# What a spreadsheet takes for the beginning of a formula (OWASP, CSV Injection).
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\n")
_NUMBER_OR_PHONE = re.compile(r"[+-]?\d[\d ().-]*", re.ASCII)


def csv_reply(filename: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Reply:
    """A CSV file (RFC 4180, UTF-8) of these rows, the first of which names the columns.

    Money has two decimals, dates are YYYY-MM-DD, and what is missing is empty. Text that a spreadsheet would take for a
    formula has a `'` before it; numbers and phone numbers stay as they are.
    """
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return Reply(out.getvalue().encode(), MEDIA_TYPE, {"Content-Disposition": f'attachment; filename="{filename}.csv"'})


def _cell(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, int | date):
        return str(value)
    text = str(value)
    return f"'{text}" if text.startswith(_FORMULA) and not _NUMBER_OR_PHONE.fullmatch(text) else text
