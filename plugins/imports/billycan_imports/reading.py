"""Rows of a CSV file, read line by line, in every form that spreadsheets write."""

import codecs
import csv
import io
from collections.abc import Generator, Iterator
from typing import IO

from billycan import BadRequest

MOST_ROWS = 20_000
MOST_BYTES = 10 * 1024 * 1024
MOST_COLUMNS = 200
MOST_ROW = 1 << 20  # characters; a row of short cells takes many times as many bytes
MOST_NAME = 200  # characters: an import stores its column names for good
_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"), (codecs.BOM_UTF16_BE, "utf-16"))


def rows_of(file: IO[bytes], charset: str | None) -> Generator[list[str], None, None]:
    """Yield the header and each row. Raise BadRequest if the file is not CSV in its encoding, or too long."""
    text = io.TextIOWrapper(file, _find_encoding(file, charset), newline="")
    try:
        first = text.readline(MOST_ROW)
        if is_marked := first.strip() == "{}":  # as MYOB begins its exports
            first = text.readline(MOST_ROW)
        text.seek(0)
        if is_marked:
            text.readline(MOST_ROW)
        lines = _Lines(text)
        found = csv.reader(lines, delimiter=_find_delimiter(first), strict=True)
        yield _check_header([name.strip() for name in next(found, [])])
        lines.of_row = 0
        for number, row in enumerate(found, 1):
            if number > MOST_ROWS:
                raise BadRequest(
                    f"The file has more than {MOST_ROWS:,} rows: send it in several parts.", code="too_many_rows"
                )
            if len(row) > MOST_COLUMNS:
                raise _refuse_file(f"line {found.line_num:,} has more than {MOST_COLUMNS} cells")
            lines.of_row = 0
            yield row
    except UnicodeError as error:
        raise _refuse_file(
            f"it is not text in {text.encoding.removesuffix('-sig').upper()}. Save it as CSV UTF-8, or name its"
            " encoding, such as charset=windows-1252"
        ) from error
    except csv.Error as error:
        raise _refuse_file(f"line {found.line_num:,}: {_in_words(str(error))}") from error
    finally:
        text.detach()


class _Lines:
    """The lines of a text; `of_row` counts the characters of the present row, whose cells may have many lines."""

    def __init__(self, text: IO[str]) -> None:
        self._text, self.of_row = text, 0

    def __iter__(self) -> Iterator[str]:
        for number, line in enumerate(iter(lambda: self._text.readline(MOST_ROW + 1), ""), 1):
            self.of_row += len(line)
            if self.of_row > MOST_ROW:
                raise _refuse_file(f"the row in line {number:,} has more than {MOST_ROW:,} characters")
            yield line


def _check_header(header: list[str]) -> list[str]:
    if len(header) > MOST_COLUMNS:
        raise _refuse_file(f"it has more than {MOST_COLUMNS} columns")
    if any(len(name) > MOST_NAME for name in header):
        raise _refuse_file(f"the name of a column has more than {MOST_NAME} characters")
    if not any(header):
        raise _refuse_file("its first line must name the columns")
    if not all(name.isprintable() for name in header):
        raise _refuse_file("the names of its columns have control characters. Save it as CSV UTF-8")
    return header


def _in_words(error: str) -> str:
    """Return an error of Python's reader in words for the person who made the file."""
    if "unexpected end" in error:
        return 'a cell begins with " and has no " at its end'
    if "expected after" in error:
        return 'text comes after the " at the end of a cell. Within a cell, write "" for each "'
    return f"a cell has more than {csv.field_size_limit():,} characters" if "field limit" in error else error


def _find_encoding(file: IO[bytes], charset: str | None) -> str:
    start = file.read(4)
    file.seek(0)
    if start == b"PK\3\4":
        raise _refuse_file("it is a workbook, or another packed file. Save the sheet as CSV UTF-8")
    marked = next((encoding for mark, encoding in _MARKS if start.startswith(mark)), None)
    return marked or {"windows-1252": "cp1252"}.get(charset or "", charset or "utf-8")


def _find_delimiter(line: str) -> str:
    """Return the delimiter between the names in the header."""
    outside = "".join(line.split('"')[::2])
    return max(",;\t|", key=outside.count)


def _refuse_file(why: str) -> BadRequest:
    return BadRequest(f"The file cannot be read as CSV: {why}.", code="malformed_csv")
