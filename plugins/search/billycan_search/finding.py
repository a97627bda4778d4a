"""Finding records by a text: one statement over all resources, which gives the best of each."""

import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

import sqlalchemy as sa

from billycan import Context, own
from billycan.sql import Statement, counters, fold

from .schemas import MOST_PER_TYPE
from .searched import Searched, searched_resources
from .similar import is_long_enough, parts_of, pattern_of

# Of each resource: those that contain the text are ranked, and of a short one, which no index finds, the newest are
# looked at; of a similar text, those that contain a part of it.
MOST_RANKED = 1_000
MOST_SIMILAR = 300
_INDEXED = 3  # letters from which on an index finds a text
_FEW_HAVE = 5, 6  # the last digits of a number: at least so many tell it from most others, and so many are looked up
_PARTS = 3  # of three digits each, which those that are looked up have at least: `000000` has one
# So many rows of a business take PostgreSQL longer to read beside some digits, and unless all have more times as many,
# longer than those of all businesses.
_MANY, _MOST_TIMES = 50_000, 4
_EXACT, _BEGINS, _WORD, _WITHIN, _OF_CLIENT = range(5)
_CLIENTS = "contacts"
_DIGITS = frozenset("0123456789 +()./-")
_TEXT = sa.Text()

Place = tuple[int, int, str]
"""How well a record fits, the place of its resource, and its id."""


def find_places(ctx: Context, asked: Sequence[Searched], text: str, most: int) -> list[Place]:
    """Return the places of the records that contain a text, the best first: at most so many of each resource.

    Those of the clients that are found come last: a job or a draft does not have its client's name.
    """
    found = _find_own(ctx, asked, text, most)
    whose = searched_resources(ctx.app).get(_CLIENTS)
    if whose is None or not ctx.holds(whose.scope):
        return found
    own = found if whose in asked else _find_own(ctx, [whose], text, most)
    place = asked.index(whose) if whose in asked else 0
    clients = [id for _, of, id in own if of == place]
    return [*found, *_find_of_clients(ctx, asked, clients, found, most)] if clients else found


def find_own_places(ctx: Context, asked: Sequence[Searched], text: str, most: int) -> list[Place]:
    """Return the places of the newest of the caller's own records that contain a text, at most so many of each
    resource.
    """
    found = list[Place]()
    for place, table in enumerate(each.table for each in asked):
        its = own(ctx, table) & table.c.id.in_(ctx.own_ids(table.info["prefix"]))
        rows = sa.select(table.c.id).where(its, ctx.search_condition(table, text)).order_by(table.c.id.desc())
        found += ((_WITHIN, place, id) for id in ctx.db.execute(rows.limit(most)).scalars())
    return found


def _find_of_clients(
    ctx: Context, asked: Sequence[Searched], clients: Sequence[str], found: Sequence[Place], most: int
) -> list[Place]:
    """Return the places of the newest records of these clients, besides those found already."""
    named = [(place, each.table) for place, each in enumerate(asked) if "client_id" in each.table.c]
    if not named:
        return []
    ids = [*clients[:MOST_PER_TYPE], *[clients[0]] * (MOST_PER_TYPE - len(clients))]
    given = {"tenant_id": ctx.tenant_id, "most": most} | {f"client{i}": id for i, id in enumerate(ids)}
    left = [most - sum(of == place for _, of, _ in found) for place in range(len(asked))]
    known, kept = {id for _, _, id in found}, list[Place]()
    for row in _of_clients(tuple(named)).all(ctx.db, given):
        if row.id not in known and left[row.place] > 0:
            left[row.place] -= 1
            kept.append((_OF_CLIENT, row.place, row.id))
    return sorted(kept, key=_newest_first)


@lru_cache(256)
def _of_clients(named: tuple[tuple[int, sa.Table], ...]) -> Statement:
    parts = []
    for place, table in named:
        clients = [sa.bindparam(f"client{i}", type_=table.c.client_id.type) for i in range(MOST_PER_TYPE)]
        rows = sa.select(_literal_number(place).label("place"), table.c.id).where(
            table.c.tenant_id == sa.bindparam("tenant_id", type_=sa.Text), table.c.client_id.in_(clients)
        )
        newest = rows.order_by(table.c.id.desc()).limit(sa.bindparam("most", type_=sa.Integer))
        parts.append(sa.select(newest.subquery()))
    return _build_union(parts)


def _find_own(ctx: Context, asked: Sequence[Searched], text: str, most: int) -> list[Place]:
    """Return the places of the records that contain a text themselves."""
    texts = sorted({fold(text), *_digits_in(text)})
    number = _number_at_end(text)
    sources, given = _choose_sources(ctx, asked, texts, MOST_RANKED)
    given |= {"most": most, "number": number if text.isdecimal() else 0, "sequence": number}
    for i, each in enumerate(map(_escape_like, texts)):
        given |= {f"exact{i}": f"%\n{each}\n%", f"begins{i}": f"%\n{each}%", f"word{i}": f"% {each}%"}
    statement = _build_ranking(tuple(each.table for each in asked), sources, len(texts), number > 0)
    return sorted(((row.rank, row.place, row.id) for row in statement.all(ctx.db, given)), key=_newest_first)


def find_similar_places(ctx: Context, asked: Sequence[Searched], text: str, most: int) -> list[Place]:
    """Return the places of records with a similar text."""
    text = fold(text)
    if not is_long_enough(text):
        return []
    similar, found = pattern_of(text), set[Place]()
    for part in parts_of(text):
        sources, given = _choose_sources(ctx, asked, [part], MOST_SIMILAR)
        rows = _build_holding(tuple(each.table for each in asked), sources).all(ctx.db, given)
        found |= {(_WITHIN, row.place, row.id) for row in ctx.in_turns(rows) if similar.search(row.search_text)}
    taken, kept = [0] * len(asked), list[Place]()
    for place in sorted(found, key=_newest_first):
        taken[place[1]] += 1
        if taken[place[1]] <= most:
            kept.append(place)
    return kept


def _choose_sources(
    ctx: Context, asked: Sequence[Searched], texts: Sequence[str], most: int
) -> tuple[tuple[str, ...], dict[str, Any]]:
    """Say for each resource where to look, and return the parameters: in some `ids`, in all rows, in those with some
    `digits`, in those of all businesses (`digits of all`), or in the newest.
    """
    given: dict[str, Any] = {"tenant_id": ctx.tenant_id, "rows": most}
    given |= {f"any{i}": f"%{_escape_like(each)}%" for i, each in enumerate(texts)}
    if any(len(each) < _INDEXED for each in texts):
        return ("newest",) * len(asked), given
    digits = _last_digits(texts)
    given["digits"] = f"%{digits}%"
    have_few = frozenset(each.table.name for each in asked if digits and "sequence" in each.table.c)
    mostly_own = _find_mostly_own(ctx, have_few)
    sources = list[str]()
    for place, each in enumerate(asked):
        # All records with a number share most parts of it, such as `inv` and `001`: the last digits are few records'.
        name = each.table.name
        found = [ctx.newest_indexed(each.table, text, most, digits if name in have_few else "") for text in texts]
        if None in found:
            sources.append("digits of all" if name in mostly_own else "digits" if name in have_few else "all")
        else:
            sources.append("ids")
            given[f"ids{place}"] = json.dumps([id for ids in found for id in ids or ()])
    return tuple(sources), given


def _find_mostly_own(ctx: Context, tables: frozenset[str]) -> set[str]:
    """Return those of the tables on PostgreSQL in which the business has many rows, and a large part of all.

    PostgreSQL's index has a list of the rows of each business, which it reads from end to end beside those of the
    digits: 3.4 ms for a million. Without it, the rows of all businesses with the digits are read: 0.4 to 0.8 ms.
    """
    if not tables or ctx.db.dialect.name != "postgresql":
        return set()
    own_rows, all_rows = _build_counts(tables)
    counted = own_rows.all(ctx.db, {"tenant_id": ctx.tenant_id})
    many = {row.name: row.live for row in counted if row.live >= _MANY}
    sizes = {row.relname: row.reltuples for row in all_rows.all(ctx.db, {})} if many else {}
    # Of a table that PostgreSQL has not looked at since it grew, nothing is known.
    return {name for name, rows in many.items() if rows < 2 * sizes.get(name, 0) < 2 * _MOST_TIMES * rows}


@lru_cache(64)
def _build_counts(tables: frozenset[str]) -> tuple[Statement, Statement]:
    """Return a statement for the business's rows of each table, and one for all as PostgreSQL last estimated them."""
    names = [sa.literal_column(f"'{name}'", sa.Text) for name in sorted(tables)]
    c, of = counters.c, sa.table("pg_class", *map(sa.column, ("oid", "relname", "reltuples"))).c
    own_rows = sa.select(c.name, c.live).where(c.tenant_id == sa.bindparam("tenant_id"), c.name.in_(names))
    is_seen = sa.func.pg_table_is_visible(of.oid)
    return Statement(own_rows), Statement(sa.select(of.relname, of.reltuples).where(of.relname.in_(names), is_seen))


@lru_cache(512)
def _build_ranking(tables: tuple[sa.Table, ...], sources: tuple[str, ...], texts: int, has_number: bool) -> Statement:
    parts = []
    for place, (table, source) in enumerate(zip(tables, sources, strict=True)):
        rows = _select_rows(table, source, place, texts)
        if has_number and "sequence" in table.c:  # found by its index, however many others contain the digits
            number = sa.bindparam("sequence", type_=sa.BigInteger)
            numbered = _select_own(table).where(
                table.c.sequence == number, _holds_text(table.c.search_text, "any", texts)
            )
            rows = sa.select(sa.union(sa.select(rows.subquery()), numbered).subquery())
        found = rows.subquery()
        end = sa.literal_column("'\n'", sa.Text)
        kept = end + found.c.search_text + end
        is_number = found.c.sequence == sa.func.nullif(sa.bindparam("number", type_=sa.BigInteger), 0)
        rank = sa.case(
            (is_number | _holds_text(kept, "exact", texts), _literal_number(_EXACT)),
            (_holds_text(kept, "begins", texts), _literal_number(_BEGINS)),
            (_holds_text(kept, "word", texts), _literal_number(_WORD)),
            else_=_literal_number(_WITHIN),
        )
        best = sa.select(_literal_number(place).label("place"), found.c.id, rank.label("rank"))
        best = best.order_by(sa.text("rank"), found.c.id.desc()).limit(sa.bindparam("most", type_=sa.Integer))
        parts.append(sa.select(best.subquery()))
    return _build_union(parts)


@lru_cache(512)
def _build_holding(tables: tuple[sa.Table, ...], sources: tuple[str, ...]) -> Statement:
    found = [
        _select_rows(table, source, place, 1).subquery() for place, (table, source) in _number_sources(tables, sources)
    ]
    return _build_union(
        [sa.select(_literal_number(i).label("place"), each.c.id, each.c.search_text) for i, each in enumerate(found)]
    )


def _number_sources(tables: Sequence[sa.Table], sources: Sequence[str]) -> Iterable[tuple[int, tuple[sa.Table, str]]]:
    return enumerate(zip(tables, sources, strict=True))


def _build_union(parts: Sequence[Any]) -> Statement:
    """Return one statement of all parts. PostgreSQL plans it for its texts, some of which are in many rows."""
    return Statement(sa.union_all(*parts).execution_options(**{Statement.PLANNED_ANEW: True}))


def _select_rows(table: sa.Table, source: str, place: int, texts: int) -> sa.Select[Any]:
    """Select the rows of a resource that hold one of the texts, where its source says."""
    most = sa.bindparam("rows", type_=sa.Integer)
    if source == "newest":
        newest = _select_own(table).order_by(table.c.id.desc()).limit(most).subquery()
        return sa.select(newest).where(_holds_text(newest.c.search_text, "any", texts))
    if source.startswith("digits"):
        # PostgreSQL's index finds the digits; with nothing added to the column, it would look for the whole text, too.
        whole = _holds_text(table.c.search_text + "", "any", texts)
        # The index is by the collation C: for POSIX, which is the same, PostgreSQL does not ask it whose the rows are.
        rows = _select_own(table, sa.Text(collation="POSIX" if source == "digits of all" else None))
        return rows.where(_holds_pattern(table.c.search_text, "digits"), whole).limit(most)
    rows = _select_own(table).where(_holds_text(table.c.search_text, "any", texts))
    if source == "all":
        return rows.limit(most)
    ids = sa.func.json_each(sa.bindparam(f"ids{place}", type_=sa.Text)).table_valued("value")
    return rows.where(table.c.id.in_(sa.select(ids.c.value)))


def _select_own(table: sa.Table, kind: sa.Text = _TEXT) -> sa.Select[Any]:
    sequence = table.c.get("sequence", _literal_number(0))
    rows = sa.select(table.c.id, table.c.search_text, sequence.label("sequence"))
    return rows.where(table.c.tenant_id == sa.bindparam("tenant_id", type_=kind))


def _holds_text(column: sa.ColumnElement[str], name: str, texts: int) -> sa.ColumnElement[bool]:
    return sa.or_(*(_holds_pattern(column, f"{name}{i}") for i in range(texts)))


def _holds_pattern(column: sa.ColumnElement[str], name: str) -> sa.ColumnElement[bool]:
    return column.like(sa.bindparam(name, type_=sa.Text), escape="\\")


def _literal_number(number: int) -> sa.ColumnElement[int]:
    return sa.literal_column(str(number), sa.Integer)


def _escape_like(text: str) -> str:
    return text.replace("\\", r"\\").replace("%", r"\%").replace("_", r"\_")


def _digits_in(text: str) -> Iterable[str]:
    """Yield the digits of a phone number or an ABN, however it is written."""
    if {*text} <= _DIGITS and (digits := "".join(filter(str.isdigit, text))):
        yield f"0{digits[2:]}" if text.startswith("+61") else digits


def _number_at_end(text: str) -> int:
    """Return the number at the end of `42` or `INV-0042`; 0 where there is none."""
    digits = text[len(text.rstrip("0123456789")) :]
    return int(digits) if 0 < len(digits) <= 9 else 0


def _last_digits(texts: Sequence[str]) -> str:
    """Return the last digits of a number that few records have; nothing if a text is no such number."""
    found = re.fullmatch(r"(?:[a-z]+-)?([0-9]+)", texts[0]) if len(texts) == 1 else None
    least, most = _FEW_HAVE
    if not found or len(number := found[1]) < least:
        return ""
    while most < len(number) and len({number[i : i + 3] for i in range(len(number) - most, len(number) - 2)}) < _PARTS:
        most += 1
    return number[-most:]


def _newest_first(place: Place) -> Any:
    rank, resource, id = place
    return rank, resource, tuple(-ord(letter) for letter in id)
