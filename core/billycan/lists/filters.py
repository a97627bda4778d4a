"""Filters and search of lists: the conditions of a query, and texts as searches compare them."""

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import date, datetime
from functools import lru_cache
from operator import ge, le, lt
from typing import TYPE_CHECKING, Any

import msgspec
import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import ARRAY

from ..db import UTCDateTime
from ..engines.statements import Statement
from ..fields import Moment, day_after

if TYPE_CHECKING:
    from ..context import Context

_STRAIGHT = {
    **dict.fromkeys("\u2018\u2019\u02bc\u02bb\u2032\u00b4\uff07", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u2033\uff02", '"'),
}
_DIGITS, _IN_NUMBERS = frozenset("0123456789"), frozenset("0123456789 +()./-")


class Condition(msgspec.Struct, frozen=True):
    """A condition of a filter on a column: `compare(column, value)`; several values mean any one of them."""

    column: Any
    compare: Callable[[Any, Any], sa.ColumnElement[bool]]
    values: tuple[Any, ...]

    def of(self, values: Sequence[Any]) -> sa.ColumnElement[bool]:
        """Return the same condition with other values, such as parameters."""
        return self.compare(self.column, values[0]) if len(values) == 1 else self.column.in_(values)


def expression(condition: Condition | sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Return a condition with its values."""
    return condition.of(condition.values) if isinstance(condition, Condition) else condition


def fold(text: str) -> str:
    """Return a text as it is compared in searches and sorts: without case and accents, and with straight quotes."""
    if text.isascii():
        return text.lower()
    # One character at a time: ordering many accents in a row takes quadratic time.
    return "".join(map(_fold_character, text))


@lru_cache(4096)
def _fold_character(character: str) -> str:
    character = _STRAIGHT.get(character, character)
    # Compatibility forms hide capitals (`㎒`), and folding some letters brings forth accents.
    spread = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", character).casefold())
    return "".join(c for c in spread if not unicodedata.combining(c))


def digits_of(text: str) -> str:
    """Return the digits of a phone number or ABN, with Australia's +61 written as a leading zero."""
    digits = "".join(c for c in text if c in "0123456789")
    return "0" + digits[2:] if text.lstrip().startswith("+61") else digits


def is_number(text: str) -> bool:
    """Tell whether a text consists of digits with the punctuation of phone numbers and ABNs."""
    characters = {*text}
    return not characters.isdisjoint(_DIGITS) and characters <= _IN_NUMBERS


def lines_of(texts: Iterable[str]) -> str:
    """Return texts as a search looks through them: folded, one a line, and numbers also as digits alone."""
    found = [*texts]
    # Also with Australia's prefix as written: a client may search for either.
    numbers = {d for t in found if is_number(t) for d in (digits_of(t), digits_of(t.replace("+", "")))}
    return "\n".join([*map(fold, found), *sorted(numbers)])


MOST_ADDED = 2_000  # characters of all texts of plugins: SQLite's one writer takes 2 ms to index a thousand
_ADDED = "\n\x1f\n"  # between a record's own texts in `search_text` and those of plugins


def with_added(own: str, added: str) -> str:
    """Return the `search_text` of a record with its own texts and those of plugins."""
    return f"{own}{_ADDED}{added[:MOST_ADDED]}" if added else own


def split_added(search_text: str) -> tuple[str, str]:
    """Return a record's own texts in its `search_text`, and those of plugins."""
    own, _, added = search_text.partition(_ADDED)
    return own, added


def search_condition(
    table: sa.Table, text: str, ctx: "Context | None" = None, *, within: sa.Column[str] | None = None
) -> sa.ColumnElement[bool]:
    """Match rows whose searched columns hold a text, ignoring case and accents, or its digits however spaced.

    On SQLite the index is queried immediately if `ctx` tells whose rows they are. `within` is a folded column: only
    what it holds counts then, and the searched columns, of which it is one, have the index.
    """
    if within is not None:
        return search_condition(table, text, ctx) & contains(within, text)
    texts = [text, digits_of(text)] if is_number(text) else [text]
    found: sa.ColumnElement[bool] = sa.or_(*(contains(table.c.search_text, each) for each in texts))
    return narrow_condition(ctx, table, texts, found) if ctx and ctx.db.dialect.name == "sqlite" else found


def newest_indexed(ctx: "Context", table: sa.Table, text: str, most: int, part: str = "") -> list[str] | None:
    """Return the ids of the rows that hold a text, of the newest that may hold it as SQLite's index knows them.

    The index is asked for a `part` of the text, if one is given. None if the database looks in its index by itself, if
    the text is too short for one, or if there is none.
    """
    if ctx.db.dialect.name != "sqlite":
        return None
    texts = {fold(text), digits_of(text)} if is_number(text) else {fold(text)}
    return _find_ids(ctx, table, [fold(part)] if part else sorted(texts), most, holding=sorted(texts))


def either(ctx: "Context", table: sa.Table, *conditions: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
    """Match rows for which one of several conditions holds, each found by its own index."""
    if ctx.db.dialect.name != "sqlite" or not any(map(is_narrowed, conditions)):
        return sa.or_(*conditions)
    # Without statistics SQLite would read all rows of the tenant instead of combining two indexes.
    own = table.c.tenant_id == ctx.tenant_id
    return table.c.id.in_(sa.union(*(sa.select(table.c.id).where(own, each) for each in conditions)))


def contains(folded_column: sa.ColumnElement[str], text: str) -> sa.ColumnElement[bool]:
    """Match rows whose folded column holds a text; no character in the text is special."""
    escaped = fold(text).replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")
    return folded_column.like(f"%{escaped}%", escape="\\")


def has_text(column: sa.Column[Any], ctx: "Context", key: str, text: str) -> sa.ColumnElement[bool]:
    """Match rows whose JSON map of texts holds `text` under `key`."""
    if ctx.db.dialect.name == "postgresql":
        return column.op("@>", is_comparison=True)(sa.bindparam(None, {key: text}, type_=column.type))
    # A JSON path would give quotes in the key a meaning.
    member = sa.func.json_each(column).table_valued("key", "value")
    return sa.exists().where(member.c.key == key, member.c.value == text)


def json_list_has(ctx: "Context", column: sa.Column[Any], text: str) -> sa.ColumnElement[bool]:
    """Match rows whose JSON list of texts holds `text`."""
    if ctx.db.dialect.name == "postgresql":
        return column.op("@>", is_comparison=True)(sa.bindparam(None, [text], type_=column.type))
    item = sa.func.json_each(column).table_valued("value")
    return sa.exists().where(item.c.value == text)


def among(ctx: "Context", column: sa.Column[Any], ids: sa.Select[Any]) -> sa.ColumnElement[bool]:
    """Match rows whose column holds one of the ids that a subquery finds."""
    if ctx.db.dialect.name == "postgresql":
        # Within an OR, PostgreSQL can use the column's index for an array, but not for a subquery.
        return column == sa.any_(sa.func.array(ids.scalar_subquery()))
    return column.in_(ids)


def bound_condition(ctx: "Context", column: sa.Column[Any], bound: str, value: Any) -> Condition:
    """Return the condition of a bound; a date bounds a time column by that whole day in the tenant's time zone."""
    if isinstance(column.type, UTCDateTime) and isinstance(value, date) and not isinstance(value, datetime):
        zone = ctx.tenant.timezone
        if bound == "to":
            return Condition(column, lt, (Moment.start_of(day_after(value), zone),))
        value = Moment.start_of(value, zone)
    return Condition(column, ge if bound == "from" else le, (value,))


def match_selected(
    ctx: "Context", column: sa.Column[Any], selects: Iterable[sa.Select[Any]]
) -> Iterable[sa.ColumnElement[bool]]:
    """Match the rows with the ids that each of these finds in another table.

    If a table finds few ids, they are fetched, so that only their rows are read; each is then looked up in the others.
    """
    many, is_narrow = list[sa.Select[Any]](), False
    for ids in selects:
        few = ctx.db.execute(ids.limit(sa.literal_column(str(_FEW + 1)))).scalars().all()
        if len(few) > _FEW:
            many.append(ids.order_by(None))
            continue
        is_narrow = True
        if ctx.db.dialect.name == "postgresql":
            yield column == sa.any_(sa.bindparam(None, [*few], type_=ARRAY(sa.Text)))
        else:
            yield _match_ids(column, few)
    for ids in many:
        (id,) = ids.selected_columns
        yield ids.where(id == column).exists() if is_narrow else column.in_(ids)


_FEW = 1_000  # ids that are quicker looked up one by one than all rows are read


MOST = 5_000  # If more rows may hold a text, reading all rows is quicker than fetching them one by one.
_TRIGRAM = 3  # letters that an index needs
_MOST_TRIGRAMS = 32  # looked up for a text: the rows found are read anyway
_RANGE = 1 << 32  # the numbers of one tenant's rows


class FoundIds(sa.Text):
    """The type of a parameter with the ids that the index found."""


def narrow_condition(
    ctx: "Context", table: sa.Table, texts: Iterable[str], condition: sa.ColumnElement[bool]
) -> sa.ColumnElement[bool]:
    """Restrict a condition that needs one of the texts in `search_text` to the rows that the index finds."""
    ids = _find_ids(ctx, table, [fold(text) for text in texts])
    if ids is None:
        return condition
    return _match_ids(table.c.id, ids) & condition


def _match_ids(column: sa.Column[Any], ids: Sequence[str]) -> sa.ColumnElement[bool]:
    found = sa.bindparam("found", msgspec.json.encode([*ids]).decode(), type_=FoundIds(), unique=True)
    return column.in_(sa.select(sa.func.json_each(found).table_valued("value").c.value))


def is_narrowed(condition: sa.ColumnElement[bool]) -> bool:
    """Tell whether a condition, or a part of it, names the rows that the index found."""
    parts = sa.sql.visitors.iterate(condition)
    return any(isinstance(part, sa.BindParameter) and isinstance(part.type, FoundIds) for part in parts)


def build_index(connection: sa.Connection, table: str) -> bool:
    """Rebuild the index of a table's `search_text`; return whether this SQLite can, which takes version 3.34.

    Of an index that lacks nothing but a trigger of this release, only that is made anew.
    """
    names = _name_parts(table)
    if _find_triggers(connection, table).keys() == _TRIGGERS:
        connection.exec_driver_sql(f'DROP TRIGGER "ix_{table}_search_insert"')
        connection.exec_driver_sql(_ON_INSERT.format(**names))
        return True
    drop_index(connection, table)
    try:
        with connection.begin_nested():
            for statement in _BUILD:
                connection.exec_driver_sql(statement.format(**names))
    except sa.exc.OperationalError:
        return False
    return True


def drop_index(connection: sa.Connection, table: str) -> None:
    """Remove a table's index, if it has one."""
    for when in _TRIGGERS:
        connection.exec_driver_sql(f'DROP TRIGGER IF EXISTS "ix_{table}_search_{when}"')
    for name in (f"ix_{table}_search", f"ix_{table}_search_rows"):
        connection.exec_driver_sql(f'DROP TABLE IF EXISTS "{name}"')


def unindexed_tables(connection: sa.Connection, tables: Iterable[str]) -> list[str]:
    """List the tables that exist without an index, or whose triggers are of an earlier release or were lost."""
    there = sa.select(sa.column("name", sa.Text)).select_from(sa.table("sqlite_master"))
    names = {*connection.execute(there.where(sa.column("type", sa.Text) == "table")).scalars()}
    return [table for table in tables if table in names and not _is_indexed(connection, table)]


def index_ahead(connection: sa.Connection, tenant_id: str, table: str, texts: Mapping[str, str]) -> bool:
    """Index the texts of rows that are inserted later, by their ids; return False if SQLite does not index the table.

    Nothing finds them until their rows are there: only the order of the index knows of them.
    """
    if not _is_indexed(connection, table):
        return False
    given = {"tenant_id": tenant_id, "texts": msgspec.json.encode([*texts.items()]).decode()}
    for statement in _INDEX_AHEAD:
        connection.execute(sa.text(statement.format(**_name_parts(table, ":tenant_id"))), given)
    return True


def forget_ahead(connection: sa.Connection, tenant_id: str, table: str, texts: Mapping[str, str]) -> None:
    """Remove what `index_ahead` indexed, of rows that were never inserted."""
    if not _is_indexed(connection, table):
        return  # it was built anew since, of the rows that are there
    given = {"tenant_id": tenant_id, "texts": msgspec.json.encode([*texts.items()]).decode()}
    for statement in _FORGET_AHEAD:
        connection.execute(sa.text(statement.format(**_name_parts(table))), given)


def _name_parts(table: str, tenant_id: str = "new.tenant_id") -> dict[str, str]:
    """Return what stands for the braces in the statements below."""
    names = {"table": table, "index": f"ix_{table}_search", "range": str(_RANGE)}
    place = _PLACE.format(**names, tenant_id=tenant_id)
    return {**names, "given": _GIVEN, "next": _NEXT.format(**names, place=place)}


def _is_indexed(connection: sa.Connection, table: str) -> bool:
    triggers = _find_triggers(connection, table)
    return triggers.keys() == _TRIGGERS and "NOT EXISTS" in triggers["insert"]


def _find_triggers(connection: sa.Connection, table: str) -> dict[str, str]:
    """Return the statements of the triggers that keep a table's index, by what they follow."""
    name, sql = sa.column("name", sa.Text), sa.column("sql", sa.Text)
    kept = sa.select(name, sql).select_from(sa.table("sqlite_master"))
    found = connection.execute(kept.where(name.in_([f"ix_{table}_search_{when}" for when in sorted(_TRIGGERS)]))).all()
    return {row.name.rpartition("_")[2]: row.sql for row in found}


def _find_ids(
    ctx: "Context", table: sa.Table, texts: Sequence[str], most: int = MOST, holding: Sequence[str] = ()
) -> list[str] | None:
    """Return the ids of a tenant's rows that may hold one of the folded texts; None if all rows must be read.

    With `holding`, they are those of the newest rows, at most `most`, that do hold one of these.
    """
    if any(len(text) < _TRIGRAM for text in texts):
        return None
    given = {"tenant_id": ctx.tenant_id, "asked": " OR ".join(f"({_build_trigram_query(text)})" for text in texts)}
    given |= {f"holding{i}": text for i, text in enumerate(holding)}
    try:
        ids = [row.id for row in _build_search(table.name, most, len(holding)).all(ctx.db, given)]
    except sa.exc.OperationalError as error:
        if "no such table" in str(error.orig):  # not migrated yet, or made by an SQLite that cannot index it
            return None
        raise
    return ids if holding or len(ids) <= most else None


def _build_trigram_query(text: str) -> str:
    """Return the FTS5 query for rows that hold the trigrams of a text, in any place."""
    trigrams = dict.fromkeys(text[i : i + 3] for i in range(len(text) - 2))
    return " AND ".join('"' + trigram.replace('"', '""') + '"' for trigram in [*trigrams][:_MOST_TRIGRAMS])


@lru_cache(1024)
def _build_search(table: str, most: int, holding: int) -> Statement:
    name, tenant_id = f"ix_{table}_search", sa.bindparam("tenant_id", type_=sa.Text)
    index = sa.table(name, sa.column("rowid", sa.BigInteger), sa.column(name, sa.Text))
    rows = sa.table(f"{name}_rows", *(sa.column(c) for c in ("place", "tenant_id", "id")))
    some = sa.select(rows.c.place).where(rows.c.tenant_id == tenant_id).limit(1).scalar_subquery()
    first = sa.func.coalesce(some - some.op("%")(sa.literal_column(str(_RANGE))), 0)
    matching = [
        index.c[name].op("MATCH", is_comparison=True)(sa.bindparam("asked", type_=sa.Text)),
        index.c.rowid >= first,
        index.c.rowid < first + sa.literal_column(str(_RANGE)),
    ]
    # As an expression, or SQLite would read all rows of the tenant instead of those found.
    own = rows.c.tenant_id.op("||")(sa.literal_column("''")) == tenant_id
    if not holding:
        found = sa.select(index.c.rowid).where(*matching).limit(sa.literal_column(str(most + 1)))
        return Statement(sa.select(rows.c.id).where(rows.c.place.in_(found), own))
    # Those that were indexed ahead of their rows would take the places of rows that are there.
    records = sa.table(table, *(sa.column(c, sa.Text) for c in ("tenant_id", "id", "search_text")))
    its = index.join(rows, rows.c.place == index.c.rowid).join(
        records, (records.c.tenant_id == rows.c.tenant_id) & (records.c.id == rows.c.id)
    )
    newest = sa.select(rows.c.id, records.c.search_text).select_from(its).where(*matching, own)
    newest_ = newest.order_by(index.c.rowid.desc()).limit(sa.literal_column(str(most))).subquery()
    # Not LIKE, for which SQLite would prepare the statement anew with each text.
    holds = (sa.func.instr(newest_.c.search_text, sa.bindparam(f"holding{i}")) > 0 for i in range(holding))
    return Statement(sa.select(newest_.c.id).where(sa.or_(*holds)))


_PLACE = '(SELECT place FROM "{index}_rows" WHERE tenant_id = {tenant_id} LIMIT 1)'
_TRIGGERS = {"insert", "update", "delete"}
_NEXT = """coalesce(
            (SELECT max(place) + 1 FROM "{index}_rows"
                WHERE place >= {place} / {range} * {range} AND place < ({place} / {range} + 1) * {range}),
            (SELECT (coalesce(max(place), 0) / {range} + 1) * {range} FROM "{index}_rows"))"""
# What was indexed ahead of its row is not indexed again.
_ON_INSERT = """CREATE TRIGGER "{index}_insert" AFTER INSERT ON "{table}"
        WHEN NOT EXISTS (SELECT 1 FROM "{index}_rows" WHERE tenant_id = new.tenant_id AND id = new.id) BEGIN
        INSERT INTO "{index}_rows" (place, tenant_id, id) VALUES ({next}, new.tenant_id, new.id);
        INSERT INTO "{index}" (rowid, search_text) SELECT place, new.search_text
            FROM "{index}_rows" WHERE tenant_id = new.tenant_id AND id = new.id;
        END"""
_GIVEN = """(SELECT json_extract(value, '$[0]') AS id, json_extract(value, '$[1]') AS search_text, "key" AS number
        FROM json_each(:texts)) AS given"""
_INDEX_AHEAD = (
    """INSERT INTO "{index}_rows" (place, tenant_id, id) SELECT {next} + number, :tenant_id, given.id FROM {given}""",
    """INSERT INTO "{index}" (rowid, search_text) SELECT place, given.search_text
        FROM {given} JOIN "{index}_rows" AS kept ON kept.tenant_id = :tenant_id AND kept.id = given.id""",
)
_FORGET_AHEAD = (
    """INSERT INTO "{index}" ("{index}", rowid, search_text) SELECT 'delete', place, given.search_text
        FROM {given} JOIN "{index}_rows" AS kept ON kept.tenant_id = :tenant_id AND kept.id = given.id""",
    """DELETE FROM "{index}_rows" WHERE tenant_id = :tenant_id AND id IN (SELECT id FROM {given})""",
)
_BUILD = (
    """CREATE TABLE "{index}_rows" (
        place INTEGER PRIMARY KEY, tenant_id TEXT NOT NULL, id TEXT NOT NULL, UNIQUE (tenant_id, id))""",
    """CREATE VIRTUAL TABLE "{index}" USING fts5(
        search_text, content='', detail=none, columnsize=0, tokenize='trigram case_sensitive 1')""",
    """INSERT INTO "{index}_rows" (place, tenant_id, id)
        SELECT dense_rank() OVER (ORDER BY tenant_id) * {range}
            + row_number() OVER (PARTITION BY tenant_id ORDER BY id), tenant_id, id FROM "{table}\"""",
    """INSERT INTO "{index}" (rowid, search_text)
        SELECT place, search_text FROM "{index}_rows" JOIN "{table}" USING (tenant_id, id) ORDER BY place""",
    _ON_INSERT,
    """CREATE TRIGGER "{index}_update" AFTER UPDATE OF search_text ON "{table}"
        WHEN old.search_text IS NOT new.search_text BEGIN
        INSERT INTO "{index}" ("{index}", rowid, search_text) SELECT 'delete', place, old.search_text
            FROM "{index}_rows" WHERE tenant_id = old.tenant_id AND id = old.id;
        INSERT INTO "{index}" (rowid, search_text) SELECT place, new.search_text
            FROM "{index}_rows" WHERE tenant_id = new.tenant_id AND id = new.id;
        END""",
    """CREATE TRIGGER "{index}_delete" AFTER DELETE ON "{table}" BEGIN
        INSERT INTO "{index}" ("{index}", rowid, search_text) SELECT 'delete', place, old.search_text
            FROM "{index}_rows" WHERE tenant_id = old.tenant_id AND id = old.id;
        DELETE FROM "{index}_rows" WHERE tenant_id = old.tenant_id AND id = old.id;
        END""",
)
