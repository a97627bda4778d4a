"""Conditions of filters and searches, for both databases."""

from collections.abc import Iterable
from datetime import date, datetime
from operator import ge, le, lt
from typing import Any

import sqlalchemy as sa

from .context import Context
from .db import UTCDateTime
from .folding import digits_of, fold
from .moments import day_after, start_of_day
from .pages import Condition
from .searching import is_narrowed, narrow_condition


def stored_texts(value: Any) -> Iterable[str]:
    """Yield all texts within a stored value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from stored_texts(part)


def is_number(text: str) -> bool:
    """Tell whether a text consists of digits with the punctuation of phone numbers and ABNs."""
    return any(c in "0123456789" for c in text) and all(c in "0123456789 +()./-" for c in text)


def search_condition(table: sa.Table, text: str, ctx: Context | None = None) -> sa.ColumnElement[bool]:
    """Match rows whose searched columns hold a text, ignoring case and accents, or its digits however spaced.

    On SQLite the index is queried immediately if `ctx` tells whose rows they are.
    """
    texts = [text, digits_of(text)] if is_number(text) else [text]
    found: sa.ColumnElement[bool] = sa.or_(*(contains(table.c.search_text, each) for each in texts))
    return narrow_condition(ctx, table, texts, found) if ctx and ctx.db.dialect.name == "sqlite" else found


def either(ctx: Context, table: sa.Table, *conditions: sa.ColumnElement[bool]) -> sa.ColumnElement[bool]:
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


def has_text(column: sa.Column[Any], ctx: Context, key: str, text: str) -> sa.ColumnElement[bool]:
    """Match rows whose JSON map of texts holds `text` under `key`."""
    if ctx.db.dialect.name == "postgresql":
        return column.op("@>", is_comparison=True)(sa.bindparam(None, {key: text}, type_=column.type))
    # A JSON path would give quotes in the key a meaning.
    member = sa.func.json_each(column).table_valued("key", "value")
    return sa.exists().where(member.c.key == key, member.c.value == text)


def json_list_has(ctx: Context, column: sa.Column[Any], text: str) -> sa.ColumnElement[bool]:
    """Match rows whose JSON list of texts holds `text`."""
    if ctx.db.dialect.name == "postgresql":
        return column.op("@>", is_comparison=True)(sa.bindparam(None, [text], type_=column.type))
    item = sa.func.json_each(column).table_valued("value")
    return sa.exists().where(item.c.value == text)


def among(ctx: Context, column: sa.Column[Any], ids: sa.Select[Any]) -> sa.ColumnElement[bool]:
    """Match rows whose column holds one of the ids that a subquery finds."""
    if ctx.db.dialect.name == "postgresql":
        # Within an OR, PostgreSQL can use the column's index for an array, but not for a subquery.
        return column == sa.any_(sa.func.array(ids.scalar_subquery()))
    return column.in_(ids)


def bound_condition(ctx: Context, column: sa.Column[Any], bound: str, value: Any) -> Condition:
    """Return the condition of a bound; a date bounds a time column by that whole day in the tenant's time zone."""
    if isinstance(column.type, UTCDateTime) and isinstance(value, date) and not isinstance(value, datetime):
        zone = ctx.tenant.timezone
        if bound == "to":
            return Condition(column, lt, (start_of_day(day_after(value), zone),))
        value = start_of_day(value, zone)
    return Condition(column, ge if bound == "from" else le, (value,))
