"""The databases of a test run: one for each engine with every installed plugin's tables, emptied after each test.

A disabled plugin keeps its tables anyway, so tests with different plugins can use the same database. What SQLAlchemy
compiled for one test then serves the next, and every test begins without rows.
"""

import shutil
import sqlite3
import tempfile
from collections.abc import Callable, Iterable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import sqlalchemy as sa

from . import throwaway

if TYPE_CHECKING:
    from ..db import Database
    from .throwaway import Postgres

NOT_TESTED = "PostgreSQL was NOT TESTED: no server programs in /usr/lib/postgresql/*/bin or on PATH"
CONNECTED = 3  # the databases that keep their connections from test to test
CLEANED = 200  # how often PostgreSQL's tables are emptied before what is dead in them is taken out

Build = Callable[[str], None]


class _Compiled(sa.util.LRUCache[Any, Any]):
    """The statements that SQLAlchemy compiled, for all databases of a kind: its own caches are of one engine each."""

    def get(self, key: Any, default: Any = None) -> Any:
        return super().get((type(key[0]), *key[1:]), default)

    def __setitem__(self, key: Any, compiled: Any) -> None:
        super().__setitem__((type(key[0]), *key[1:]), compiled)


@cache
def share_compiled() -> None:
    """Have every engine of this process use what was compiled for another: many tests have a database of their own.

    As with a `Statement`, which is compiled once for each kind of database. All of them are of one version here, and
    made with the same settings.
    """
    compiled, make = _Compiled(2_000), sa.create_engine

    def made(url: Any, **given: Any) -> sa.Engine:
        options = {"compiled_cache": compiled, **given.pop("execution_options", {})}
        return make(url, execution_options=options, **given)

    sa.create_engine = made


class Databases:
    """The databases of one run; `build` brings each to the tables that it is for."""

    def __init__(self) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="billycan-test-", dir=throwaway.in_memory()))
        self._ready: dict[tuple[str, ...], str] = {}
        self._open: dict[tuple[str, int, bool, bool], Database] = {}
        self._cleaners: dict[str, Callable[[], None]] = {}
        self._ends = ExitStack()
        self._postgres: Postgres | None = None
        self._count = 0

    @property
    def postgres(self) -> "Postgres | None":
        if self._postgres is None and throwaway.find():
            self._postgres = throwaway.start()
        return self._postgres

    def empty(self, engine: str) -> str:
        """Make a new database without tables; return its URL."""
        self._count += 1
        if engine == "sqlite":
            return f"sqlite:///{self.folder / f'{self._count}.db'}"
        if self.postgres is None:
            pytest.skip(NOT_TESTED)
        return self.postgres.database(f"test{self._count}").render_as_string(hide_password=False)

    def shared(self, engine: str, key: tuple[str, ...], build: Build) -> str:
        """Return the URL of the database for `key`, which `build` fills with tables when it is new."""
        key = (engine, *key)
        if key not in self._ready:
            url = self.empty(engine)
            build(url)
            self._ready[key] = url
        return self._ready[key]

    def cleaned(self, engine: str, key: tuple[str, ...], build: Build) -> str:
        """Return the URL of a shared database whose rows `clean` removes."""
        url = self.shared(engine, key, build)
        if url not in self._cleaners:
            prepare = _sqlite_cleaner if engine == "sqlite" else _postgresql_cleaner
            self._cleaners[url] = prepare(sa.make_url(url), self._ends)
        return url

    def clean(self, urls: Iterable[str]) -> None:
        """Remove the rows that a test left in these databases."""
        for url in urls:
            if clean := self._cleaners.get(url):
                clean()

    def copy(self, engine: str, key: tuple[str, ...], build: Build) -> str:
        """Make a copy of the database for `key`; return its URL. Nobody may be connected to the original."""
        original = sa.make_url(self.shared(engine, ("copied", *key), build)).database or ""
        self._count += 1
        if engine == "postgresql" and self.postgres:
            return self.postgres.database(f"test{self._count}", original).render_as_string(hide_password=False)
        return f"sqlite:///{shutil.copy(original, self.folder / f'{self._count}.db')}"

    def open(self, url: str, pool_size: int, *, plain_sql: bool = False, pooled: bool = False) -> "Database":
        """Open the database at a URL, the same one for every app: what SQLAlchemy compiled for one serves the next.

        The last few keep their connections; PostgreSQL has not enough for all.
        """
        from ..db import Database  # noqa: PLC0415 - pytest loads this in every run, with or without billycan's tests

        key = (url, pool_size, plain_sql, pooled)
        if key not in self._open:
            self._open[key] = Database(sa.make_url(url), pool_size, plain_sql=plain_sql, pooled=pooled)
        self._open[key] = self._open.pop(key)
        for resting in [*self._open.values()][-CONNECTED - 1 : -CONNECTED]:
            resting.dispose()
        return self._open[key]

    def close(self) -> None:
        self._ends.close()
        for database in self._open.values():
            database.dispose()
        shutil.rmtree(self.folder, ignore_errors=True)


def _sqlite_cleaner(url: sa.URL, ends: ExitStack) -> Callable[[], None]:
    """Prepare to remove all rows but those that migrations made."""
    db = sqlite3.connect(url.database or "", isolation_level=None, cached_statements=500, check_same_thread=False)
    ends.callback(db.close)
    db.execute("PRAGMA synchronous=OFF")
    db.execute("PRAGMA foreign_keys=OFF")
    kinds = {name: kind for _, name, kind, *_ in db.execute("PRAGMA table_list")}
    tables = [name for name, kind in kinds.items() if kind == "table" and not name.startswith("sqlite_")]
    kept = {name for name in tables if db.execute(f'SELECT 1 FROM "{name}" LIMIT 1').fetchone()}  # noqa: S608
    emptied = {name: f'DELETE FROM "{name}"' for name in tables if name not in kept}  # noqa: S608
    # To empty a table writes each of its indexes, with rows or without; and a test leaves rows in few of them.
    of_each = (f"SELECT '{name}' WHERE EXISTS (SELECT 1 FROM \"{name}\")" for name in emptied)  # noqa: S608
    find_rows = " UNION ALL ".join(of_each)
    triggers = db.execute("SELECT tbl_name, name, sql FROM sqlite_schema WHERE type = 'trigger'").fetchall()
    # A plugin may have triggers of its own that forbid to remove anything.
    forbid = [(name, trigger, sql) for name, trigger, sql in triggers if "RAISE" in sql.upper()]

    def clean() -> None:
        with db:  # rolls back where it fails
            db.execute("BEGIN IMMEDIATE")
            found = [name for (name,) in db.execute(find_rows)]
            locked = [(trigger, sql) for name, trigger, sql in forbid if name in found]
            for trigger, _ in locked:
                db.execute(f'DROP TRIGGER "{trigger}"')
            for name in found:
                db.execute(emptied[name])
            for _, sql in locked:
                db.execute(sql)

    return clean


def _postgresql_cleaner(url: sa.URL, ends: ExitStack) -> Callable[[], None]:
    """Prepare to remove all rows but those that migrations made, by a function whose statements stay prepared."""
    # One connection, as a superuser for whom neither row-level security nor foreign keys hold.
    engine = sa.create_engine(url.set(username="postgres"), isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
    db = ends.enter_context(engine.connect())
    tables = sa.inspect(db).get_table_names()
    kept = {name for name in tables if db.exec_driver_sql(f'SELECT 1 FROM "{name}" LIMIT 1').first()}  # noqa: S608
    deletes = "; ".join(f'DELETE FROM "{name}"' for name in tables if name not in kept)  # noqa: S608
    db.exec_driver_sql("SET session_replication_role = replica")
    db.exec_driver_sql(f"CREATE FUNCTION pg_temp.clean() RETURNS void LANGUAGE plpgsql AS $$BEGIN {deletes}; END$$")
    done = 0

    def clean() -> None:
        nonlocal done
        db.exec_driver_sql("SELECT pg_temp.clean()")
        done += 1
        if done % CLEANED == 0:
            db.exec_driver_sql("VACUUM")

    return clean
