"""The handler of the search: one statement finds the ids in all resources, and each list shows what it may."""

from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from msgspec import Struct

from billycan import BadRequest, Context, Named, own
from billycan.sql import Statement, fold

from .schemas import FoundRecord, SearchQuery
from .searched import Searched, asked_resources
from .similar import is_long_enough, may_hold_similar, pattern_of

# Of each resource: those that contain the text are ranked, and of a short one, which no index finds, the newest.
MOST_RANKED = 2_000
MOST_SIMILAR = 500
_INDEXED = 3  # letters from which on an index finds a text
_EXACT, _BEGINS, _WORD, _WITHIN = range(4)
_DIGITS = frozenset("0123456789 +()./-")


def search_records(ctx: Context, query: SearchQuery) -> list[FoundRecord]:
    """Find records of every resource that the key may read, archived and void ones too.

    What is exactly the text comes first: a number, a reference, a name, an email address or a phone number, however it
    is spaced. Then come texts and words that begin with it, then those that contain it; case, accents and the kind of
    apostrophe do not matter. If nothing is found, records with a similar text are: two letters swapped, or one missing,
    wrong or too many. Of a text with fewer than three letters, the newest 2,000 records of each resource are searched.
    The key needs the read scope of each resource in `types`; otherwise `insufficient_scope`.
    """
    text = query.q.strip()
    if not text:
        raise BadRequest("q: write what to search for.", code="invalid_parameter", param="q")
    asked = asked_resources(ctx, query.types)
    with ctx.one_moment():
        found = _find(ctx, asked, text, query.per_type) or _find_similar(ctx, asked, text, query.per_type)
        return [*_shown(ctx, asked, found)]


Place = tuple[int, int, str]
"""How well a record fits, the place of its resource, and its id."""


def _find(ctx: Context, asked: Sequence[Searched], text: str, most: int) -> list[Place]:
    """Return the places of the records that contain the text, the best first."""
    parts = [_ranked(ctx, place, each.table, text, most) for place, each in enumerate(asked)]
    rows = ctx.db.execute(_together(parts)).all()
    return sorted(((row.rank, row.place, row.id) for row in rows), key=_newest_first)


def _newest_first(place: Place) -> Any:
    rank, resource, id = place
    return rank, resource, tuple(-ord(letter) for letter in id)


def _ranked(ctx: Context, place: int, table: sa.Table, text: str, most: int) -> sa.Select[Any]:
    rows = _candidates(ctx, table, text).subquery()
    kept = sa.literal("\n") + rows.c.search_text + sa.literal("\n")
    texts = _texts(text)
    is_number = rows.c.sequence == _number(text) if text.isdecimal() else sa.false()
    rank = sa.case(
        (is_number | _has(kept, (f"\n{each}\n" for each in texts)), _EXACT),
        (_has(kept, (f"\n{each}" for each in texts)), _BEGINS),
        (_has(kept, (f" {each}" for each in texts)), _WORD),
        else_=_WITHIN,
    )
    ranked = sa.select(sa.literal_column(str(place)).label("place"), rows.c.id, rank.label("rank"))
    return ranked.order_by(sa.text("rank"), rows.c.id.desc()).limit(most)


def _candidates(ctx: Context, table: sa.Table, text: str) -> sa.Select[Any]:
    sequence = table.c.get("sequence", sa.literal_column("0"))
    columns = table.c.id, table.c.search_text, sequence.label("sequence")
    of_tenant, holds = own(ctx, table), ctx.search_condition(table, text)
    if len(fold(text)) >= _INDEXED:
        rows = sa.select(*columns).where(of_tenant, holds).limit(MOST_RANKED)
    else:
        newest = sa.select(*columns).where(of_tenant).order_by(table.c.id.desc()).limit(MOST_RANKED).subquery()
        rows = sa.select(newest).where(_has(newest.c.search_text, _texts(text)))
    if "sequence" not in table.c or not (number := _number(text)):
        return rows
    # The record with that number is found, however many others contain the digits.
    numbered = sa.select(*columns).where(of_tenant, table.c.sequence == number, _has(table.c.search_text, _texts(text)))
    return sa.select(sa.union(sa.select(rows.subquery()), numbered).subquery())


def _texts(text: str) -> set[str]:
    return {fold(text), *_digits(text)}


def _digits(text: str) -> Iterable[str]:
    """Yield the digits of a phone number or an ABN, however it is written."""
    if {*text} <= _DIGITS and (digits := "".join(filter(str.isdigit, text))):
        yield f"0{digits[2:]}" if text.startswith("+61") else digits


def _number(text: str) -> int:
    """Return the number at the end of `42` or `INV-0042`; 0 where there is none."""
    digits = text[len(text.rstrip("0123456789")) :]
    return int(digits) if 0 < len(digits) <= 9 else 0


def _has(column: sa.ColumnElement[str], texts: Iterable[str]) -> sa.ColumnElement[bool]:
    return sa.or_(*(column.contains(each, autoescape=True) for each in sorted(texts)))


def _find_similar(ctx: Context, asked: Sequence[Searched], text: str, most: int) -> list[Place]:
    """Return the places of records with a similar text, where none has the text itself."""
    text = fold(text)
    if not is_long_enough(text):
        return []
    parts = []
    for place, each in enumerate(asked):
        c = each.table.c
        rows = sa.select(sa.literal_column(str(place)).label("place"), c.id, c.search_text).where(own(ctx, each.table))
        if len(text) < 2 * _INDEXED:
            parts.append(rows.order_by(c.id.desc()).limit(MOST_SIMILAR))
        else:
            parts.append(rows.where(may_hold_similar(ctx, each.table, text)).limit(MOST_SIMILAR))
    similar, found = pattern_of(text), list[Place]()
    for row in ctx.in_turns(ctx.db.execute(_together(parts)).all()):
        if similar.search(row.search_text):
            found.append((_WITHIN, row.place, row.id))
    found.sort(key=_newest_first)
    taken = [0] * len(asked)
    kept = []
    for rank, place, id in found:
        taken[place] += 1
        if taken[place] <= most:
            kept.append((rank, place, id))
    return kept


def _together(parts: Sequence[sa.Select[Any]]) -> Any:
    """Return one statement of all parts. PostgreSQL plans it for its texts, some of which are in many rows."""
    each = [sa.select(part.subquery()) for part in parts]
    return sa.union_all(*each).execution_options(**{Statement.PLANNED_ANEW: True})


def _shown(ctx: Context, asked: Sequence[Searched], found: Sequence[Place]) -> Iterable[FoundRecord]:
    """Yield what is shown of records, as their lists have them; what these do not show is left out."""
    records = dict[str, Any]()
    for place, each in enumerate(asked):
        records |= ctx.app.read_records(ctx, each.path, [id for _, of, id in found if of == place], each.members)
    for _, place, id in found:
        if (record := records.get(id)) is not None:
            yield _show(ctx, asked[place], record)


def _show(ctx: Context, of: Searched, record: Struct) -> FoundRecord:
    titles = [text for name in of.titles if (text := _text(record, name))]
    client = getattr(record, "client", None)
    others = [*titles[1:], *([client.name] if isinstance(client, Named) else [])]
    others = others or [text for name in of.said if (text := _text(record, name)) and text not in titles]
    whose = client.name if isinstance(client, Named) else ""
    return FoundRecord(
        type=of.name,
        id=record.id,  # type: ignore[attr-defined]
        title=titles[0] if titles else whose or record.id,  # type: ignore[attr-defined]
        subtitle=" · ".join(dict.fromkeys(others[:2])) or None if titles else None,
        status=getattr(record, of.status) if of.status else None,
        amount=next((amount for name in of.amounts if (amount := getattr(record, name)) is not None), None),
        date=next((day for name in of.dates if (day := _day(ctx, getattr(record, name))) is not None), None),
    )


def _text(record: Struct, name: str) -> str:
    value = getattr(record, name, None)
    return value.partition("\n")[0][:200] if isinstance(value, str) else ""


def _day(ctx: Context, value: Any) -> date | None:
    if isinstance(value, datetime):
        return value.astimezone(ZoneInfo(ctx.tenant.timezone)).date()
    return value if isinstance(value, date) else None
