"""Rows of a CSV file as new records: cells as `sheets` writes them are given to the handler of their POST route."""

import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any, TypeAlias, get_args, get_origin

import msgspec
import sqlalchemy as sa
from msgspec import UnsetType
from msgspec.structs import fields

from .. import events
from ..members import is_struct, options, parts
from ..problems import MOST_SHOWN, BadRequest, Fault, Problem
from ..web import parse
from . import rehearsing, replaying, sheets
from .rehearsing import Rehearsal
from .replaying import Replay

if TYPE_CHECKING:
    from ..context import Context
    from ..endpoints import Endpoint

__all__ = ["Importer"]

log = logging.getLogger("billycan")
_AMOUNT = re.compile(r"-?\$?-?\d{1,3}(,\d{3})+(\.\d+)?|-?\$-?\d+(\.\d+)?", re.ASCII)  # `$1,000.50`
_WHOLE = re.compile(r"-?\d{1,18}", re.ASCII)
_JOINS_BY = "number"

Cells: TypeAlias = "Sequence[str | list[str]]"


class Importer:
    """Creates records from rows whose columns have these names; `App.importable` has the endpoints.

    A row may have a part of the record in columns such as `line_items.quantity`. Consecutive rows of the same `number`
    are then one record, with such a part of each.

    faults: The errors in the names, each with the column's as its `param`: if there are any, nothing can be imported.
    ignored: The columns that an export has and that no client can set.
    joins_by: The place of the column by which consecutive rows are one record; None if each row is one.
    """

    Recording: TypeAlias = rehearsing.Recording
    """What the handlers of some rows sent, read and counted: stored by `packed()` and read by `of(packed)`."""
    send_additions, remove_additions = (
        staticmethod(replaying.send_additions),
        staticmethod(replaying.remove_additions),
    )

    def __init__(self, endpoint: "Endpoint", header: Sequence[str]) -> None:
        self._endpoint = endpoint
        body = endpoint.signature.body
        self._members = {f.encode_name: f for f in fields(body)}
        found = _Finding()
        taken = {each.name: each.name.split(".") for each in sheets.columns(body, [f.name for f in fields(body)])}
        self._parts = {
            f"{name}.{part.encode_name}": (name, found.column(kind, [part.encode_name]))
            for name, kind in _find_lists(body)
            for part in fields(kind)
        }
        shown = {each.name for each in sheets.columns(endpoint.signature.shown)} if endpoint.signature.shown else set()
        self._taken = {name: found.column(body, path) for name, path in taken.items()}
        self._columns = header = _as_known(header, [*taken, *self._parts, *shown])
        in_parts = any(name in self._parts for name in header)
        self.joins_by = self._columns.index(_JOINS_BY) if in_parts and _JOINS_BY in header else None
        self.ignored = [name for name in header if name in shown and name not in taken]
        self._read = [self._taken.get(name) for name in header]
        self.faults = [
            *self._find_head_faults(shown | taken.keys() | self._parts.keys(), sorted([*taken, *self._parts]))
        ]

    def members(self) -> dict[str, Any]:
        """Map the name of each column that a file can have to the type of its values."""
        return {
            name: column.kind for name, column in (*self._taken.items(), *((n, c) for n, (_, c) in self._parts.items()))
        }

    def _find_head_faults(self, known: set[str], taken: list[str]) -> Iterator[Fault]:
        names = ", ".join(taken)
        for name in dict.fromkeys(filter(None, self._columns)):
            if name not in known:
                yield Fault(name[:MOST_SHOWN], "unknown_field", f"is an unknown column. Known columns: {names}")
            elif self._columns.count(name) > 1:
                yield Fault(name, "invalid_value", "appears twice: leave one of them out")
        there = {name.partition(".")[0] for name in self._columns}
        for name, field in self._members.items():
            if field.required and name not in there:
                yield Fault(name, "required", "is a required column")

    def rehearsal(self, ctx: "Context") -> Rehearsal:
        """Return what records the rows that `rehearse` makes: `with importer.rehearsal(ctx) as rehearsal:`."""
        return Rehearsal(ctx)

    def replay(self, ctx: "Context", count: int) -> Replay:
        """Return what makes so many recorded rows at the moment of `ctx`, by its caller; close it afterwards."""
        return Replay(ctx, count)

    def rehearse(self, ctx: "Context", rehearsal: Rehearsal, place: int, cells: "Cells") -> list[Fault]:
        """Return the faults of a row, found by creating its record and undoing that; a row without faults is recorded.

        `place` is the row's position in the file. Behind its cells stand the rows that belong to it, each as a list.
        """
        with rehearsal.row(place) as keep:
            faults = self.make(ctx, cells, rehearsal.note_end_of_handler)
            if not faults:
                keep()
        return faults

    def repeats(self, ctx: "Context", first: "Cells", other: "Cells") -> list[Fault]:
        """Return the faults of a row beside an earlier one, if it is fine by itself; neither record stays."""
        ctx.counted = Counter()
        savepoint = ctx.db.begin_nested()
        try:
            return [] if self.make(ctx, first) else self.make(ctx, other)
        finally:
            ctx.events.clear()
            ctx.touched.clear()
            ctx.counted = None
            savepoint.rollback()

    def make(self, ctx: "Context", cells: "Cells", made: Callable[[], None] = lambda: None) -> list[Fault]:
        """Create a row's record in the caller's transaction, as its POST route does; return the row's faults.

        After a fault the transaction can only go back to a savepoint. Raise errors of the database itself, such as a
        lock that took too long: the same call may work in a moment. `made` is called once the record is created, before
        its events are heard.
        """
        rows = [[cell for cell in cells if isinstance(cell, str)], *(row for row in cells if isinstance(row, list))]
        if faults := [fault for row in rows for fault in self._find_unplaced_cells(row)] or [
            *self._find_differing_rows(*rows)
        ]:
            return faults
        try:
            body, _ = self._endpoint.read(ctx, self._build_body(rows[0]) | self._of_parts(rows))
            self._endpoint.run(ctx, {"body": body}, {})
            made()
            events.notify_hearers(ctx, of_many=True)
        except Exception as error:
            ctx.sent_besides = None
            problem = error if isinstance(error, Problem) else ctx.app.hook.handle_error(error=error)
            is_passing = isinstance(error, sa.exc.SQLAlchemyError) and not isinstance(error, sa.exc.DataError)
            if is_passing and (problem is None or problem.status >= 500):
                raise
            if problem is None:
                log.exception("a row cannot be imported by %s", self._endpoint.route.path)
                return [Fault("", "internal_error", "failed by an error of ours, which was logged")]
            return problem.details or [Fault(problem.param or "", problem.code, problem.message)]
        return []

    def _find_unplaced_cells(self, cells: Sequence[str]) -> list[Fault]:
        """Return the faults of cells that stand in no column, or in one without a name."""
        if any(cells[len(self._columns) :]):
            return [Fault("", "too_long", f"must have at most {len(self._columns)} cells, as the header has")]
        nameless = [i for i, (name, cell) in enumerate(zip(self._columns, cells, strict=False), 1) if cell and not name]
        return [Fault("", "unknown_field", f"has a cell in column {i}, which has no name") for i in nameless]

    def _find_differing_rows(self, first: Sequence[str], *others: Sequence[str]) -> Iterator[Fault]:
        """Yield the faults of rows that say something else of a record than its first row: `[1].due_date`."""
        for i, row in enumerate(others, 1):
            for name, said, cell in zip(self._columns, first, row, strict=False):
                if name not in self._parts and cell not in ("", said):
                    message = (
                        f"is not what the first row of the same {_JOINS_BY} has: leave it empty, or write the same"
                    )
                    yield Fault(f"[{i}].{name}", "invalid_value", message)

    def _of_parts(self, rows: Sequence[Sequence[str]]) -> dict[str, Any]:
        """Return the lists whose items stand in columns of their own: an item for each row."""
        found: dict[str, Any] = {}
        for row in rows:
            items: dict[str, dict[str, Any]] = {}
            for name, cell in zip(self._columns, row, strict=False):
                if name in self._parts:
                    member, read = self._parts[name]
                    item = items.setdefault(member, {})
                    if cell != "":
                        item[read.name] = read.value(sheets.text_of(cell))
            for member, item in items.items():
                if item or len(rows) > 1:
                    found.setdefault(member, []).append(item)
        return found

    def _build_body(self, cells: Sequence[str]) -> dict[str, Any]:
        """Return the row as a body: an empty cell is null if null can be sent, and is left out otherwise."""
        tree: dict[str, Any] = {}
        for read, cell in zip(self._read, cells, strict=False):
            if read is None or (cell == "" and not read.is_nullable):
                continue
            within = tree
            for step in read.above:
                within = within.setdefault(step, {})
            within[read.name] = None if cell == "" else read.value(sheets.text_of(cell))
        for name, value in list(tree.items()):
            if isinstance(value, dict) and not _holds_anything(value):
                del tree[name]
                if _may_be_null(self._members[name].type):
                    tree[name] = None
        return tree


class _Column(msgspec.Struct, frozen=True):
    """A member that cells fill: its path, whether it may be null, and the type of its value, also without its parts."""

    above: tuple[str, ...]
    name: str
    is_nullable: bool
    plain: Any
    kind: Any

    def value(self, text: str) -> Any:
        """Return a cell's text as a JSON value; text that does not fit stays, for the reader to refuse."""
        plain = self.plain
        if plain is str:
            return text
        if plain is bool:
            return {"true": True, "false": False}.get(text.strip().lower(), text)
        if plain is Decimal and _AMOUNT.fullmatch(text.strip()):
            return re.sub(r"[$,\s]", "", text)
        if plain is int and _WHOLE.fullmatch(text.strip()):
            return int(text)
        is_list = plain in (list, tuple, set, frozenset)
        if is_list and not text.startswith("["):
            return [each.strip() for each in text.split(",")]
        if is_list or plain is dict or is_struct(plain):
            try:
                return parse(text.encode())
            except BadRequest:
                return text
        return text


class _Finding:
    """Find the members that a file's columns fill, listing those of each Struct once: it may have hundreds."""

    def __init__(self) -> None:
        self._types: dict[Any, dict[str, Any]] = {}

    def column(self, kind: Any, path: Sequence[str]) -> _Column:
        """Return the member at a path within a Struct."""
        for step in path:
            (struct,) = [o for option in options(parts(kind)[0]) if is_struct(o := parts(option)[0])]
            if struct not in self._types:
                self._types[struct] = {f.encode_name: f.type for f in fields(struct)}
            kind = self._types[struct][step]
        kinds = [parts(option)[0] for option in options(parts(kind)[0])]
        (first, *_) = [option for option in kinds if option not in (type(None), UnsetType)]
        return _Column(tuple(path[:-1]), path[-1], _may_be_null(kind), get_origin(first) or first, first)


def _as_known(header: Sequence[str], known: Sequence[str]) -> list[str]:
    """Return the names of columns as the API has them where they differ only in case and punctuation: `External ID`."""
    by_letters = {_letters_of(name): name for name in reversed(known)}
    return [name if name in known else by_letters.get(_letters_of(name), name) for name in header]


def _letters_of(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())


def _find_lists(body: Any) -> Iterator[tuple[str, Any]]:
    """Yield the members that are lists of Structs, each with the Struct."""
    for field in fields(body):
        for option in options(parts(field.type)[0]):
            kind = parts(option)[0]
            if get_origin(kind) is list and is_struct(item := parts(get_args(kind)[0])[0]):
                yield field.encode_name, item


def _may_be_null(kind: Any) -> bool:
    return type(None) in options(parts(kind)[0])


def _holds_anything(value: dict[str, Any]) -> bool:
    return any(_holds_anything(each) if isinstance(each, dict) else each is not None for each in value.values())
