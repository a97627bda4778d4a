"""What other plugins may use of contacts."""

from collections.abc import Callable, Iterable

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import Address, Context, GstPeriod, names_of, own
from billycan.sql import Asked, ByIds, among, contains, either, fold, search_condition

from .tables import contacts


class Party(Struct):
    """What a document needs to know of the contact it is for."""

    id: str
    name: str
    abn: str | None
    billing_address: dict[str, str | None] | None
    payment_terms_days: int | None


class Contractor(Struct):
    """What the tax office asks of somebody whose payments are reported."""

    id: str
    name: str
    abn: str | None
    gst_registered: bool | None
    billing_address: Address | None
    site_address: Address | None
    phone: str | None
    email: str | None


# Maps each id to the contact's name, in one query; `lock=True` keeps them from being deleted until the
# transaction ends.
names = names_of(contacts.c.name)

# Maps each id to the contact's email address, None where it has none.
emails = names_of(contacts.c.email)

# Maps each id to the contact's status, `active` or `archived`, in the same way.
statuses = names_of(contacts.c.status)


def parties(ctx: Context, ids: Iterable[str]) -> dict[str, Party]:
    """Map each id to what a document needs to know of the contact, in one query; none where there are no ids."""
    return {row[0]: Party(*row) for row in _PARTIES.all(ctx.db, ctx.tenant_id, ids)}


def party_asked(ctx: Context, id: str) -> Asked:
    """What `at_once` takes for what a document needs to know of a contact: a row of Party's members."""
    return _PARTIES.asked(ctx.tenant_id, id)


_PARTIES = ByIds(sa.select(*(contacts.c[name] for name in Party.__struct_fields__)), contacts.c.id)


# Known from the import on: msgspec crashes where two threads are the first to need it at once.
msgspec.json.Decoder(Contractor)


def contractors(ctx: Context, ids: Iterable[str]) -> list[Contractor]:
    """Those of these contacts whose payments are reported to the tax office, by name, in one query."""
    rows = _CONTRACTORS.all(ctx.db, ctx.tenant_id, ids)
    return [
        msgspec.convert(row._asdict(), Contractor) for row in sorted(rows, key=lambda row: (fold(row.name), row.id))
    ]


_CONTRACTORS = ByIds(
    sa.select(*(contacts.c[name] for name in Contractor.__struct_fields__)).where(contacts.c.contractor), contacts.c.id
)


class Supplier(Struct):
    """What decides whether the GST on what a contact charged can be claimed."""

    abn: str | None
    gst_registered: bool | None


def suppliers(ctx: Context, ids: Iterable[str]) -> dict[str, Supplier]:
    """Map each id to what decides whether the GST on what the contact charged can be claimed, in one query."""
    return {row[0]: Supplier(*row[1:]) for row in _SUPPLIERS.all(ctx.db, ctx.tenant_id, ids)}


_SUPPLIERS = ByIds(sa.select(contacts.c.id, contacts.c.abn, contacts.c.gst_registered), contacts.c.id)


def lacks_abn(ctx: Context | GstPeriod, column: sa.ColumnElement[str]) -> sa.Exists:
    """Whether the contact whose id a column holds has no ABN, within another query."""
    return sa.exists().where(own(ctx, contacts), contacts.c.id == column, contacts.c.abn.is_(None))


def not_registered(ctx: Context | GstPeriod) -> sa.Select[str]:
    """The ids of the contacts that are known not to be registered for GST, to look for within another query."""
    # As the index of them has it: a boolean SQLAlchemy compares with 0, and SQLite would read all contacts.
    known = sa.type_coerce(contacts.c.gst_registered, sa.Integer)
    return sa.select(contacts.c.id).where(own(ctx, contacts), sa.not_(known))


def named_like(ctx: Context, text: str) -> sa.Select[str]:
    """The ids of contacts whose name holds a text, to look for within another query."""
    # What is searched holds the name too, and is what there is an index of.
    named = search_condition(contacts, text, ctx) & contains(contacts.c.name_folded, text)
    return sa.select(contacts.c.id).where(own(ctx, contacts), named)


def found_by(column: sa.Column[str]) -> Callable[[Context, str], sa.ColumnElement[bool]]:
    """The filter `search` of records that refer to a contact: those that hold a text, or whose contact's name does."""

    def search(ctx: Context, text: str) -> sa.ColumnElement[bool]:
        itself = search_condition(column.table, text, ctx)
        return either(ctx, column.table, itself, among(ctx, column, named_like(ctx, text)))

    return search
