"""A statement compiled for one database: its parameters as the driver's values, and its rows and records made of those.

SQLAlchemy compiles it. How the driver sends it is in `postgres.py`, or here for SQLite. A record is made of a row
without a dict of its members, from which a Struct takes three times as long.
"""

import re
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from functools import lru_cache, partial
from inspect import signature
from itertools import chain, repeat
from operator import itemgetter
from sys import intern
from time import perf_counter
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import msgspec
import sqlalchemy as sa
from msgspec import Struct
from sqlalchemy.engine import Dialect
from sqlalchemy.sql.compiler import SQLCompiler

from ..apart import in_pieces, run_apart
from . import PLANNED_ANEW, sqlite, walls
from .idle_connections import listeners_after, listeners_of

if TYPE_CHECKING:
    from .postgres import Result

T = TypeVar("T", bound=Struct)

Row = sa.Row[Any]
"""A row of a table, as Records and statements return it."""
_FEW = 5  # rows that are converted before others may be served: their JSON may have hundreds of objects each
_GROUPS = (50, 10, 5)  # rows that one statement inserts into SQLite; those left over are inserted one by one


class Sent(NamedTuple):
    """A statement with `$1`, `$2`… and their values; `anew` tells PostgreSQL to plan it for these values."""

    text: bytes
    values: Sequence[Any] = ()
    anew: bool = False


class Form:
    """A statement compiled for one database, with these columns."""

    def __init__(
        self, statement: Any, dialect: Dialect, columns: list[str] | None, varying: frozenset[str] = frozenset()
    ) -> None:
        self.statement = statement
        compiled = statement.compile(dialect=dialect, column_keys=columns)
        assert isinstance(compiled, SQLCompiler)  # noqa: S101 - it is no DDL
        self.compiled, self.text = compiled, str(compiled)
        order: Sequence[str] | None = compiled.positiontup
        self.options = statement.get_execution_options()
        self.fixed: dict[str, Any] = {}  # values that are part of the statement
        self.given: list[tuple[str, str, Any]] = []  # by name, the key of a parameter, and what makes it the driver's
        lists = {*compiled.post_compile_params}
        # Lists of values that are given and defaults that Python works out are left to SQLAlchemy.
        changed = (compiled.literal_execute_params, compiled.insert_prefetch, compiled.update_prefetch)
        self.is_plain = not any(changed) and not any(one.required or one.key in varying for one in lists)
        if lists and self.is_plain:
            written = compiled.construct_expanded_state({b.key: None for b in compiled.bind_names if b.required})
            self.text, order = written.statement, written.positiontup
            for name in chain(*written.parameter_expansion.values()):
                process, value = written.processors.get(name), written.parameters[name]
                self.fixed[intern(str(name))] = process(value) if process else value
        for bind, name in compiled.bind_names.items():
            if bind in lists:
                continue
            process = bind.type.dialect_impl(dialect).bind_processor(dialect)
            if bind.required or bind.key in varying:
                self.given.append((intern(str(name)), intern(str(bind.key)), process))
            else:
                self.fixed[intern(str(name))] = process(bind.value) if process else bind.value
        self.order = order  # of SQLite's parameters; PostgreSQL's are numbered
        self.numbered, self.names = _number_parameters(self.text) if order is None else (b"", [])
        self.template, self.places = self._place_parameters(self.names if order is None else order)
        self.processed = [(i, process) for i, _, process in self.places if process]
        keys = [key for _, key, _ in self.places]
        # Where every value is a parameter, as in most INSERTs: all of them at once.
        self.pick = _build_picker(keys) if len(keys) == len(self.template) else None
        self.pick_of_row = _build_picker([key for key in keys if key != "tenant_id"])
        self.keys = {name: key for name, key, _ in self.given}
        self.anew = PLANNED_ANEW in self.options
        self._groups: dict[int, str] = {}
        self.tenants: list[str] | None = None  # the keys of the parameters that name tenants, once they are known
        self.is_walled = False  # whether those are all that there is to check
        self.is_long = False  # whether it took long when it ran last
        self.make_row: Any = None  # of a tuple of values
        # Converters, each with the places of its columns, and whether equal values may share an object.
        self.converts: list[tuple[Any, list[int], bool]] = []

    def sent(self, db: sa.Connection, parameters: Mapping[str, Any]) -> Sent:
        """Return the message for PostgreSQL with these parameters."""
        sent, options = self._in_order(parameters), db.get_execution_options()
        self.check(db, [parameters], options)
        for listen in listeners_of(db):
            values = dict(zip(self.names, sent, strict=True))
            listen(db, None, self.text, values, self._describe_execution(db, [values]), False)
        return Sent(self.numbered, sent, self.anew)

    def fetched(self, result: "Result", dialect: Dialect, in_turns: bool) -> list[Row]:
        """Return the rows of a result from PostgreSQL."""
        if not self.compiled._result_columns:
            return []
        if self.make_row is None:
            self.describe(result.kinds(), dialect)
        return self.rows(result.rows(), in_turns)

    def tell_executed(self, db: sa.Connection, sent: Any, rows: int, text: str = "", *, many: bool = False) -> None:
        """Tell whoever listens that it was executed, and how many rows it returned or changed."""
        for listen in listeners_after(db):
            listen(db, _Ran(rows), text or self.text, sent, self._describe_execution(db, []), many)

    def run(self, db: sa.Connection, parameters: Mapping[str, Any], *, in_turns: bool = False) -> list[Row]:
        """Run it on SQLite and return its rows."""
        sent = self._in_order(parameters)
        if not self.compiled._result_columns:
            self.tell_executed(db, sent, self._execute_on_sqlite(db, sent, [parameters]).rowcount)
            return []
        began = perf_counter()
        # SQLite would keep a process of gevent's from answering others.
        is_apart = self.is_long and "billycan_read" in db.get_execution_options()
        cursor = self._execute_on_sqlite(db, sent, [parameters], apart=is_apart)
        found = run_apart(cursor.fetchall) if is_apart else cursor.fetchall()
        self.is_long = perf_counter() - began > sqlite.LONG_READ_SECONDS
        self.tell_executed(db, sent, len(found))
        if self.make_row is None:
            self.describe([None] * len(cursor.description), db.dialect)
        return self.rows(found, in_turns)

    def run_all(
        self,
        db: sa.Connection,
        tenant_id: str,
        rows: Sequence[Mapping[str, Any]],
        values: Sequence[tuple[Any, ...]],
    ) -> None:
        """Run an INSERT on SQLite for each of a tenant's rows, whose values in its order are `values`."""
        first = 0
        for size in _GROUPS:
            while len(rows) - first >= size:
                group = slice(first, first + size)
                sent, text = [*chain.from_iterable(values[group])], self._of_group(size)
                self._execute_on_sqlite(db, sent, rows[group], tenant_id=tenant_id, text=text)
                self.tell_executed(db, sent, size, text)
                first += size
        if first < len(rows):
            self._execute_on_sqlite(db, values[first:], rows[first:], tenant_id=tenant_id, many=True)
            self.tell_executed(db, values[first:], len(rows) - first, many=True)

    def in_columns(self, tenant_id: str, rows: Sequence[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
        """Return SQLite's parameters of a tenant's rows, worked out column by column, which takes half the time."""
        found = zip(*map(self.pick_of_row, rows), strict=True)
        columns: list[Iterable[Any]] = []
        for _, key, process in self.places:
            column = repeat(tenant_id, len(rows)) if key == "tenant_id" else next(found)
            columns.append(map(process, column) if process else column)
        return [*zip(*columns, strict=True)]

    def _of_group(self, size: int) -> str:
        """Return the text of an INSERT of this many rows."""
        text = self._groups.get(size)
        if text is None:
            head, values, one = self.text.rpartition("VALUES ")
            text = self._groups[size] = head + values + ", ".join([one] * size)
        return text

    def _place_parameters(self, order: Sequence[str]) -> tuple[list[Any], list[tuple[int, str, Any]]]:
        """Return parameters in order with the fixed ones filled in; and the place, key and converter of each other."""
        given = {name: (key, process) for name, key, process in self.given}
        return [self.fixed.get(name) for name in order], [(i, *given[n]) for i, n in enumerate(order) if n in given]

    def _in_order(self, parameters: Mapping[str, Any]) -> tuple[Any, ...]:
        """Return the parameters as the driver's values, in its order."""
        if self.pick is None:
            values = self.template.copy()
            for i, key, _ in self.places:
                values[i] = parameters[key]
        else:
            values = [*self.pick(parameters)]
        for i, process in self.processed:
            values[i] = process(values[i])
        return tuple(values)

    def _execute_on_sqlite(
        self,
        db: sa.Connection,
        sent: Any,
        given: Sequence[Mapping[str, Any]],
        *,
        tenant_id: str | None = None,
        many: bool = False,
        text: str = "",
        apart: bool = False,
    ) -> Any:
        """Run it, or `text` in its place, and return SQLite's cursor; `tenant_id` is that of all the `given` rows."""
        if not db.in_transaction():
            db.begin()  # as SQLAlchemy does, and SQLite needs; it ends with the connection
        cursor: Any = db.billycan_driver.cursor()  # type: ignore[attr-defined]
        text, options = text or self.text, db.get_execution_options()
        sqlite.limit_statement(db, options)
        # Not each row's own: that would be a dictionary more for each of 500 lines.
        self.check(db, given if tenant_id is None else [{"tenant_id": tenant_id}], options)
        for listen in listeners_of(db):
            whole = given if tenant_id is None else [{"tenant_id": tenant_id, **row} for row in given]
            listen(db, None, text, sent, self._describe_execution(db, [_Given(self, each) for each in whole]), many)
        try:
            execute = cursor.executemany if many else cursor.execute
            run_apart(partial(execute, text, sent)) if apart else execute(text, sent)
        except BaseException as error:  # noqa: BLE001 - SQLAlchemy raises it anew, as what it means
            db._handle_dbapi_exception(error, text, sent, cursor, None)
        return cursor

    def check(self, db: sa.Connection, given: Sequence[Mapping[str, Any]], options: Mapping[str, Any]) -> None:
        """Refuse it if it touches rows of tenants that the connection may not touch."""
        tenant = options.get(walls.TENANT)
        if tenant is not None:
            if self.tenants is None:
                named = walls.tenants_of(self.compiled)
                self.tenants = [] if isinstance(named, str) else [self.keys.get(name, "") for name in named]
                self.is_walled = not isinstance(named, str) and "" not in self.tenants
            if self.is_walled and {each[key] for each in given for key in self.tenants} <= {tenant}:
                return
        # In full, which also says why not.
        context = self._describe_execution(db, [_Given(self, each) for each in given])
        walls.check_tenants(self.compiled, context.compiled_parameters, context.execution_options)

    def _describe_execution(self, db: sa.Connection, values: list[Any]) -> "_Execution":
        options = db.get_execution_options()
        return _Execution(self.compiled, values, options.union(self.options) if self.options else options)

    def describe(self, kinds: Sequence[Any], dialect: Dialect) -> None:
        """Choose the converters from the driver's values to a Row, by PostgreSQL's names of the columns' types."""
        columns = self.compiled._result_columns
        places: dict[Any, list[int]] = {}
        for i, (column, kind) in enumerate(zip(columns, kinds, strict=True)):
            if convert := _find_converter(column.type, kind, dialect):
                places.setdefault((convert, kind), []).append(i)
        # Not for numerics: equal ones may have different numbers of decimals.
        self.converts = [
            (convert, of, kind != _NUMERIC and hasattr(columns[of[0]].type, "are_shared"))
            for (convert, kind), of in places.items()
        ]
        # Interned, as Structs' member names are: other strings are compared letter by letter for each value.
        self.make_row = partial(tuple.__new__, _row_of(tuple(intern(str(column.keyname)) for column in columns)))

    def rows(self, found: list[Any], in_turns: bool) -> list[Row]:
        """Convert the driver's values to Rows."""
        if in_turns and len(found) > _FEW:
            return [*chain.from_iterable(map(self._convert_rows, in_pieces(found, _FEW)))]
        return self._convert_rows(found)

    def _convert_rows(self, found: Sequence[Any]) -> list[Row]:
        if not self.converts or not found:
            return [*map(self.make_row, found)]
        if len(found) == 1:
            values = [*found[0]]
            for convert, places, _ in self.converts:
                for i in places:
                    if values[i] is not None:
                        values[i] = convert(values[i])
            return [self.make_row(values)]
        columns: list[Any] = [*zip(*found, strict=True)]
        for convert, places, is_shared in self.converts:
            some = [i for i in places if columns[i].count(None) < len(found)]
            if is_shared:
                # Each value once: of a list's amounts and times a half and more are 0, or equal to another.
                different = set[Any]().union(*[columns[i] for i in some]) - {None}
                converted = dict(zip(different, map(convert, different), strict=True)).get
                for i in some:
                    columns[i] = map(converted, columns[i])
            else:
                for i in some:
                    columns[i] = [None if value is None else convert(value) for value in columns[i]]
        return [*map(self.make_row, zip(*columns, strict=True))]


def _build_picker(keys: Sequence[str]) -> Callable[[Mapping[str, Any]], tuple[Any, ...]]:
    """Return a function from a mapping to its values of these keys, in their order."""
    return itemgetter(*keys) if len(keys) > 1 else lambda given: tuple([given[key] for key in keys])


def _find_converter(kind: Any, number: int | None, dialect: Dialect) -> Any:
    """Return the converter of a column's values other than NULL, if they need one; `number` is PostgreSQL's type."""
    if number == _TIME and hasattr(kind, "read_text"):
        return kind.read_text
    process = kind.dialect_impl(dialect).result_processor(dialect, number)
    if number != _TIME:
        return process
    return (lambda text: process(datetime.fromisoformat(text))) if process else datetime.fromisoformat


_NUMERIC, _TIME = 1700, 1184  # by PostgreSQL's numbers; a time comes as text


@lru_cache(1024)
def _row_of(names: tuple[str, ...]) -> type:
    """Return a class of rows with these columns, like SQLAlchemy's, with attributes in an eighth of the time."""

    def mapping(row: Any) -> dict[str, Any]:
        return dict(zip(names, row, strict=True))

    members = {"__slots__": (), "_mapping": property(mapping), "_asdict": mapping, "_fields": names}
    return type("Row", (namedtuple("Row", names, rename=True),), members)


def _number_parameters(text: str) -> tuple[bytes, list[str]]:
    """Return a statement for PostgreSQL, with `$1` for the first parameter, and the names of its parameters."""
    names: dict[str, str] = {}

    def number(found: re.Match[str]) -> str:
        return names.setdefault(intern(found[1]), f"${len(names) + 1}") if found[1] else "%"

    return re.sub(r"%\((\w+)\)s|%%", number, text).encode(), [*names]


class _Given(msgspec.Struct):
    """The parameters of an execution, by SQLAlchemy's names for its attributes."""

    form: "Form"
    parameters: Mapping[str, Any]

    def __getitem__(self, name: str) -> Any:
        key = self.form.keys.get(name)
        return self.form.fixed[name] if key is None else self.parameters[key]

    def get(self, name: str) -> Any:
        """Return the value of a parameter; None if the statement does not have it."""
        return self[name] if name in self.form.keys or name in self.form.fixed else None


class _Ran(msgspec.Struct):
    """The cursor that listeners to what was executed receive, by SQLAlchemy's name for its attribute."""

    rowcount: int


class _Execution(msgspec.Struct):
    """The execution that a connection's listeners receive, by SQLAlchemy's names for its attributes."""

    compiled: SQLCompiler
    compiled_parameters: list[Any]
    execution_options: Mapping[str, Any]


def records_of(kind: type[T], rows: Sequence[Row], beside: Iterable[Mapping[str, Any]]) -> list[T]:
    """Return each row as a record of this kind; `beside` gives for each row the members to use in place of columns.

    Columns that are not members are left out.
    """
    records: list[T] = []
    names: tuple[str, ...] | None = None
    for row, members in zip(rows, beside, strict=True):
        if names != (*members,):  # true once for a list, since all its rows have the same names
            names = (*members,)
            make = _build_maker(kind, row._fields, names)
        records.append(make(row, members))
    return records


@lru_cache(1024)
def _build_maker(
    kind: type[T], columns: tuple[str, ...], beside: tuple[str, ...]
) -> Callable[[Any, Mapping[str, Any]], T]:
    """Build a function that makes a record: `lambda row, beside: Note(row[1], beside["client"], version=row[4])`.

    Most members are passed by position. An invoice takes 1.9 µs this way, 2.9 with values that an `itemgetter` picks,
    and 7 as a dict of its members, whose keywords msgspec looks for among all members one by one.
    """
    given = {name: f"row[{place}]" for place, name in enumerate(columns)}
    given |= {name: f"beside[{name!r}]" for name in beside}
    arguments, by_name = [], False
    for taken in signature(kind).parameters.values():
        by_name = by_name or taken.kind is taken.KEYWORD_ONLY or taken.name not in given
        if taken.name in given:
            arguments.append(f"{taken.name}={given[taken.name]}" if by_name else given[taken.name])
    made: Callable[[Any, Mapping[str, Any]], T]
    made = eval(f"lambda row, beside: kind({', '.join(arguments)})", {"kind": kind})  # noqa: S307 - of members' names
    return made
