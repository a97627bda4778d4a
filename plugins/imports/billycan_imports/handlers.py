"""What each endpoint of imports does, and how a file comes in."""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from tempfile import SpooledTemporaryFile
from typing import IO, Any

import sqlalchemy as sa

from billycan import BadRequest, Conflict, Context, Page, new_id, own
from billycan.importing import Importer, importable
from billycan.web import Incoming, encode

from .reading import rows_of
from .records import MOST_FAULTS, caller_of, finish, get, page, records, show
from .schemas import Import, ImportQuery, Upload
from .tables import chunks, imports

MOST_WAITING = 10
_CHUNK = 100
_IN_MEMORY = 1 << 20


@contextmanager
def receive(ctx: Context, query: Upload, incoming: Incoming) -> Iterator[IO[bytes]]:
    """Keep an upload's bytes aside, before its transaction."""
    known = importable(ctx.app)
    if query.resource not in known:
        raise BadRequest(f"resource: takes {', '.join(sorted(known))}.", code="invalid_parameter", param="resource")
    ctx.app.hook.authorize(ctx=ctx, route=known[query.resource].route)
    with SpooledTemporaryFile(_IN_MEMORY) as file:
        for piece in incoming:
            file.write(piece)
        file.seek(0)
        yield file


def create_import(ctx: Context, query: Upload, body: IO[bytes]) -> Import:
    """Import the rows of a CSV file: all of them, or none.

    The body is the file, at most 10 MiB and 20,000 rows. Its first line names the columns, as an export writes them:
    they are members of a new record, and `billing_address.suburb` is a member of an object. Commas, semicolons or tabs
    separate the cells. The rows are checked and imported soon after the response: get the import to see its progress.
    The key also needs the write scope of `resource`; otherwise `insufficient_scope`. Refused with `malformed_csv` or
    `too_many_rows` if the file cannot be read, and with `too_many_imports` while 10 others are not finished. Emits
    `import.failed` if the header has a fault.
    """
    with closing(rows_of(body, query.charset)) as rows:
        return _begin(ctx, query, next(rows), rows)


def list_imports(ctx: Context, query: ImportQuery) -> Page[Import]:
    """Imports, newest first.

    Faults can make the response large: use `fields` to leave them out.
    """
    return page(ctx, query)


def get_import(ctx: Context, id: str) -> Import:
    """One import, and its progress.

    While it is `queued`, `checking` or `writing`, ask again after a second or so.
    """
    return get(ctx, id)


def _begin(ctx: Context, query: Upload, header: list[str], rows: Iterable[list[str]]) -> Import:
    """Write an import down, with its rows."""
    importer = Importer(importable(ctx.app)[query.resource], header)
    faults = [
        {"row": 0, "column": fault.param or None, "code": fault.code, "message": fault.message}
        for fault in importer.faults
    ]
    row = records.insert(
        ctx,
        resource=query.resource,
        status="queued",
        dry_run=query.dry_run,
        header=header,
        ignored_columns=importer.ignored,
        rows=0,
        rows_checked=0,
        rows_imported=0,
        next_chunk=0,
        fault_count=len(faults),
        faults=faults[:MOST_FAULTS],
        caller=caller_of(ctx),
        external_id=None,
        metadata={},
    )
    _check_waiting(ctx)
    row = records.save(ctx, row, rows=_keep(ctx, row.id, rows))
    return finish(ctx, row) if faults else show(ctx, row)


def _check_waiting(ctx: Context) -> None:
    """Refuse a file that is one too many of those that wait: their rows take room until they are finished.

    The counter's row that its insert locked makes others wait, so that the count is right.
    """
    c = imports.c
    waiting = sa.select(sa.func.count()).where(own(ctx, imports), c.status.in_(("queued", "checking", "writing")))
    if ctx.db.execute(waiting).scalar_one() > MOST_WAITING:
        raise Conflict(
            f"{MOST_WAITING} imports are not finished yet: send the next when one of them is.", code="too_many_imports"
        )


def _keep(ctx: Context, id: str, rows: Iterable[list[str]]) -> int:
    """Keep the rows that are not empty for the worker, each with its number; how many there are."""
    kept = count = 0
    chunk: list[Any] = []
    for number, cells in enumerate(rows, 1):
        if any(map(str.strip, cells)):
            chunk.append([number, *cells])
            count += 1
        if len(chunk) == _CHUNK:
            _write(ctx, id, kept, chunk)
            kept, chunk = kept + 1, []
    if chunk:
        _write(ctx, id, kept, chunk)
    return count


def _write(ctx: Context, id: str, number: int, rows: list[Any]) -> None:
    values = {"tenant_id": ctx.tenant_id, "id": new_id("imc"), "import_id": id, "number": number}
    ctx.db.execute(sa.insert(chunks).values(**values, rows=encode(rows).decode()))
