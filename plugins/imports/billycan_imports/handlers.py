"""Handlers of imports: one function for each route, and the reading of uploads."""

import zlib
from collections.abc import Iterator
from contextlib import closing, contextmanager
from tempfile import SpooledTemporaryFile
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import BadRequest, Conflict, Context, Page, new_id, own
from billycan.csv.importing import Importer
from billycan.web import Incoming, encode, in_turns

from .reading import rows_of
from .records import MOST_FAULTS, finish_import, page_of_imports, read_import, records, show_import, stored_caller
from .schemas import Import, ImportQuery, Upload
from .tables import chunks, imports

MOST_WAITING, MOST_ROWS_WAITING = 10, 50_000
ROWS_OF_CHUNK = 10  # few enough that checking them does not block the database for long
_IN_MEMORY = 1 << 20


class Parsed(msgspec.Struct):
    """A parsed file: the names of its columns, the number of its rows, and the rows in compressed chunks."""

    header: list[str]
    rows: int
    chunks: list[bytes]


NOT_PARSED = Parsed([], 0, [])


@contextmanager
def receive(ctx: Context, query: Upload, incoming: Incoming) -> Iterator[Parsed]:
    """Read and parse an upload before its transaction, so that no other transaction waits for that.

    Yield NOT_PARSED if too many imports are unfinished already.
    """
    known = ctx.app.importable
    if query.resource not in known:
        raise BadRequest(f"resource: takes {', '.join(sorted(known))}.", code="invalid_parameter", param="resource")
    ctx.app.hook.authorize(ctx=ctx, route=known[query.resource].route)
    with ctx.app.db.reading(ctx.tenant_id) as db:
        count, rows_waiting = db.execute(_select_waiting(ctx)).one()
    if count >= MOST_WAITING or (rows_waiting or 0) >= MOST_ROWS_WAITING:
        for _ in incoming:  # a repeated Idempotency-Key is told from another by the whole body
            pass
        yield NOT_PARSED
        return
    with SpooledTemporaryFile(_IN_MEMORY) as file:
        for piece in incoming:
            file.write(piece)
        file.seek(0)
        with closing(rows_of(file, query.charset)) as rows:
            parsed = Parsed(next(rows), 0, [])
            joins_by = Importer(ctx.of_business(known[query.resource]), parsed.header).joins_by
            some: list[Any] = []
            for number, cells in enumerate(in_turns(rows), 1):
                if not any(map(str.strip, cells)):
                    continue
                if some and _belongs_to_record(some[-1], number, cells, joins_by):
                    some[-1].append(cells)
                    continue
                if len(some) == ROWS_OF_CHUNK:
                    parsed.chunks.append(_pack_rows(some))
                    some = []
                some.append([number, *cells])
                parsed.rows += 1
            if some:
                parsed.chunks.append(_pack_rows(some))
    yield parsed


def create_import(ctx: Context, query: Upload, body: Parsed) -> Import:
    """Import the rows of a CSV file: all of them, or none.

    The body is the file, at most 10 MiB and 20,000 rows. Its first line names the columns, as an export writes them:
    they are members of a new record, and `billing_address.suburb` is a member of an object. Commas, semicolons or tabs
    separate the cells. The rows are checked and imported soon after the response: get the import to see its progress.
    The key also needs the write scope of `resource`; otherwise `insufficient_scope`. Refused with `malformed_csv` or
    `too_many_rows` if the file cannot be read, and with `too_many_imports` if more than 10 imports, or more than 50,000
    rows in all, would be unfinished. If the key is revoked or loses a scope before the end, the import fails and no
    row is imported. Emits `import.failed` if the header has a fault.
    """
    if body is NOT_PARSED:
        raise _too_many()
    importer = Importer(ctx.of_business(ctx.app.importable[query.resource]), body.header)
    faults = [
        {"row": 0, "column": fault.param or None, "code": fault.code, "message": fault.message}
        for fault in importer.faults
    ]
    row = records.insert(
        ctx,
        resource=query.resource,
        status="queued",
        dry_run=query.dry_run,
        header=body.header,
        ignored_columns=importer.ignored,
        rows=body.rows,
        rows_checked=0,
        rows_imported=0,
        next_chunk=0,
        rechecks=0,
        fault_count=len(faults),
        faults=faults[:MOST_FAULTS],
        caller=stored_caller(ctx),
        external_id=None,
        metadata={},
    )
    if faults:
        return finish_import(ctx, row)
    _check_waiting(ctx)
    same = {"tenant_id": ctx.tenant_id, "import_id": row.id, "recording": None}
    if body.chunks:
        kept = [{**same, "id": new_id("imc"), "number": i, "rows": rows} for i, rows in enumerate(body.chunks)]
        ctx.db.execute(sa.insert(chunks), kept)
    return show_import(ctx, row)


def list_imports(ctx: Context, query: ImportQuery) -> Page[Import]:
    """Imports, newest first.

    Faults can make the response large: use `fields` to leave them out.
    """
    return page_of_imports(ctx, query)


def get_import(ctx: Context, id: str) -> Import:
    """One import, and its progress.

    While it is `queued`, `checking` or `writing`, ask again after a second or so.
    """
    return read_import(ctx, id)


def _check_waiting(ctx: Context) -> None:
    """Raise an error if too many imports or rows are unfinished: they take room until then.

    The insert locked the counter's row, so others wait and the count is right.
    """
    count, rows = ctx.db.execute(_select_waiting(ctx)).one()
    if count > MOST_WAITING or rows > MOST_ROWS_WAITING:
        raise _too_many()


def _select_waiting(ctx: Context) -> sa.Select[int, Any]:
    """Select the number of unfinished imports, and of their rows."""
    found = sa.select(sa.func.count(), sa.func.sum(imports.c.rows)).where(own(ctx, imports))
    return found.where(imports.c.finished_at.is_(None))


def _too_many() -> Conflict:
    return Conflict(
        f"At most {MOST_WAITING} imports, with {MOST_ROWS_WAITING:,} rows in all, may be unfinished:"
        " send the next when one of them is finished.",
        code="too_many_imports",
    )


def _belongs_to_record(record: list[Any], number: int, cells: list[str], joins_by: int | None) -> bool:
    """Tell whether a row continues the record before it: it follows it, and has the same number."""
    if joins_by is None or len(cells) <= joins_by:
        return False
    first = [cell for cell in record if not isinstance(cell, list)]
    follows = number == record[0] + len(record) - len(first) + 1
    return follows and len(first) > joins_by + 1 and first[joins_by + 1] == cells[joins_by] != ""


def _pack_rows(rows: list[Any]) -> bytes:
    return zlib.compress(encode(rows), 1)
