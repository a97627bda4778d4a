"""The database: engines for reads and writes, column types, and tables whose rows belong to one tenant."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Any, Literal, TypeVar

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.dialects.postgresql import insert as insert_into_postgresql
from sqlalchemy.dialects.sqlite import insert as insert_into_sqlite
from sqlalchemy.engine import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.functions import GenericFunction

from .engines import PLAIN, sqlite, walls
from .fields import Moment
from .web import encode

if TYPE_CHECKING:
    from .books import GstEntries
    from .context import Context
    from .engines import postgres, replicas

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
"""The column type of ids and folded text: compared by code point on both databases."""
Json = sa.JSON(none_as_null=True).with_variant(JSONB(none_as_null=True), "postgresql")
"""The column type of JSON values; None is NULL."""


# Values are read and written one by one, so types override the processors, not what SQLAlchemy calls within them.
Reader = Callable[[Any], T | None]


class Decimals(sa.types.TypeDecorator[Decimal]):
    """The column type of decimal numbers of at most so many places: `Decimals(2)` for money; exact on both databases.

    Each is stored as a whole number of its smallest part, because SQLite has only floats. It takes a Decimal and
    refuses an int or float.
    """

    impl = sa.BigInteger
    cache_ok = True
    are_shared = True  # equal values of a list may be one object

    def __init__(self, places: int) -> None:
        super().__init__()
        self.places = places

    @property
    def python_type(self) -> type[Decimal]:
        return Decimal

    def bind_processor(self, dialect: Dialect) -> "Reader[int]":
        return _whole_number_reader(self.places)

    def result_processor(self, dialect: Dialect, coltype: object) -> "Reader[Decimal]":
        return _scaled_number_reader(self.places)


@cache  # one for all columns: most amounts of a document are 0, or equal to another
def _whole_number_reader(places: int) -> "Reader[int]":
    @lru_cache(4096, typed=True)  # 1 and 1.0 are equal to Decimal(1), and are refused
    def write(value: Decimal | None) -> int | None:
        if value is None:
            return None
        try:
            scaled = value.scaleb(places)
        except AttributeError:
            given = f"{value!r} is of the type {type(value).__name__}"
            raise TypeError(f"{given}, and its column takes a Decimal: write Decimal({str(value)!r})") from None
        whole = int(scaled)
        if scaled != whole:
            raise ValueError(f"{value} has more decimal places than its column, which has {places}: round it first")
        return whole

    return write


@cache  # one for all columns, so that each amount of a list is read once
def _scaled_number_reader(places: int) -> "Reader[Decimal]":
    times = Decimal(1).scaleb(-places).__mul__  # exact, and twice as fast as scaleb
    return lambda value: None if value is None else times(value)


class UTCDateTime(sa.types.TypeDecorator[Moment]):
    """The column type of points in time, to the millisecond; refuses one without an offset."""

    impl = sa.DateTime
    cache_ok = True
    are_shared = True
    read_text = staticmethod(Moment.stored)  # of a time as PostgreSQL writes it

    @property
    def python_type(self) -> type[Moment]:
        return Moment

    def load_dialect_impl(self, dialect: Dialect) -> Any:
        return dialect.type_descriptor(sa.DateTime(timezone=dialect.name == "postgresql"))

    def bind_processor(self, dialect: Dialect) -> "Reader[Any]":
        on_sqlite = dialect.name == "sqlite"

        def write(value: datetime | None) -> Any:
            if value is None:
                return None
            if type(value) is not Moment:
                if value.tzinfo is None:
                    raise ValueError("a time without an offset")
                value = Moment.of(value)
            return _for_sqlite(value) if on_sqlite else value

        return write

    def result_processor(self, dialect: Dialect, coltype: object) -> "Reader[Moment]":
        return _of_sqlite if dialect.name == "sqlite" else _of_postgresql


@lru_cache(1024)
def _for_sqlite(moment: Moment) -> str:
    """A time as SQLite keeps it, made once for all columns of a new record, and for its event."""
    text = str(moment)
    return f"{text[:10]} {text[11:19]}.{text[20:-1] or '000'}000"


@lru_cache(1024)
def _of_sqlite(text: str | None) -> Moment | None:
    """A time as SQLite keeps it, with six digits of the second, in UTC; most rows have the same one twice."""
    return None if text is None else Moment.stored(_in_short(text) + "+00")


def _of_postgresql(value: datetime | None) -> Moment | None:
    """A time as psycopg reads it, in UTC."""
    return None if value is None else Moment.of(value)


def _in_short(text: str) -> str:
    """A time as PostgreSQL writes it, without the zeros that say nothing."""
    return text.removesuffix(".000000").removesuffix("000")


class _OctetLength(GenericFunction[int]):
    """The standard's `octet_length`, `sa.func.octet_length(column)`, on both databases."""

    name = "octet_length"
    type = sa.BigInteger()
    inherit_cache = True


@compiles(_OctetLength, "sqlite")
def _compile_length(element: Any, compiler: Any, **options: Any) -> str:
    # Older releases know no octet_length, and of a text they count the characters.
    (column,) = element.clauses
    given = compiler.process(column, **options)
    return f"length({given})" if isinstance(column.type, sa.LargeBinary) else f"length(CAST({given} AS BLOB))"


def new_table(
    name: str,
    *parts: Any,
    of: Literal["business", "resource", "record", "deployment"] = "business",
    external_ids_of: str = "",
) -> sa.Table:
    """Return a table, which belongs to a plugin's manifest.

    Each row belongs to one business: `tenant_id` and `id` lead, and are the primary key.

    of: For `resource`, the table has the columns that every resource has, too. For `deployment`, it has its own columns
      alone, and its rows belong to no business, or to the one of a `business_id`. For `record`, the `id` of a row is
      that of the record that it adds to, and nothing shows, finds or counts rows without it: an import writes them some
      time before the record. They hold no moments.
    external_ids_of: For a resource, the column within whose values an `external_id` is unique, instead of among all
      records of the business.
    """
    if name in metadata.tables:
        raise ValueError(
            f"the table {name} already exists: the names of a plugin's tables must begin with the plugin's name"
        )
    if of == "deployment":
        return sa.Table(name, metadata, *parts, info={"of_deployment": True})
    key = (
        sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
        sa.Column("id", ByCodePoint, primary_key=True),
    )
    if of in ("business", "record"):
        return sa.Table(name, metadata, *key, *parts, info={"of_record": of == "record"})
    return sa.Table(
        name,
        metadata,
        *key,
        *(part for part in parts if isinstance(part, sa.Column)),
        sa.Column("external_id", sa.Text),
        sa.Column("metadata", Json, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("created_at", UTCDateTime, nullable=False),
        sa.Column("updated_at", UTCDateTime, nullable=False),
        *_unique_external_ids(name, external_ids_of),
        sa.Index(None, "tenant_id", "created_at", "id"),
        *(part for part in parts if not isinstance(part, sa.Column)),
    )


def folded(column: str, *, nullable: bool = False) -> sa.Column[Any]:
    """A column that keeps `column` folded, for sorting by it without case and accents; what is missing sorts last."""
    return sa.Column(f"{column}_folded", ByCodePoint, nullable=nullable)


def searchable() -> sa.Column[str]:
    """A column that keeps what `search` looks through, folded."""
    return sa.Column("search_text", sa.Text, nullable=False)


def numbered() -> tuple[sa.Column[Any], ...]:
    """Return the columns of a record's number, as it is shown and as it sorts: `new_table("vehicles", *numbered(),
    …, of="resource")`.
    """
    return (sa.Column("number", sa.Text, nullable=False), sa.Column("sequence", sa.BigInteger, nullable=False))


def _unique_external_ids(name: str, of: str) -> list[sa.schema.SchemaItem]:
    if not of:
        return [sa.UniqueConstraint("tenant_id", "external_id")]
    # Two, because of two nulls neither is the other's duplicate.
    found: list[sa.schema.SchemaItem] = [sa.Index(None, "tenant_id", "external_id")]  # to look one up among all
    for words, columns in (("IS NULL", ()), ("IS NOT NULL", (of,))):
        some = sa.text(f"{of} {words}")
        index = "_".join(("uq", name, *columns, "external_id"))
        alike = ("tenant_id", *columns, "external_id")
        found.append(sa.Index(index, *alike, unique=True, sqlite_where=some, postgresql_where=some))
    return found


def reference(column: str, target: str) -> sa.ForeignKeyConstraint:
    """Return a foreign key to another table of the same business; the pair of keys makes any other impossible."""
    return sa.ForeignKeyConstraint(["tenant_id", column], [f"{target}.tenant_id", f"{target}.id"])


def own(ctx: "Context | GstEntries.Period", table: sa.Table) -> sa.ColumnElement[bool]:
    """Return the condition that a row is the caller's business's, or that of a GST report. A statement without it is
    refused.
    """
    return table.c.tenant_id == ctx.tenant_id


def at_most(most: int, table: sa.Table, *where: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Return the condition of an UPDATE or DELETE of at most `most` of a tenant's rows; `where` includes `own`."""
    key = [column for column in table.primary_key if column.name != "tenant_id"]
    some = sa.select(*key).where(*where).limit(most).correlate(None)
    # Once more outside: on PostgreSQL a row may have changed since it was found.
    return sa.and_(*where, sa.tuple_(*key).in_(some) if key[1:] else key[0].in_(some))


class Database:
    """One deployment's database. Reads take `reading()`, writes `writing()`: nothing else opens a connection."""

    def __init__(
        self,
        url: sa.URL,
        pool_size: int = 8,
        *,
        plain_sql: bool = False,
        pooled: bool = False,
        replicas: Sequence[sa.URL] = (),
    ) -> None:
        self.url = url
        self.is_sqlite = url.get_backend_name() == "sqlite"
        settings = {
            "pool_size": pool_size,
            "max_overflow": pool_size,
            "pool_timeout": 5,
            "json_serializer": lambda value: encode(value).decode(),
            "json_deserializer": read_json,
            "hide_parameters": True,
            "execution_options": {PLAIN: True} if plain_sql else {},
        }
        self._engines = _engines_of(url, settings, pooled=pooled)
        self.writer, self.reader = self._engines.writer, self._engines.reader
        self.replicas = _replicas_of(self._engines, replicas, settings, pooled=pooled) if replicas else None
        engines = [self.writer] if self.is_sqlite else [self.writer, self.reader]  # on SQLite both are one
        self.engines = [*engines, *(replica.engine for replica in self.replicas or ())]
        for engine in self.engines:
            sa.event.listen(engine, "handle_error", self._see_to_error)
            sa.event.listen(engine, "before_cursor_execute", walls.refuse_foreign_rows, retval=True)

    @contextmanager
    def reading(self, tenant_id: str = "", *, across: str = "") -> Iterator[sa.Connection]:
        """A connection to read with, outside any write transaction: for one tenant, or without an id for the system.

        One for the system may ask for rows of every tenant only where `across` says why.
        """
        sound, db = False, self._engines.readers.borrow(_scope_options(tenant_id, across))
        try:
            yield db
            sound = True
        except sa.exc.DBAPIError as error:
            if is_read_only(error):
                raise RuntimeError("a read-only transaction cannot write") from error
            raise
        finally:
            self._engines.readers.give_back(db, sound=sound)

    def reading_anywhere(self, tenant_id: str) -> AbstractContextManager[sa.Connection]:
        """As `reading`, but from a replica if one has all that is committed so far: for reads that may begin anew.

        Raise ReplicaLost if the replica ends the read: it then begins anew with `reading`.
        """
        if self.replicas is None or (found := self.replicas.borrow(_scope_options(tenant_id, ""))) is None:
            return self.reading(tenant_id)
        return _reading_replica(*found)

    def writing(self, tenant_id: str = "", *, across: str = "") -> AbstractContextManager[sa.Connection]:
        """One transaction, for one tenant or the system: committed when the block ends, rolled back when it raises."""
        return self._engines.writing(_scope_options(tenant_id, across))

    def noting(self, wait_seconds: float | None = None) -> AbstractContextManager[sa.Connection]:
        """As `writing`, for what may be done again: SQLite does not wait for the disk; a power cut undoes the last.

        Nor does it wait longer than `wait_seconds` for others to finish writing.
        """
        return self._engines.noting(wait_seconds)

    def wait_for_disk(self) -> None:
        """Return once the disk has all that was committed before, by `noting` and by other processes too."""
        if isinstance(self._engines, sqlite.Engines):  # PostgreSQL shows nothing before
            self._engines.wait_for_disk()

    def pace_writers(self) -> None:
        """Let a tenant whose transaction kept SQLite's only writer for long leave it to others for a while."""
        if isinstance(self._engines, sqlite.Engines):
            self._engines.pace_writers()

    def make_private(self) -> None:
        """Close those files of an embedded database that this user owns to other users."""
        if isinstance(self._engines, sqlite.Engines):
            self._engines.make_private()

    def dispose(self) -> None:
        """Close every connection; those that are needed later are made anew."""
        self._let_go()
        self._engines.dispose()
        for replica in self.replicas or ():
            replica.dispose()

    def _see_to_error(self, context: sa.engine.ExceptionContext) -> None:
        _keep_to_itself(context)
        of_primary = context.engine in (self.writer, self.reader)
        if context.is_disconnect and of_primary:  # a replica is left out by whoever reads there
            self._let_go()

    def _let_go(self) -> None:
        for kept in (self._engines.readers, self._engines.writers):
            kept.close_idle()


def _engines_of(url: sa.URL, settings: Mapping[str, Any], *, pooled: bool) -> "sqlite.Engines | postgres.Engines":
    if url.get_backend_name() == "sqlite":
        return sqlite.Engines(url, settings)
    from .engines import postgres  # noqa: PLC0415 - SQLite needs no psycopg

    return postgres.Engines(url, settings, pooled=pooled)


def _replicas_of(
    primary: Any, urls: Sequence[sa.URL], settings: Mapping[str, Any], *, pooled: bool
) -> "replicas.Replicas":
    from .engines import replicas  # noqa: PLC0415 - SQLite needs no psycopg

    return replicas.Replicas(primary, [replicas.Replica(url, settings, pooled=pooled) for url in urls])


@contextmanager
def _reading_replica(replica: "replicas.Replica", db: sa.Connection) -> Iterator[sa.Connection]:
    sound = False
    try:
        yield db
        sound = True
    except sa.exc.DBAPIError as error:
        if error.connection_invalidated:
            replica.leave_out()
        if error.connection_invalidated or (getattr(error.orig, "sqlstate", None) or "").startswith(_LOST):
            raise ReplicaLost from error
        raise
    finally:
        replica.give_back(db, sound=sound)


# What a replica breaks off because of what the primary changed, and what it says when it stops.
_LOST = ("40", "57P")


class ReplicaLost(Exception):
    """A replica ended a read: it may begin anew on the primary."""


@contextmanager
def one_moment(db: sa.Connection) -> Iterator[None]:
    """Let all that is read on a connection of `reading()` while the block runs be of one moment.

    On SQLite it is so anyway. In a transaction that writes this changes nothing.
    """
    if db.dialect.name == "sqlite":
        yield
        return
    from .engines import postgres  # noqa: PLC0415 - SQLite needs no psycopg

    with postgres.one_moment(db):
        yield


# Never by way of a float: what was stored as 0.10 is a Decimal("0.10") again.
read_json = msgspec.json.Decoder(float_hook=Decimal).decode


def _keep_to_itself(context: sa.engine.ExceptionContext) -> None:
    """Remove the statement, and what PostgreSQL quotes of it and of rows, from an error, because it may be logged."""
    error, diagnosis = context.sqlalchemy_exception, getattr(context.original_exception, "diag", None)
    if error is not None:
        error.statement = None
        if walls.were_built_since(context.original_exception):
            context.is_disconnect = True  # all connections are older than the policies: new ones take them up
        if primary := diagnosis and diagnosis.message_primary:
            context.original_exception.args = (primary,)
            error.args = (f"({type(context.original_exception).__name__}) {primary}",)


def _scope_options(tenant_id: str, across: str) -> dict[str, str]:
    """The execution options that say for whom a connection is."""
    return {walls.TENANT: tenant_id} if tenant_id else {walls.ACROSS: across} if across else {}


def is_read_only(error: sa.exc.DBAPIError) -> bool:
    """Tell whether a write failed because nothing can be written there."""
    sqlite_name = getattr(error.orig, "sqlite_errorname", "")
    return sqlite_name.startswith("SQLITE_READONLY") or getattr(error.orig, "sqlstate", None) == "25006"


def is_deadlock(error: Exception) -> bool:
    """Tell whether PostgreSQL undid this transaction to end a deadlock: it may begin anew at once."""
    return isinstance(error, sa.exc.DBAPIError) and getattr(error.orig, "sqlstate", None) == "40P01"


def reason(error: sa.exc.SQLAlchemyError) -> str:
    """Return why the database failed, in one line without SQL, for a log."""
    said = str(error.orig if isinstance(error, sa.exc.DBAPIError) else error).strip().splitlines()
    return said[0] if said else "no reason given"


_INSERTS: dict[str, Any] = {"sqlite": insert_into_sqlite, "postgresql": insert_into_postgresql}


def upsert(table: sa.Table, db: sa.Connection) -> Any:
    """Return an INSERT that supports ON CONFLICT, for the database in use."""
    return _INSERTS[db.dialect.name](table)


def upserts(table: sa.Table, build: Callable[[Any], Any]) -> dict[str, Any]:
    """Build an `upsert` for statements of every request: one for each database, by the name of its dialect."""
    return {name: build(insert(table)) for name, insert in _INSERTS.items()}
