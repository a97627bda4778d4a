"""The worker of imports: it checks their rows, a few at a time, and then makes all of their records at once.

Businesses take turns, a step each. Each step is a short transaction under the lock of the import's row, which records
the progress: a process that dies leaves nothing half done, and two workers do nothing twice. Checking a row makes its
record and undoes that. The statements are recorded, so that in the end one transaction makes all records in far less
time. What adds to records beside them, such as custom values, is written in steps before: nobody sees it until then.
"""

import logging
import re
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from datetime import timedelta
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import App, Context, Fault, Row, new_id, own
from billycan.csv.importing import Importer
from billycan.fields import Moment
from billycan.sql import counters, events
from billycan.web import encode

from .drafts import read_sources, translation_of
from .records import MOST_FAULTS, end_check, end_reason, fault_columns, finish_import, identity_of, records
from .rows import ROWS_OF_CHUNK, batched, join_rows, last_row_of, pack_rows, unpack_rows
from .schemas import ImportFault
from .tables import additions, chunks, imports

STEP_SECONDS = 0.02  # after which a step takes no further chunk; the last chunk takes about as long again
MOST_RECHECKS = 10
MOST_VALUES = 2_000_000  # of all rows; 20,000 contacts have half as many
MOST_LETTERS = 2_000_000  # that a search looks through; names and addresses have 100
FEW_LETTERS = 20_000  # which SQLite indexes in the last transaction, in some hundredths of a second
KEPT = timedelta(days=90)
_IDLE_SECONDS, _PUT_OFF_SECONDS, _CHUNKS_AT_ONCE, _CHUNKS_AHEAD = 1, 60, 100, 4
_ANY_BUSINESS = "the worker looks for imports of anybody"

_OF_PART = re.compile(r"(\w*)\[(\d+)\]\.(.+)")

log = logging.getLogger("billycan.imports")


def run_imports(app: App, stop: threading.Event) -> None:
    """Work on imports until `stop` is set."""
    rounds = Rounds(app)
    while not stop.is_set():
        if not rounds.go(stop):
            stop.wait(_IDLE_SECONDS)


class Rounds:
    """Gives each business with unfinished imports one step in each round; its oldest import goes first."""

    def __init__(self, app: App, failed: Callable[[Exception], None] = lambda error: None) -> None:
        self._app, self._failed = app, failed
        self._put_off: dict[str, Moment] = {}  # imports whose last step failed, and the end of their wait

    def go(self, stop: threading.Event | None = None) -> bool:
        """Take a step for each business, longest waiting first. Return True if there was anything to do."""
        now = self._app.now()
        self._put_off = {id: until for id, until in self._put_off.items() if until > now}
        with self._app.db.reading(across=_ANY_BUSINESS) as db:
            found = [row for row in db.execute(_UNFINISHED) if row.id not in self._put_off]
        oldest = {row.tenant_id: row for row in reversed(found)}
        for row in sorted(oldest.values(), key=lambda row: row.updated_at):
            if stop is not None and stop.is_set():
                break
            try:
                take_step(self._app, row.tenant_id, row.id)
            except Exception as error:
                log.exception("a step of %s failed and is tried again in %s s", row.id, _PUT_OFF_SECONDS)
                self._failed(error)
                self._put_off[row.id] = Moment.of(self._app.now() + timedelta(seconds=_PUT_OFF_SECONDS))
                if not isinstance(error, sa.exc.OperationalError):  # which the database may not repeat
                    self._count_failure(row)
        return bool(oldest)

    def _count_failure(self, row: Row) -> None:
        """Count a step that failed, and end the import after the last that is tried."""
        try:
            with (ctx := Context(self._app, row.tenant_id)).transaction():
                if found := _lock_import(ctx, row.id):
                    why = f"the server failed to import these rows: tell whoever runs it about {row.id}"
                    _count_try(ctx, found, ImportFault(0, None, "internal_error", why))
        except Exception:
            log.exception("the failure of %s was not counted", row.id)


def take_step(app: App, tenant_id: str, id: str) -> None:
    """Take the next step of an import, unless another worker has finished it or is working on it."""
    importer, ctx = _prepare_importer(app, tenant_id, id), Context(app, tenant_id)
    with ctx.transaction():
        row = _lock_import(ctx, id)
        if row is None:
            return
        if row.status == "queued":
            assert importer is not None  # noqa: S101 - as it was there before
            if not row.mends or _arrange_rows(ctx, row, importer):
                _prepare_import(ctx, row)
            return
        if row.next_chunk * ROWS_OF_CHUNK < row.rows:
            assert importer is not None  # noqa: S101 - its rows were left before, too
            _check_rows(ctx, row, importer)
            return
        if row.status == "writing" and _has_begun_ahead(ctx, row) and _write_ahead(ctx, row):
            return
    _settle_import(app, row)


def _lock_import(ctx: Context, id: str, version: int = 0) -> Row | None:
    """Lock an import, of this version if one is given, and return it. End it and return None if it cannot go on."""
    this = own(ctx, imports) & (imports.c.id == id)
    row = ctx.db.execute(sa.select(imports).where(this).with_for_update(skip_locked=True)).first()
    if row is None or row.finished_at is not None:
        return None
    if fault := end_reason(ctx, row):
        finish_import(ctx, records.save(ctx, row, **fault_columns(row, [fault])))
        return None
    return None if version and row.version != version else row


def _arrange_rows(ctx: Context, row: Row, importer: Importer) -> bool:
    """Make chunks of a draft's next rows; return True once all are in chunks."""
    began, number, read_to, last = time.perf_counter(), row.next_chunk, row.read_to, 0
    mapped = translation_of(row, importer)
    mapped.resume([*read_sources(ctx, row, read_to - 1, {read_to})])
    records_left = join_rows(mapped.rows(read_sources(ctx, row, read_to)), importer.joins_by)
    for some in batched(records_left, ROWS_OF_CHUNK):
        values = {"tenant_id": ctx.tenant_id, "import_id": row.id, "id": new_id("imc"), "number": number}
        ctx.db.execute(sa.insert(chunks).values(**values, rows=pack_rows(some)))
        number, read_to, last = number + 1, last_row_of(some[-1]), len(some)
        if time.perf_counter() - began >= STEP_SECONDS and len(some) == ROWS_OF_CHUNK:
            records.save(ctx, row, next_chunk=number, read_to=read_to)
            return False
    count = (number - 1) * ROWS_OF_CHUNK + last if last else number * ROWS_OF_CHUNK
    ignored = importer.ignored
    ctx.db.execute(
        sa.update(imports)
        .where(own(ctx, imports), imports.c.id == row.id)
        .values(rows=count, next_chunk=0, read_to=0, ignored_columns=ignored)
    )
    return True


def _prepare_import(ctx: Context, row: Row) -> None:
    if callable(prepare := ctx.app.importable[row.resource].route.imports):
        prepare(ctx.acting_as(identity_of(ctx, row)))
    records.save(ctx, row, status="checking")


def _prepare_importer(app: App, tenant_id: str, id: str) -> Importer | None:
    """Return what makes records of an import's rows; None if it has ended. With many columns that takes a while."""
    ctx = Context(app, tenant_id)
    with app.db.reading(tenant_id) as ctx.db:
        row = ctx.db.execute(sa.select(imports).where(own(ctx, imports), imports.c.id == id)).first()
        return _importer_of(ctx, row) if row and not row.finished_at and row.resource in app.importable else None


def _check_rows(ctx: Context, row: Row, importer: Importer) -> None:
    """Check the next rows by making their records and undoing that."""
    began, number, faults = time.perf_counter(), row.next_chunk, list[ImportFault]()
    identity = identity_of(ctx, row)
    while number * ROWS_OF_CHUNK < row.rows:
        this = _match_chunks(ctx, row) & chunks.c.recording.is_(None) & (chunks.c.number >= number)
        chunk = ctx.db.execute(sa.select(chunks).where(this).order_by(chunks.c.number).limit(1)).first()
        if chunk is None:
            number = row.rows
            break
        if row.rechecks:
            remove_additions(ctx, chunk.id)
        first = chunk.number * ROWS_OF_CHUNK
        recording, found = rehearse_rows(ctx.acting_as(identity), importer, unpack_rows(chunk.rows), first)
        faults += found
        if faults or row.fault_count or row.dry_run:
            recording.rows, recording.reads = [], []
        values = {"recording": recording.packed()}
        ctx.db.execute(sa.update(chunks).where(own(ctx, chunks), chunks.c.id == chunk.id).values(values))
        number = chunk.number + 1
        if time.perf_counter() - began >= STEP_SECONDS:
            break
    done = min(number * ROWS_OF_CHUNK, row.rows)
    writes = done == row.rows and not (faults or row.fault_count or row.dry_run)
    status = "writing" if writes else "checking"
    checked = max(done, row.rows_checked)
    records.save(ctx, row, status=status, rows_checked=checked, next_chunk=number, **fault_columns(row, faults))


def rehearse_rows(
    ctx: Context, importer: Importer, rows: Sequence[Sequence[Any]], first: int = 0
) -> tuple[Importer.Recording, list[ImportFault]]:
    """Return the recording that makes the records of rows, and the faults of the rows; `first` is the first's place."""
    faults: list[ImportFault] = []
    with importer.rehearsal(ctx) as rehearsal:
        for place, (number, *cells) in enumerate(rows, first):
            faults += _tell_faults(number, cells, importer.rehearse(ctx, rehearsal, place, cells))
        return rehearsal.recording(), faults


def _has_begun_ahead(ctx: Context, row: Row) -> bool:
    this = own(ctx, additions) & (additions.c.import_id == row.id)
    return ctx.db.execute(sa.select(additions.c.id).where(this).limit(1)).first() is not None


def _write_ahead(ctx: Context, row: Row) -> bool:
    """Write what the next rows add to their records; return False if nothing is left."""
    began, wrote, size = time.perf_counter(), False, 1
    is_written = sa.exists().where(own(ctx, additions), additions.c.id == chunks.c.id)
    left = sa.select(chunks.c.id, chunks.c.recording).where(_match_chunks(ctx, row), ~is_written)
    left = left.where(chunks.c.recording.is_not(None)).order_by(chunks.c.number)
    while time.perf_counter() - began < STEP_SECONDS or not wrote:
        # More at a time if they are small: SQLite writes its index of texts after each statement.
        found = ctx.db.execute(left.limit(size)).all()
        if not found:
            break
        size = min(2 * size, _CHUNKS_AHEAD)
        added = Importer.send_additions(ctx, [Importer.Recording.of(chunk.recording) for chunk in found])
        same = {"tenant_id": ctx.tenant_id, "import_id": row.id}
        some = [{**same, "id": c.id, "added": encode(each)} for c, each in zip(found, added, strict=True)]
        ctx.db.execute(sa.insert(additions), some)
        wrote = True
    if wrote:
        records.save(ctx, row, status=row.status)  # it has had its turn
    return wrote


def remove_additions(ctx: Context, id: str) -> None:
    """Remove what was written ahead of the records of a chunk, if anything was."""
    this = own(ctx, additions) & (additions.c.id == id)
    if (added := ctx.db.execute(sa.select(additions.c.added).where(this)).scalar()) is not None:
        Importer.remove_additions(ctx, msgspec.json.decode(added))
        ctx.db.execute(sa.delete(additions).where(this))


def left_additions(app: App, now: Moment) -> sa.Select[Any]:
    """Select what was written ahead of records that never came, as their imports failed."""
    c, of_import = additions.c, (imports.c.tenant_id == additions.c.tenant_id) & (imports.c.id == additions.c.import_id)
    found = sa.select(c.tenant_id, c.id).join(imports, of_import).where(imports.c.finished_at.is_not(None))
    return found.order_by(c.tenant_id, c.id)


class _Outdated(Exception):
    """Rows have to be checked again: something that their handlers read has changed."""

    def __init__(self, numbers: Sequence[int]) -> None:
        super().__init__(f"{len(numbers)} chunks")
        self.numbers = numbers


def _settle_import(app: App, row: Row) -> None:
    """End an import whose rows were all checked: make their records, unless any row has a fault."""
    ctx, writes = Context(app, row.tenant_id), row.status == "writing"
    with app.db.reading(row.tenant_id) as ctx.db:
        seen, whole = _last_event(ctx), _read_whole(ctx, row)
        # On PostgreSQL others write meanwhile, so this is checked only at the end; on SQLite they wait.
        outdated = _outdated_chunks(ctx, row) if app.db.is_sqlite and writes else []
    faults, more = _repeat_faults(app, row, whole.repeated)
    is_too_large = whole.values > MOST_VALUES or whole.letters > MOST_LETTERS
    if is_too_large:
        text = "the rows have too many values, such as custom fields, or too much text: send them in several files"
        faults.append(ImportFault(0, None, "too_many_values", text))
    if outdated and not is_too_large:
        _check_again(app, row, outdated)
    elif faults or not writes:
        with (ctx := Context(app, row.tenant_id)).transaction():
            if found := _lock_import(ctx, row.id, row.version):
                end_check(ctx, records.save(ctx, found, **fault_columns(found, faults, more)))
    elif not (whole.adds and _begin_ahead(app, row)):
        _write_records(app, row, seen)


def _begin_ahead(app: App, row: Row) -> bool:
    """Write what the first rows add to their records; return False if all of that is written."""
    with (ctx := Context(app, row.tenant_id)).transaction():
        found = _lock_import(ctx, row.id, row.version)
        return found is None or _write_ahead(ctx, found)


def _write_records(app: App, row: Row, seen: int) -> None:
    """Make the records of all rows from their recordings; `seen` is the last event before which nothing had changed."""
    before = Context(app, row.tenant_id)
    before.now()  # of one moment with all that is read, also in a sandbox whose clock moves meanwhile
    with ExitStack() as stack:
        with app.db.reading(row.tenant_id) as before.db:
            replay = stack.enter_context(
                closing(_importer_of(before, row).replay(before.acting_as(identity_of(before, row)), row.rows))
            )
            for _, recording in _read_recordings(before, row):
                replay.add(recording)
        ctx = Context(app, row.tenant_id, now=before.now())
        try:
            with ctx.transaction():
                if (found := _lock_import(ctx, row.id, row.version)) is None:
                    return
                if (not app.db.is_sqlite or seen != _last_event(ctx)) and (outdated := _outdated_chunks(ctx, row)):
                    raise _Outdated(outdated)
                replay.send(ctx.acting_as(identity_of(ctx, row)))
                if end_reason(ctx, row):
                    raise _Outdated([])  # The next step ends it.
                ctx.db.execute(sa.delete(additions).where(own(ctx, additions), additions.c.import_id == row.id))
                finish_import(ctx, found, imported=row.rows)
        except _Outdated as error:
            _check_again(app, row, error.numbers)
        except sa.exc.IntegrityError:
            _check_again(app, row, [])  # Something has changed: check again.


def _check_again(app: App, row: Row, numbers: Sequence[int]) -> None:
    """Mark these chunks to be checked again. End the import if that keeps happening."""
    ctx = Context(app, row.tenant_id)
    with ctx.transaction():
        locked = _lock_import(ctx, row.id)
        if locked is None:
            return
        these = _match_chunks(ctx, row) & chunks.c.number.in_(numbers)
        ctx.db.execute(sa.update(chunks).where(these).values(recording=None))
        first = min(numbers, default=locked.next_chunk)
        status = "checking" if numbers else "writing"
        why = "the rows conflict with each other, or with records that kept changing: send the file again"
        _count_try(ctx, locked, ImportFault(0, None, "conflict", why), status=status, next_chunk=first)


def _count_try(ctx: Context, row: Row, fault: ImportFault, **values: Any) -> None:
    """Store these values of a locked import for another try. After the last one, end it with this fault."""
    if row.rechecks < MOST_RECHECKS:
        records.save(ctx, row, rechecks=row.rechecks + 1, **values)
    else:
        finish_import(ctx, records.save(ctx, row, **fault_columns(row, [fault])))


def _last_event(ctx: Context) -> int:
    """Return the number of the business's last event, which grows with each change of its records."""
    c = counters.c
    number = sa.select(c.number).where(own(ctx, counters), c.name == events.name)
    return int(ctx.db.execute(number).scalar() or 0)


def _outdated_chunks(ctx: Context, row: Row) -> list[int]:
    """Return the chunks whose handlers would read something else now."""
    known: dict[Any, bytes] = {}
    return [number for number, recording in _read_recordings(ctx, row) if not recording.is_current(ctx, known)]


class Whole(msgspec.Struct):
    """All that the rows of an import write.

    repeated: Pairs of rows with the same unique value: the number of each row with that of the first that has it.
    values, letters: How many values they write, and how many characters that a search looks through.
    adds: Whether any of them adds to its record beside it, or has texts to be indexed before.
    """

    repeated: list[tuple[int, int]] = []
    values: int = 0
    letters: int = 0
    adds: bool = False


def _read_whole(ctx: Context, row: Row) -> Whole:
    first: dict[bytes, int] = {}
    pairs: dict[int, int] = {}
    whole = Whole()
    for _, recording in _read_recordings(ctx, row):
        whole.values += recording.values
        whole.letters += recording.letters
        whole.adds = whole.adds or bool(recording.additions())
        for place, key in recording.keys:
            if (other := first.setdefault(key, place)) != place:
                pairs.setdefault(place, other)
    whole.adds = whole.adds or (ctx.app.db.is_sqlite and whole.letters > FEW_LETTERS)
    whole.repeated = sorted(pairs.items())
    return whole


def _repeat_faults(app: App, row: Row, pairs: Sequence[tuple[int, int]]) -> tuple[list[ImportFault], int]:
    """Return faults of rows that repeat earlier ones, and the number of further ones. Nothing is stored."""
    faults: list[ImportFault] = []
    for place, other in pairs[:MOST_FAULTS]:
        ctx = Context(app, row.tenant_id)
        with app.db.writing(row.tenant_id) as ctx.db:  # each by itself, so that others write in between
            (_, *first), (number, *cells) = (_row_at(ctx, row, each) for each in (other, place))
            faults += _tell_faults(
                number, cells, _importer_of(ctx, row).repeats(ctx.acting_as(identity_of(ctx, row)), first, cells)
            )
    return faults, len(pairs) - MOST_FAULTS if len(faults) >= MOST_FAULTS else 0


def _tell_faults(number: int, cells: Sequence[Any], faults: Sequence[Fault]) -> list[ImportFault]:
    has_several = any(isinstance(cell, list) for cell in cells)
    found = []
    for each in faults:
        # The items of a list stand in rows of their own if the record has several rows.
        row, param = number, each.param
        if has_several and (part := _OF_PART.fullmatch(param)):
            row, param = number + int(part[2]), ".".join(filter(None, (part[1], part[3])))
        found.append(ImportFault(row, _storable_text(param) or None, each.code, _storable_text(each.message)))
    return found


def _storable_text(text: str) -> str:
    """Return a text that may quote the file in a form that PostgreSQL's JSON accepts."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}")


def _importer_of(ctx: Context, row: Row) -> Importer:
    return Importer(ctx.of_business(ctx.app.importable[row.resource]), row.header)


def _match_chunks(ctx: Context, row: Row) -> sa.ColumnElement[bool]:
    return sa.and_(own(ctx, chunks), chunks.c.import_id == row.id)


def _read_recordings(ctx: Context, row: Row) -> Iterator[tuple[int, Importer.Recording]]:
    """Yield the recordings of an import in the order of its rows; only a few are in memory at a time."""
    for first in range(0, -(-row.rows // ROWS_OF_CHUNK), _CHUNKS_AT_ONCE):
        some = _match_chunks(ctx, row) & chunks.c.number.between(first, first + _CHUNKS_AT_ONCE - 1)
        found = sa.select(chunks.c.number, chunks.c.recording).where(some, chunks.c.recording.is_not(None))
        for chunk in ctx.db.execute(found.order_by(chunks.c.number)).all():
            yield chunk.number, Importer.Recording.of(chunk.recording)


def _row_at(ctx: Context, row: Row, place: int) -> list[Any]:
    this = _match_chunks(ctx, row) & (chunks.c.number == place // ROWS_OF_CHUNK)
    found = unpack_rows(ctx.db.execute(sa.select(chunks.c.rows).where(this)).scalar_one())
    return found[place % ROWS_OF_CHUNK]


_UNFINISHED = (
    sa.select(imports.c.tenant_id, imports.c.id, imports.c.updated_at)
    .where(imports.c.finished_at.is_(None), imports.c.status != "draft")
    .order_by(imports.c.created_at, imports.c.id)
)


def longest_wait(db: sa.Connection, now: Moment) -> dict[str, float]:
    """Age in seconds of the last step of the unfinished import that has waited longest; 0 if there is none."""
    waits = imports.c.finished_at.is_(None) & (imports.c.status != "draft")
    first = db.execute(sa.select(sa.func.min(imports.c.updated_at)).where(waits)).scalar()
    return {"": max((now - first).total_seconds(), 0) if first else 0}


def expired_imports(app: App, now: Moment) -> sa.Select[Any]:
    """Select the imports that finished too long ago to be kept."""
    c = imports.c
    return sa.select(c.tenant_id, c.id).where(c.finished_at <= now - KEPT).order_by(c.finished_at)


def forget_import(ctx: Context, id: str) -> None:
    """Delete the record of an import that finished long ago. The records that it made stay."""
    row = records.lock(ctx, id)
    if row.finished_at is not None and row.finished_at <= ctx.now() - KEPT:
        records.delete(ctx, row)
