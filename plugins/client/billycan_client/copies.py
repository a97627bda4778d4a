"""The databases that a mirror can fill: a SQLite file, or PostgreSQL."""

import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from types import TracebackType
from typing import Any, ClassVar

import msgspec

_encode = msgspec.json.Encoder(decimal_format="number").encode
_LOCK = "SELECT pg_advisory_xact_lock(hashtextextended('billycan mirror', 0))"
_COLUMNS = "SELECT table_name, column_name FROM information_schema.columns WHERE table_schema = current_schema()"
_SQLITE_COLUMNS = "SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c WHERE t.type = 'table'"


class SqliteCopy:
    """An open SQLite file. A block `with copy:` is a write transaction: committed at its end, or undone.

    types: The type of column of each kind of member; all others are TEXT.
    """

    types: ClassVar[Mapping[str, str]] = {"whole": "INTEGER", "truth": "INTEGER"}

    def __init__(self, path: str) -> None:
        self._db = sqlite3.connect(path, isolation_level=None)
        self._db.execute("PRAGMA busy_timeout = 10000")

    def run(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run a statement, with ? for each value; return its rows."""
        return self._db.execute(statement, values).fetchall()

    def run_each(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement once for each row of values."""
        self._db.executemany(statement, rows)

    def columns(self) -> dict[str, set[str]]:
        """Map each table to its columns."""
        return _by_table(self.run(_SQLITE_COLUMNS))

    @staticmethod
    def stored(value: Any) -> Any:
        """Return a member as its column holds it."""
        if isinstance(value, dict | list):
            return _encode(value).decode()
        return str(value) if isinstance(value, Decimal) else value

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> None:
        self.run("BEGIN IMMEDIATE")

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.run("ROLLBACK" if kind else "COMMIT")


class PostgresCopy:
    """An open PostgreSQL database, as SqliteCopy; its tables are in the first schema of the search path."""

    types: ClassVar[Mapping[str, str]] = {
        **{"whole": "bigint", "truth": "boolean", "number": "numeric"},
        **{"json": "jsonb", "date": "date", "time": "timestamptz"},
    }

    def __init__(self, url: str) -> None:
        try:
            import psycopg  # noqa: PLC0415 - only who copies into PostgreSQL has it
        except ImportError:
            raise ValueError("for a copy in PostgreSQL, install billycan-client[postgresql]") from None
        try:
            self._db: Any = psycopg.connect(url, autocommit=True)
        except psycopg.OperationalError as error:
            raise ValueError(f"PostgreSQL does not answer: {error}") from None

    def run(self, statement: str, *values: Any) -> list[tuple[Any, ...]]:
        """Run a statement, with ? for each value; return its rows."""
        done = self._db.execute(statement.replace("?", "%s"), values)
        return list(done.fetchall()) if done.description else []

    def run_each(self, statement: str, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement once for each row of values."""
        with self._db.cursor() as cursor:
            cursor.executemany(statement.replace("?", "%s"), rows)

    def columns(self) -> dict[str, set[str]]:
        """Map each table to its columns."""
        return _by_table(self.run(_COLUMNS))

    @staticmethod
    def stored(value: Any) -> Any:
        """Return a member as its column holds it."""
        return _encode(value).decode() if isinstance(value, dict | list) else value

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> None:
        self.run("BEGIN")
        self.run(_LOCK)  # another mirror of the same database waits

    def __exit__(self, kind: type[BaseException] | None, error: object, trace: TracebackType | None) -> None:
        self.run("ROLLBACK" if kind else "COMMIT")


Copy = SqliteCopy | PostgresCopy


def _by_table(rows: Iterable[tuple[str, str]]) -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for table, column in rows:
        found.setdefault(table, set()).add(column)
    return found


def open_copy(place: str) -> Copy:
    """Open a PostgreSQL database by its URL, or a SQLite file by its path."""
    return PostgresCopy(place) if place.startswith("postgresql://") else SqliteCopy(place)
