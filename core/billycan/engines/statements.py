"""Statements that are built once, compiled at their first use, and then handed to the database's driver directly.

This replaces `Connection.execute`. SQLAlchemy builds and compiles statements; its work at each execution, such as
looking up the compiled form and describing the result anew, costs more than the rest of the way to PostgreSQL and back:
one row by its id takes 210 µs of CPU by `Connection.execute`, 47 by psycopg alone, and 53 here.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

import sqlalchemy as sa

from . import PLAIN, postgres
from .forms import Form, Row

if TYPE_CHECKING:
    from sqlalchemy.sql.cache_key import CacheKey

    from .many_rows import Insertion

_MOST_FORMS = 256  # of one statement: an UPDATE has one for each set of columns that it changes


class Statement:
    """A SELECT, or an INSERT, UPDATE or DELETE whose columns are the parameters' names.

    `parameters` are named as its `bindparam`s are. Rows, types, errors and the events of a connection are those of
    `Connection.execute`. Where databases differ, `by_dialect` gives a statement for each. `varying` are the keys of
    parameters that have values of their own, and are given others nevertheless.
    """

    Asked = tuple["Statement | Insertion", Any]
    """A statement with its parameters, as `Context.at_once` takes it."""

    PLANNED_ANEW: ClassVar = postgres.PLANNED_ANEW
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
            return _executed(db, self._of(db), parameters)
        form = self._form(db, parameters)
        if not form.is_plain:
            return _executed(db, form.statement, parameters)
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

    def _of(self, db: sa.Engine | sa.Connection) -> Any:
        return self._by_dialect.get(db.dialect.name, self._statement)

    def _ready(self, db: sa.Connection, parameters: Mapping[str, Any]) -> tuple[Form, Mapping[str, Any]]:
        return self._form(db, parameters), parameters

    def _form(self, db: sa.Engine | sa.Connection, parameters: Iterable[str]) -> Form:
        dialect = db.dialect
        key = (dialect.name, *parameters) if self._varies else dialect.name
        form = self._forms.get(key)
        if form is None:
            if len(self._forms) >= _MOST_FORMS:
                self._forms.clear()
            columns = list(parameters) if self._varies else None
            form = self._forms[key] = Form(self._of(db), dialect, columns, self._varying)
        return form


Asked = Statement.Asked


def _executed(db: sa.Connection, statement: Any, parameters: Any) -> list[Row]:
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
    forms = [statement._ready(db, given) for statement, given in asked]
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
    sent = [form.sent(db, given) for form, given in forms]
    try:
        results = postgres.send_statements(db, sent, commits=commits)
        return [form.fetched(result, db.dialect, in_turns) for (form, _), result in zip(forms, results, strict=False)]
    except BaseException as error:  # noqa: BLE001 - SQLAlchemy raises it anew, as what it means
        db._handle_dbapi_exception(error, forms[0][0].text, None, None, None)


def cache_key(db: sa.Connection, condition: sa.ColumnElement[bool]) -> "CacheKey | None":
    """Return the key that a condition shares with those that differ in values only, and its parameters.

    None if there is none, or if this connection uses SQLAlchemy's public names alone.
    """
    return None if PLAIN in db.get_execution_options() else condition._generate_cache_key()
