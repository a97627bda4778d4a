"""The database: engines for reads and writes, column types, and tables whose rows belong to one tenant."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.engine import Dialect

from .fields import Moment
from .turns import Turns

if TYPE_CHECKING:
    from .context import Context

T = TypeVar("T")

metadata = sa.MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
        "ck": "ck_%(table_name)s_%(constraint_name)s",
    }
)

# Ids, and text folded for sorting, compare by code point on both databases.
ByCodePoint = sa.Text().with_variant(sa.Text(collation="C"), "postgresql")
Json = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")


# A column's values are read one by one, so types override `result_processor`, not `process_result_value` above it.
Reader = Callable[[Any], T | None]


class Scaled(sa.types.TypeDecorator[Decimal]):
    """A decimal kept as an integer of its smallest part: exact on both databases, where SQLite has only floats."""

    impl = sa.BigInteger
    cache_ok = True

    def __init__(self, places: int) -> None:
        super().__init__()
        self.places = places

    @property
    def python_type(self) -> type[Decimal]:
        return Decimal

    def process_bind_param(self, value: Decimal | None, dialect: Dialect) -> int | None:
        if value is None:
            return None
        scaled = value.scaleb(self.places)
        if scaled != int(scaled):
            raise ValueError(f"{value} has more than {self.places} decimals")
        return int(scaled)

    def result_processor(self, dialect: Dialect, coltype: object) -> "Reader[Decimal]":
        places = -self.places
        return lambda value: None if value is None else Decimal(value).scaleb(places)


def Cents() -> Scaled:
    """Money, in whole cents."""
    return Scaled(2)


def TenThousandths() -> Scaled:
    """Unit prices, quantities and percentages, to four decimals."""
    return Scaled(4)


class UTCDateTime(sa.types.TypeDecorator[Moment]):
    """A point in time to the millisecond; refuses naive values, since SQLite would drop what offset they had."""

    impl = sa.DateTime
    cache_ok = True

    @property
    def python_type(self) -> type[Moment]:
        return Moment

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        return dialect.type_descriptor(sa.DateTime(timezone=dialect.name == "postgresql"))

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError("a time without an offset")
        moment = Moment.of(value)
        return moment if dialect.name == "postgresql" else moment.replace(tzinfo=None)

    def result_processor(self, dialect: Dialect, coltype: object) -> "Reader[Moment]":
        if dialect.name == "sqlite":
            return lambda text: None if text is None else Moment.fromisoformat(text + "+00:00")
        return lambda value: None if value is None else Moment.of(value)


def tenant_table(name: str, *parts: Any) -> sa.Table:
    """A table whose rows belong to one tenant: `tenant_id` leads its primary key and everything that points at it."""
    if name in metadata.tables:
        raise ValueError(f"there is a table {name} already: a plugin's tables begin with the name of the plugin")
    return sa.Table(
        name,
        metadata,
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("id", ByCodePoint, primary_key=True),
        *parts,
    )


def resource_table(name: str, *parts: Any) -> sa.Table:
    """A tenant's table with the columns every resource has."""
    return tenant_table(
        name,
        *(part for part in parts if isinstance(part, sa.Column)),
        sa.Column("external_id", sa.Text),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("updated_at", UTCDateTime, nullable=False),
        sa.UniqueConstraint("tenant_id", "external_id"),
        sa.Index(None, "tenant_id", "created_at", "id"),
        *(part for part in parts if not isinstance(part, sa.Column)),
    )


def reference(column: str, target: str) -> sa.ForeignKeyConstraint:
    """A reference to another of the tenant's own records: the pair of keys makes any other impossible."""
    return sa.ForeignKeyConstraint(["tenant_id", column], [f"{target}.tenant_id", f"{target}.id"])


def own(ctx: "Context", table: sa.Table) -> sa.ColumnElement[bool]:
    """The condition that keeps a query inside the caller's tenant."""
    return table.c.tenant_id == ctx.tenant_id


class Database:
    """One deployment's database. Reads take `reading()`, writes `writing()`: nothing else opens a connection."""

    def __init__(self, url: sa.URL, pool_size: int = 8) -> None:
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        if self.is_sqlite:
            if url.database:
                Path(url.database).parent.mkdir(parents=True, exist_ok=True)
            self.writer = sa.create_engine(
                url,
                pool_size=pool_size,
                max_overflow=pool_size,
                pool_timeout=5,
                json_serializer=_to_json,
                json_deserializer=msgspec.json.decode,
                hide_parameters=True,
            )
            sa.event.listen(self.writer, "handle_error", _keep_to_itself)
            self.reader: sa.Engine = self.writer.execution_options(billycan_read=True)
            self._notes: sa.Engine = self.writer.execution_options(billycan_note=True)
            sa.event.listen(self.writer, "connect", _prepare_sqlite)
            sa.event.listen(self.writer, "begin", _begin_sqlite)
        else:
            settings: dict[str, Any] = {
                "json_serializer": _to_json,
                "json_deserializer": msgspec.json.decode,
                "hide_parameters": True,
                "pool_size": pool_size,
                "max_overflow": pool_size,
                "pool_timeout": 5,
                "pool_recycle": 1800,
            }
            self.writer = sa.create_engine(url, connect_args=_connect_args(_POSTGRESQL_OPTIONS), **settings)
            # A read outside a transaction costs one round trip; BEGIN and ROLLBACK around it would cost two more.
            self.reader = sa.create_engine(
                url,
                isolation_level="AUTOCOMMIT",
                skip_autocommit_rollback=True,
                pool_reset_on_return=None,
                connect_args=_connect_args(_POSTGRESQL_OPTIONS + " -c default_transaction_read_only=on"),
                **settings,
            )
            for engine in (self.writer, self.reader):
                sa.event.listen(engine, "checkin", _note_checkin)
                sa.event.listen(engine, "checkout", _ping_if_idle)
                sa.event.listen(engine, "handle_error", _keep_to_itself)
            self._notes = self.writer
        self._turns = Turns(url.database or "")

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        """A connection to read with, outside any write transaction."""
        with self.reader.connect() as db:
            try:
                yield db
            except sa.exc.DBAPIError as error:
                if is_read_only(error):
                    raise RuntimeError("what only reads cannot write") from error
                raise

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """One transaction: committed when the block ends, rolled back when it raises."""
        with self._alone(self.writer, WAIT_SECONDS) as db:
            yield db

    @contextmanager
    def noting(self, wait_seconds: float | None = None) -> Iterator[sa.Connection]:
        """As `writing`, for what may be done again: SQLite does not wait for the disk; a power cut undoes the last.

        Nor does it wait longer than `wait_seconds` for others to finish writing.
        """
        with self._alone(self._notes, WAIT_SECONDS if wait_seconds is None else wait_seconds) as db:
            yield db

    @contextmanager
    def _alone(self, engine: sa.Engine, wait_seconds: float) -> Iterator[sa.Connection]:
        """A transaction; on SQLite the only one that writes, for which it waits so long in all."""
        if not self.is_sqlite:
            with engine.begin() as db:
                yield db
            return
        with self._turns.taken(wait_seconds) as left, engine.connect() as db:
            db.execution_options(billycan_wait_seconds=left)
            with db.begin():
                yield db

    def measure_grown(self) -> list[str]:
        """Have PostgreSQL take stock of the tables that more than doubled since it last did; returns which.

        It looks by itself once a minute. Until then a statement that was prepared on an empty table goes on reading
        all of a tenant's rows for one, which is quick with ten of them and stands still with ten thousand.
        """
        with self.reading() as db:
            grown = list(db.execute(_GROWN, {"names": list(metadata.tables)}).scalars())
        for name in grown:
            with self.writing() as db:
                db.exec_driver_sql(f"ANALYZE {db.dialect.identifier_preparer.quote(name)}")
        return grown

    def dispose(self) -> None:
        self.writer.dispose()
        self.reader.dispose()
        self._turns.close()


_POSTGRESQL_OPTIONS = (
    "-c statement_timeout=15000 -c lock_timeout=5000 -c idle_in_transaction_session_timeout=30000"
    " -c timezone=UTC -c jit=off"
)
# Both count pages of 8 KiB; a handful is read in no time, whatever the plan.
_GROWN = sa.text(
    "SELECT relname FROM pg_class WHERE relname = ANY(:names) AND pg_table_is_visible(oid) AND relkind = 'r'"
    " AND pg_relation_size(oid) / 8192 > 2 * greatest(relpages, 0) + 4 ORDER BY relname"
)
_IDLE_SECONDS = 5.0
WAIT_SECONDS = 10.0  # for whoever else writes to SQLite


def _connect_args(options: str) -> dict[str, Any]:
    # A server that vanished without a word is noticed within 20 seconds; the kernel alone would wait for two hours.
    alive = {"keepalives_idle": 5, "keepalives_interval": 5, "keepalives_count": 3, "tcp_user_timeout": 20_000}
    return {"connect_timeout": 5, "options": options, **alive}


def _to_json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _prepare_sqlite(connection: Any, record: Any) -> None:
    connection.isolation_level = None  # BEGIN is ours to send
    for pragma in (f"busy_timeout={WAIT_SECONDS * 1000:.0f}", "journal_mode=WAL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _begin_sqlite(db: sa.Connection) -> None:
    # A transaction that only later becomes a writer would lose updates silently.
    options = db.get_execution_options()
    driver: Any = db.connection.driver_connection
    reads = bool(options.get("billycan_read"))
    driver.execute(f"PRAGMA busy_timeout={options.get('billycan_wait_seconds', WAIT_SECONDS) * 1000:.0f}")
    driver.execute(f"PRAGMA query_only={int(reads)}")
    if reads:
        db.exec_driver_sql("BEGIN")
        return
    # SQLite takes up this setting outside a transaction only.
    driver.execute(f"PRAGMA synchronous={'NORMAL' if options.get('billycan_note') else 'FULL'}")
    db.exec_driver_sql("BEGIN IMMEDIATE")


def _keep_to_itself(context: sa.engine.ExceptionContext) -> None:
    """Take the statement, and what PostgreSQL quotes of it and of rows, out of an error: it may be logged."""
    error, diagnosis = context.sqlalchemy_exception, getattr(context.original_exception, "diag", None)
    if error is not None:
        error.statement = None
        if primary := diagnosis and diagnosis.message_primary:
            context.original_exception.args = (primary,)
            error.args = (f"({type(context.original_exception).__name__}) {primary}",)


def _note_checkin(connection: Any, record: Any) -> None:
    record.info["idle_since"] = time.monotonic()


def _ping_if_idle(connection: Any, record: Any, proxy: Any) -> None:
    # A connection in steady use is known to live; only one that rested is asked, which spares each request a trip.
    if time.monotonic() - record.info.get("idle_since", time.monotonic()) > _IDLE_SECONDS:
        try:
            connection.pgconn.exec_(b"")
        except Exception as error:
            raise sa.exc.DisconnectionError("the server closed an idle connection") from error
        if connection.closed or connection.broken:
            raise sa.exc.DisconnectionError("the server closed an idle connection")


def is_read_only(error: sa.exc.DBAPIError) -> bool:
    """Whether something was to be written where nothing can be."""
    sqlite_name = getattr(error.orig, "sqlite_errorname", "")
    return sqlite_name.startswith("SQLITE_READONLY") or getattr(error.orig, "sqlstate", None) == "25006"


def reason(error: sa.exc.SQLAlchemyError) -> str:
    """Why the database failed, in one line without SQL, for a log."""
    said = str(error.orig if isinstance(error, sa.exc.DBAPIError) else error).strip().splitlines()
    return said[0] if said else "no reason given"


_INSERTS: dict[str, Any] = {"sqlite": sqlite.insert, "postgresql": postgresql.insert}


def upsert(table: sa.Table, db: sa.Connection) -> Any:
    """An INSERT that knows ON CONFLICT, for the database at hand."""
    return _INSERTS[db.dialect.name](table)


def upserts(table: sa.Table, build: Callable[[Any], Any]) -> dict[str, Any]:
    """As `upsert`, for what every request runs: built once for each database, by the name of its dialect."""
    return {name: build(insert(table)) for name, insert in _INSERTS.items()}
