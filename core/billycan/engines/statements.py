"""Statements that are built once, compiled at their first use, and then handed to the database's driver directly.

Some are about any number of a tenant's rows at once: found by their ids, or inserted.

This replaces `Connection.execute`. SQLAlchemy builds and compiles statements; its work at each execution, such as
looking up the compiled form and describing the result anew, costs more than the rest of the way to PostgreSQL and back:
one row by its id takes 210 µs of CPU by `Connection.execute`, 47 by psycopg alone, and 53 here.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import msgspec
import sqlalchemy as sa
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement

from . import PLAIN, PLANNED_ANEW
from .forms import Form, Row
from .idle_connections import listeners_after

if TYPE_CHECKING:
    from sqlalchemy.sql.cache_key import CacheKey

_BETWEEN = "\x1f"  # the unit separator, which no id has
_MOST_FORMS = 256  # of one statement: an UPDATE has one for each set of columns that it changes


class Statement:
    """A SELECT, or an INSERT, UPDATE or DELETE whose columns are the parameters' names.

    `parameters` are named as its `bindparam`s are. Rows, types, errors and the events of a connection are those of
    `Connection.execute`. Where databases differ, `by_dialect` gives a statement for each. `varying` are the keys of
    parameters whose own values are replaced at each execution.
    """

    Asked = tuple["Statement | Statement.Insertion", Any]
    """A statement with its parameters, as `Context.at_once` takes it."""

    PLANNED_ANEW: ClassVar = PLANNED_ANEW
    """The execution option `{Statement.PLANNED_ANEW: True}`: PostgreSQL plans the statement for its values.

    It helps a sum over some days, of which PostgreSQL cannot know beforehand how many rows they have.
    """

    def __init__(self, statement: Any = None, *, varying: Iterable[str] = (), **by_dialect: Any) -> None:
        self._statement, self._by_dialect = statement, by_dialect
        self._varying = frozenset(varying)
        self._forms: dict[Any, Form] = {}
        # The columns of an INSERT or UPDATE follow from its parameters.
        written = [s for s in (statement, *by_dialect.values()) if isinstance(s, sa.Insert | sa.Update)]
        self._varies = any(isinstance(s, sa.Update) or s.select is None for s in written)

    def all(self, db: sa.Connection, parameters: Mapping[str, Any], *, in_turns: bool = False) -> list[Row]:
        """Run it and return its rows; none if it returns no rows.

        With `in_turns`, for long rows outside of a write transaction, gevent's process serves others meanwhile.
        """
        if PLAIN in db.get_execution_options():
            return _execute_by_sqlalchemy(db, self._statement_for(db), parameters)
        form = self._find_form(db, parameters)
        if not form.is_plain:
            return _execute_by_sqlalchemy(db, form.statement, parameters)
        if form.order is None:
            return send_forms(db, [(form, parameters)], in_turns=in_turns)[0]
        return form.run(db, parameters, in_turns=in_turns)

    def first(self, db: sa.Connection, parameters: Mapping[str, Any]) -> Row | None:
        """Run it and return its only row, or None."""
        found = self.all(db, parameters)
        return found[0] if found else None

    def one(self, db: sa.Connection, parameters: Mapping[str, Any]) -> Row:
        """Run it and return its row, which must exist."""
        (row,) = self.all(db, parameters)
        return row

    def run(self, db: sa.Connection, parameters: Mapping[str, Any]) -> None:
        """Run it without fetching rows."""
        self.all(db, parameters)

    def _statement_for(self, db: sa.Engine | sa.Connection) -> Any:
        return self._by_dialect.get(db.dialect.name, self._statement)

    def _with_form(self, db: sa.Connection, parameters: Mapping[str, Any]) -> tuple[Form, Mapping[str, Any]]:
        return self._find_form(db, parameters), parameters

    def _find_form(self, db: sa.Engine | sa.Connection, parameters: Iterable[str]) -> Form:
        dialect = db.dialect
        key = (dialect.name, *parameters) if self._varies else dialect.name
        form = self._forms.get(key)
        if form is None:
            if len(self._forms) >= _MOST_FORMS:
                self._forms.clear()
            columns = list(parameters) if self._varies else None
            form = self._forms[key] = Form(self._statement_for(db), dialect, columns, self._varying)
        return form

    class Insertion:
        """An INSERT of any number of a tenant's rows into a table with these columns: a single statement on PostgreSQL.

        Five rows as five statements take twice as long. They are sent as one JSON text, so that one statement fits any
        number; a column of bytes cannot be among them. SQLite takes them in groups: with a statement for each row, 500
        lines of a document take a third longer, and other threads may run Python 500 times meanwhile.
        """

        def __init__(self, table: sa.Table, columns: Iterable[str]) -> None:
            self._names = [name for name in columns if name != "tenant_id"]
            kinds = {name: table.c[name].type for name in self._names}
            self._processors: dict[str, Any] | None = None
            self._kinds = kinds
            rows = sa.cast(sa.bindparam("rows", type_=sa.Text), sa.JSON)
            of_each = sa.func.json_to_recordset(rows).table_valued(*(sa.column(n, kind) for n, kind in kinds.items()))
            of_each = of_each.render_derived(name="given", with_types=True)
            select = sa.select(sa.bindparam("tenant_id", type_=table.c.tenant_id.type), *of_each.c)
            row = sa.insert(table).from_select(["tenant_id", *self._names], select)
            # Without RETURNING a cluster would send rows that no table has by COPY, which policies do not allow.
            self._at_once = Statement(row.returning(sa.literal_column("1")))
            self._each = Statement(sa.insert(table))

        def run(self, db: sa.Connection, tenant_id: str, rows: Sequence[Mapping[str, Any]]) -> None:
            """Insert these rows, each with a value for every column."""
            self.all(db, (tenant_id, rows, None))

        def asked(self, tenant_id: str, rows: Sequence[Mapping[str, Any]]) -> "Statement.Asked":
            """Return a statement for `at_once` that inserts these rows."""
            return self, (tenant_id, rows, None)

        def converted(
            self, db: sa.Engine | sa.Connection, tenant_id: str, rows: Sequence[Mapping[str, Any]]
        ) -> "Statement.Asked":
            """Return the statement of `asked` with the driver's values, so that the transaction need not make them.

            For core alone.
            """
            if PLAIN in db.get_execution_options():
                return self.asked(tenant_id, rows)
            return self, (tenant_id, rows, self._convert_rows(db, tenant_id, rows))

        def all(self, db: sa.Connection, given: tuple[str, Sequence[Mapping[str, Any]], Any]) -> list[Any]:
            """Insert the rows of a tenant; return none.

            For core alone.
            """
            tenant_id, rows, converted = given
            is_plain = PLAIN in db.get_execution_options()
            if db.dialect.name == "postgresql" and not is_plain:
                return send_forms(db, [self._with_form(db, given)])[0]
            if not rows:
                return []
            if is_plain:
                db.execute(self._each._statement_for(db), [{"tenant_id": tenant_id, **row} for row in rows])
            else:
                values = self._convert_rows(db, tenant_id, rows) if converted is None else converted
                self._each._find_form(db, ["tenant_id", *rows[0]]).run_all(db, tenant_id, rows, values)
            return []

        def _with_form(
            self, db: sa.Connection, given: tuple[str, Sequence[Mapping[str, Any]], Any]
        ) -> tuple[Form, Mapping[str, Any]]:
            tenant_id, rows, converted = given
            return self._at_once._with_form(
                db, self._convert_rows(db, tenant_id, rows) if converted is None else converted
            )

        def _convert_rows(
            self, db: sa.Engine | sa.Connection, tenant_id: str, rows: Sequence[Mapping[str, Any]]
        ) -> Any:
            """Return the driver's values: the parameters of PostgreSQL's statement, or SQLite's for each row."""
            if db.dialect.name != "postgresql":
                return self._each._find_form(db, ["tenant_id", *rows[0]]).in_columns(tenant_id, rows) if rows else []
            if self._processors is None:
                self._processors = {name: _to_json(kind, db.dialect) for name, kind in self._kinds.items()}
            made = [
                {name: process(row[name]) if process else row[name] for name, process in self._processors.items()}
                for row in rows
            ]
            return {"tenant_id": tenant_id, "rows": _json(made).decode()}


Asked = Statement.Asked


def _execute_by_sqlalchemy(db: sa.Connection, statement: Any, parameters: Any) -> list[Row]:
    """Run a statement by SQLAlchemy and return its rows."""
    found = db.execute(statement, parameters)
    return list(found.all()) if found.returns_rows else []


def at_once(db: sa.Connection, *asked: Asked, commits: bool = False) -> list[list[Any]]:
    """Run several statements and return the rows of each; on PostgreSQL all are sent before the first is waited for.

    They run in this order, and none can use the results of another. An error is raised here, and then none of them has
    happened. With `commits`, the transaction is committed along with them, and its `db` cannot be used any more. Three
    that find a row each take two thirds of the CPU time this way, and half of PostgreSQL's.
    """
    is_alone = len(asked) < 2 and not commits
    if db.dialect.name != "postgresql" or is_alone or PLAIN in db.get_execution_options():
        return [statement.all(db, given) for statement, given in asked]
    forms = [statement._with_form(db, given) for statement, given in asked]
    if not all(form.is_plain for form, _ in forms):
        return [statement.all(db, given) for statement, given in asked]
    return send_forms(db, forms, commits=commits)


def send_forms(
    db: sa.Connection,
    forms: Sequence[tuple[Form, Mapping[str, Any]]],
    *,
    commits: bool = False,
    in_turns: bool = False,
) -> list[list[Any]]:
    """Run these on PostgreSQL and return their rows."""
    from . import postgres  # noqa: PLC0415 - SQLite needs no psycopg

    sent = [form.sent(db, given) for form, given in forms]
    try:
        results = postgres.send_statements(db, sent, commits=commits)
        if listeners_after(db):
            for (form, _), each, result in zip(forms, sent, results, strict=False):
                form.tell_executed(db, each.values, result.rowcount)
        return [form.fetched(result, db.dialect, in_turns) for (form, _), result in zip(forms, results, strict=False)]
    except BaseException as error:  # noqa: BLE001 - SQLAlchemy raises it anew, as what it means
        db._handle_dbapi_exception(error, forms[0][0].text, None, None, None)


def cache_key(db: sa.Connection, condition: sa.ColumnElement[bool]) -> "CacheKey | None":
    """Return the key that a condition shares with those that differ in values only, and its parameters.

    None if there is none, or if this connection uses SQLAlchemy's public names alone.
    """
    return None if PLAIN in db.get_execution_options() else condition._generate_cache_key()


class ByIds:
    """A SELECT of a tenant's rows whose column has one of several ids.

    One id is compared by `=`, of which PostgreSQL keeps the plan; several are sent as one text, in 40 µs less than
    psycopg takes for an array of 25.
    """

    def __init__(self, select: sa.Select[Any], column: sa.ColumnElement[str]) -> None:
        own = select.where(column.table.c.tenant_id == sa.bindparam("tenant_id"))
        self._one = Statement(own.where(column == sa.bindparam("id")))
        self._several = Statement(own.where(_one_of(column)))

    @classmethod
    def within(cls, make: "Callable[[Callable[[sa.ColumnElement[str]], Any]], Any]") -> "ByIds":
        """Return a SELECT in which the ids stand anywhere: `make(among)` returns it.

        `among(column)` is the condition that a column has one of the ids. The SELECT names the tenant itself, by the
        parameter `tenant_id`.
        """
        found = cls.__new__(cls)
        found._one = found._several = Statement(make(_one_of))
        return found

    def asked(self, tenant_id: str, id: str) -> Asked:
        """Return a statement for `at_once` that finds the rows of one id."""
        return self._one, {"tenant_id": tenant_id, "id": id}

    def all(self, db: sa.Connection, tenant_id: str, ids: Iterable[str], **more: Any) -> list[Any]:
        """Return the rows of these ids; no query is sent if there are no ids. `more` are other parameters it has."""
        wanted = list(ids)
        if len(wanted) <= 1 and self._one is not self._several:
            return self._one.all(db, {"tenant_id": tenant_id, "id": wanted[0], **more}) if wanted else []
        is_postgresql = db.dialect.name == "postgresql"
        text = _BETWEEN.join(wanted) if is_postgresql else msgspec.json.encode(wanted).decode()
        return self._several.all(db, {"tenant_id": tenant_id, "ids": text, **more}) if wanted else []

    def in_groups(
        self, db: sa.Connection, tenant_id: str, ids: Sequence[str], weights: Mapping[str, int], most: int
    ) -> Iterator[Any]:
        """Yield rows in groups whose total weight is at most `most`; a heavier id gets a group of its own."""
        for group in self.groups(ids, weights, most):
            yield from self.all(db, tenant_id, group)

    @staticmethod
    def groups(ids: Sequence[str], weights: Mapping[str, int], most: int) -> list[list[str]]:
        """Divide ids, in their order, into groups that weigh at most so much together, or have one id."""
        groups, so_far = list[list[str]](), 0
        for id in ids:
            so_far += weights.get(id, 0)
            if not groups or so_far > most:
                groups.append([])
                so_far = weights.get(id, 0)
            groups[-1].append(id)
        return groups


_json = msgspec.json.Encoder(enc_hook=str).encode  # a Moment is written in its printed form


def _to_json(kind: Any, dialect: Dialect) -> Any:
    """Return a function from a column's value to one in JSON that PostgreSQL reads, if it needs one."""
    kind = kind.dialect_impl(dialect)
    return None if isinstance(kind, sa.JSON) else kind.bind_processor(dialect)


def _one_of(column: sa.ColumnElement[str]) -> "_OneOf":
    return _OneOf(column, sa.bindparam("ids", type_=sa.Text))


class _OneOf(FunctionElement[bool]):
    inherit_cache = True
    type = sa.Boolean()

    def self_group(self, against: Any = None) -> Any:
        return self  # SQLite would compare it with 1, and use no index


@compiles(_OneOf)
def _in_array(element: _OneOf, compiler: SQLCompiler, **more: Any) -> str:
    column, given = (compiler.process(part, **more) for part in element.clauses)
    return f"{column} = ANY (string_to_array({given}, chr({ord(_BETWEEN)})))"


@compiles(_OneOf, "sqlite")
def _in_json(element: _OneOf, compiler: SQLCompiler, **more: Any) -> str:
    column, given = (compiler.process(part, **more) for part in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({given}))"  # noqa: S608 - of names alone
