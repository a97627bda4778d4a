"""Handlers of imports: one function for each route, and the reading of uploads."""

from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager
from itertools import chain, islice
from tempfile import SpooledTemporaryFile
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import BadRequest, Conflict, Context, Page, Problem, decode, new_id, own
from billycan.csv.importing import Importer
from billycan.web import Incoming, in_turns

from .mapping import FIRST_ROWS, Translation, guess_mapping, mapping_faults, name_columns
from .reading import rows_of
from .records import (
    MOST_FAULTS,
    finish_import,
    page_of_imports,
    read_import,
    read_mapping,
    records,
    select_mapping,
    show_import,
    stored_caller,
)
from .rows import ROWS_OF_CHUNK, batched, join_rows, pack_rows
from .schemas import ColumnMapping, Import, ImportQuery, Upload
from .tables import chunks, imports, sources

MOST_WAITING, MOST_ROWS_WAITING = 10, 50_000
ROWS_OF_SOURCE, LETTERS_OF_SOURCE = 200, 200_000
_IN_MEMORY = 1 << 20


class Parsed(msgspec.Struct):
    """A parsed file: the names of its columns, the number of its rows, and the rows in compressed chunks.

    The chunks of a draft are rows as they are in the file, each chunk with the number of its first row. `columns` are
    the names in the file if they are mapped.
    """

    header: list[str]
    rows: int = 0
    chunks: list[bytes] = []
    numbers: list[int] = []
    columns: list[str] | None = None
    mapping: ColumnMapping | None = None
    preset: str | None = None


NOT_PARSED = Parsed([])


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
        count, rows_waiting = db.execute(_select_waiting(ctx, drafts=query.draft)).one()
    if count >= MOST_WAITING or (rows_waiting or 0) >= MOST_ROWS_WAITING:
        for _ in incoming:  # a repeated Idempotency-Key is told from another by the whole body
            pass
        yield NOT_PARSED
        return
    mapping = _read_mapping(query)
    with SpooledTemporaryFile(_IN_MEMORY) as file:
        for piece in incoming:
            file.write(piece)
        file.seek(0)
        with closing(rows_of(file, query.charset)) as rows:
            header = next(rows)
            numbered: Iterator[tuple[int, list[str]]] = (
                (number, row) for number, row in enumerate(in_turns(rows), 1) if any(map(str.strip, row))
            )
            endpoint = ctx.of_business(known[query.resource])
            if query.draft or mapping is not None:
                parsed = Parsed(header, columns=name_columns(header))
                first = [*islice(numbered, FIRST_ROWS)]
                _map_columns(ctx, query.resource, parsed, mapping, [row for _, row in first], endpoint)
                numbered = chain(first, numbered)
            else:
                parsed = Parsed(header)
            if query.draft:
                keep_rows(parsed, numbered)
            else:
                importer = Importer(endpoint, parsed.header)
                if parsed.mapping:
                    mapped = Translation(parsed.columns or [], parsed.mapping, importer.members(), {})
                    parsed.header, numbered = mapped.header, mapped.rows(numbered)
                    importer = Importer(endpoint, parsed.header)
                for some in batched(join_rows(numbered, importer.joins_by), ROWS_OF_CHUNK):
                    parsed.chunks.append(pack_rows(some))
                    parsed.rows += len(some)
    yield parsed


def _read_mapping(query: Upload) -> ColumnMapping | None:
    """Return the mapping of an upload's parameters, without columns if it is to be guessed; None if there is none."""
    if query.mapping is None:
        return None
    if query.mapping == "auto":
        return ColumnMapping(columns={})
    try:
        return decode(msgspec.json.decode(query.mapping), ColumnMapping)
    except msgspec.DecodeError as error:
        raise BadRequest("mapping: takes auto, or JSON.", code="invalid_parameter", param="mapping") from error
    except Problem as problem:
        said = "; ".join(f"{fault.param} {fault.message}" for fault in problem.details) or problem.message
        raise BadRequest(f"mapping: {said}", code="invalid_parameter", param="mapping") from problem


def _map_columns(
    ctx: Context, resource: str, parsed: Parsed, sent: ColumnMapping | None, rows: list[list[str]], endpoint: Any
) -> None:
    """Set the mapping of a file: the one that was sent, or the last of such a file, or one that is guessed."""
    names, importer = parsed.columns or [], Importer(endpoint, [])
    if sent and sent.columns:
        if faults := mapping_faults(names, sent, importer):
            raise BadRequest(f"mapping: {faults[0].message}", code="invalid_parameter", param="mapping")
        parsed.mapping = sent
        return
    parsed.mapping, parsed.preset = guess_mapping(resource, names, importer.members(), rows)
    with ctx.app.db.reading(ctx.tenant_id) as db:
        last = db.execute(select_mapping(ctx, resource, names)).scalar()
    if last is not None:
        known = read_mapping(last)
        if not mapping_faults(names, known, importer):
            parsed.mapping = known


def keep_rows(parsed: Parsed, numbered: Iterable[tuple[int, list[str]]]) -> None:
    """Pack the rows of a draft as they are, in pieces that are read in a short step."""
    some, letters = list[Any](), 0
    for number, row in numbered:
        some.append([number, *row])
        letters += sum(map(len, row))
        parsed.rows += 1
        if len(some) == ROWS_OF_SOURCE or letters > LETTERS_OF_SOURCE:
            parsed.numbers.append(some[0][0])
            parsed.chunks.append(pack_rows(some))
            some, letters = [], 0
    if some:
        parsed.numbers.append(some[0][0])
        parsed.chunks.append(pack_rows(some))


def create_import(ctx: Context, query: Upload, body: Parsed) -> Import:
    """Import the rows of a CSV file: all of them, or none.

    The body is the file, at most 10 MiB and 20,000 rows. Its first line names the columns, as an export writes them:
    they are members of a new record, and `billing_address.suburb` is a member of an object. Commas, semicolons or tabs
    separate the cells. With `mapping` the columns may have other names; a draft has its mapping guessed, and waits for
    `start`. The rows are checked and imported soon after the response: get the import to see its progress.
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
        for fault in (() if query.draft else importer.faults)
    ]
    row = records.insert(
        ctx,
        resource=query.resource,
        status="draft" if query.draft else "queued",
        dry_run=query.dry_run,
        header=body.header,
        file_columns=body.columns,
        mapping=body.mapping and msgspec.to_builtins(body.mapping),
        preset=body.preset,
        mends=query.draft,
        ignored_columns=[] if query.draft else importer.ignored,
        rows=body.rows,
        rows_checked=0,
        rows_imported=0,
        next_chunk=0,
        rechecks=0,
        fault_count=len(faults),
        faults=faults[:MOST_FAULTS],
        caller={} if query.draft else stored_caller(ctx),  # whoever starts it
        external_id=None,
        metadata={},
    )
    if faults:
        return finish_import(ctx, row)
    check_waiting(ctx, drafts=query.draft)
    same = {"tenant_id": ctx.tenant_id, "import_id": row.id}
    if query.draft and body.chunks:
        pairs = zip(body.numbers, body.chunks, strict=True)
        ctx.db.execute(
            sa.insert(sources), [{**same, "id": new_id("ims"), "first": n, "rows": rows} for n, rows in pairs]
        )
    elif body.chunks:
        same["recording"] = None
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


def check_waiting(ctx: Context, *, drafts: bool = False) -> None:
    """Raise an error if too many imports, or drafts, or their rows are unfinished: they take room until then.

    The insert locked the counter's row, so others wait and the count is right.
    """
    count, rows = ctx.db.execute(_select_waiting(ctx, drafts=drafts)).one()
    if count > MOST_WAITING or (rows or 0) > MOST_ROWS_WAITING:
        raise _too_many()


def _select_waiting(ctx: Context, *, drafts: bool) -> sa.Select[int, Any]:
    """Select the number of unfinished imports, or of drafts, and of their rows."""
    found = sa.select(sa.func.count(), sa.func.sum(imports.c.rows)).where(own(ctx, imports))
    is_draft = imports.c.status == "draft"
    return found.where(imports.c.finished_at.is_(None), is_draft if drafts else ~is_draft)


def _too_many() -> Conflict:
    return Conflict(
        f"At most {MOST_WAITING} imports, with {MOST_ROWS_WAITING:,} rows in all, may be unfinished, and as many"
        " drafts: send the next when one of them is finished or cancelled.",
        code="too_many_imports",
    )
