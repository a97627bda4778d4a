"""What other plugins may use of contacts."""

from collections.abc import Iterable

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, own
from billycan.records import contains

from .tables import contacts


class Party(Struct):
    """What a document needs to know of the contact it is for."""

    id: str
    name: str
    abn: str | None
    billing_address: dict[str, str | None] | None
    payment_terms_days: int | None


def names(ctx: Context, ids: Iterable[str]) -> dict[str, str]:
    """Map each id to the contact's name, in one query; ids that are not the tenant's are left out."""
    found = sa.select(contacts.c.id, contacts.c.name).where(own(ctx, contacts), contacts.c.id.in_(list(ids)))
    return {row.id: row.name for row in ctx.db.execute(found)}


def parties(ctx: Context, ids: Iterable[str]) -> dict[str, Party]:
    """Map each id to what a document needs to know of the contact, in one query; none where there are no ids."""
    wanted = list(ids)
    if not wanted:
        return {}
    found = sa.select(*(contacts.c[name] for name in Party.__struct_fields__))
    rows = ctx.db.execute(found.where(own(ctx, contacts), contacts.c.id.in_(wanted)))
    return {row.id: Party(*row) for row in rows}


def named_like(ctx: Context, text: str) -> sa.Select[str]:
    """The ids of contacts whose name holds a text, to look for within another query."""
    # What is searched holds the name too, and is what PostgreSQL has an index of.
    named = contains(contacts.c.search_text, text) & contains(contacts.c.name_folded, text)
    return sa.select(contacts.c.id).where(own(ctx, contacts), named)


def is_named_like(ctx: Context, column: sa.Column[str], text: str) -> sa.ColumnElement[bool]:
    """Whether a column refers to a contact whose name holds a text."""
    ids = named_like(ctx, text)
    if ctx.db.dialect.name == "postgresql":
        # Within an OR PostgreSQL can look an array up in the column's index, but no subquery.
        return column == sa.any_(sa.func.array(ids.scalar_subquery()))
    return column.in_(ids)
