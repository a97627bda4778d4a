"""Lists as CSV files: all records that the filters find, as of one moment, fetched a hundred at a time."""

from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Any

from msgspec import structs

from ..apart import in_turns
from ..db import one_moment
from ..idempotency import Answer
from ..problems import BadRequest
from ..resources import Reply
from . import sheets

if TYPE_CHECKING:
    from ..context import Context
    from ..endpoints import Endpoint

MOST_AT_ONCE = 3  # files of a business on a host: each keeps a connection, and then a file and a thread
_TOO_MANY = f"{MOST_AT_ONCE} CSV files of this business are made or sent at the moment: wait for one of them."
_IN_MEMORY = 1 << 20  # bytes; the rest of a longer file is on the disk
_PIECE = 64 * 1024


def export_list(ctx: "Context", endpoint: "Endpoint", values: Mapping[str, Any], params: Mapping[str, str]) -> Answer:
    """Return the file; it is complete before any of it is sent, so that it is whole or refused.

    Raise BadRequest for a parameter that cuts a list into pages, and RateLimited while the business has others made.
    """
    query = values.get("query")
    for name in ("page", "per_page", "cursor"):
        if getattr(query, name, None) is not None:
            raise BadRequest(f"{name}: a CSV file has all records on one page: leave it out.", param=name)
    asked = frozenset(ctx.chosen[1]) if ctx.chosen else None
    columns = sheets.columns(ctx.of_business(endpoint).signature.listed, asked, getattr(query, "include", None) or ())
    with ExitStack() as held:
        # Held until the client has the file or goes away.
        held.enter_context(ctx.take_slot(MOST_AT_ONCE, "too_many_exports", _TOO_MANY))
        file = held.enter_context(_write_file(ctx, endpoint, values, params, columns))
        done = held.pop_all()  # closed by the server once it is sent
    size = file.tell()
    file.seek(0)
    name = endpoint.route.path.rpartition("/")[2]
    headers = {
        "Content-Type": sheets.MEDIA_TYPE,
        "Content-Disposition": f'attachment; filename="{name}.csv"',
        "Content-Length": str(size),
    }
    pieces = Reply.Pieces(iter(lambda: file.read(_PIECE), b""), done.close)
    return Answer(endpoint.route.status, headers, b"", pieces=pieces)


def _write_file(
    ctx: "Context",
    endpoint: "Endpoint",
    values: Mapping[str, Any],
    params: Mapping[str, str],
    columns: list[sheets.Column],
) -> IO[bytes]:
    """Write the file to its end; fetch records one by one if they are too large for a page of a hundred."""
    for per_page in (100, 10, 1):
        file: IO[bytes] = SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - whoever sends it closes it
        try:
            file.write(sheets.write_rows([[column.name for column in columns]]))
            with one_moment(ctx.db):
                for records in in_turns(_read_pages(ctx, endpoint, values, params, per_page)):
                    file.write(sheets.write_rows([column.of(each) for column in columns] for each in in_turns(records)))
        except BadRequest as refused:
            file.close()
            if refused.code != "page_too_large" or per_page == 1:
                raise
        except BaseException:
            file.close()
            raise
        else:
            return file
    raise AssertionError("a record by itself is never too large")


def _read_pages(
    ctx: "Context", endpoint: "Endpoint", values: Mapping[str, Any], params: Mapping[str, str], per_page: int
) -> Iterator[list[Any]]:
    """Yield the records of each page of a list; each page starts where the last one ended."""
    if "query" not in values or "cursor" not in values["query"].__struct_fields__:
        yield endpoint.run(ctx, values, params).items
        return
    query = structs.replace(values["query"], per_page=per_page)
    while True:
        page = endpoint.run(ctx, {**values, "query": query}, params)
        yield page.items
        if not page.has_more:
            return
        on = {"cursor": page.next_cursor, "page": None} if page.next_cursor else {"page": page.page + 1}
        query = structs.replace(query, **on)
