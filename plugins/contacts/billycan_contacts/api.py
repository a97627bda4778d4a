"""Contacts' functions for other plugins: names, parties of documents, contractors and suppliers."""

from collections.abc import Callable, Collection, Iterable
from typing import Annotated

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import Address, Context, GstEntries, NotFound, Records, own
from billycan.fields import Abn, Email, Name, Text
from billycan.sql import ByIds, Statement, fold

from .resource import contacts
from .tables import merged

_table = contacts.table


class Party(Struct):
    """The members of a contact that a document needs."""

    id: str
    name: str
    abn: str | None
    billing_address: dict[str, str | None] | None
    payment_terms_days: int | None


class Contractor(Struct):
    """The details of a contractor that the taxable payments annual report needs."""

    id: str
    name: str
    abn: str | None
    gst_registered: bool | None
    billing_address: Address | None
    site_address: Address | None
    phone: str | None
    email: str | None


# Map each id to the contact's name, in one query; `lock=True` keeps the contacts from being deleted until the
# transaction ends.
names = Records.names_of(_table.c.name)

# Map each id to the contact's email address, or None.
emails = Records.names_of(_table.c.email)

# Map each id to the contact's status, `active` or `archived`.
statuses = Records.names_of(_table.c.status)


class KnownAs(Struct, forbid_unknown_fields=True, kw_only=True):
    """The details by which another system knows a contact; all that are given must be true of one contact.

    external_id: Its `external_id`.
    abn: Its ABN.
    email: Its email address; upper and lower case are alike.
    name: Its name; case and accents do not matter.
    """

    external_id: Annotated[str, Text("An `external_id`.", least=1, most=100)] | None = None
    abn: Abn | None = None
    email: Email | None = None
    name: Name | None = None


def known_as(ctx: Context, known: KnownAs) -> list[str]:
    """List the ids of the contacts of which all this is true, up to two; an active contact alone goes before others."""
    said = {
        _table.c.external_id: known.external_id,
        _table.c.abn: known.abn,
        sa.func.lower(_table.c.email): known.email and known.email.lower(),
        _table.c.name_folded: known.name and fold(known.name),
    }
    same = [own(ctx, _table), *(column == text for column, text in said.items() if text is not None)]
    found = ctx.db.execute(sa.select(_table.c.id, _table.c.status).where(*same).order_by(_table.c.id).limit(20)).all()
    active = [row.id for row in found if row.status == "active"]
    return active if len(active) == 1 else [row.id for row in found][:2]


def lock(ctx: Context, id: str) -> None:
    """Lock a contact, whose version is compared with If-Match. Raise NotFound for any id that is not the tenant's."""
    this = own(ctx, _table) & (_table.c.id == id)
    row = ctx.db.execute(sa.select(_table.c.version).where(this).with_for_update()).first()
    if row is None:
        raise gone(ctx, id)
    ctx.check_version(row.version)


def merged_into(ctx: Context, id: str) -> str | None:
    """Return the id of the contact into which another was merged; None if it never was."""
    found: str | None = ctx.db.execute(
        sa.select(merged.c.into_id).where(own(ctx, merged), merged.c.id == id)
    ).scalar_one_or_none()
    return found


_INTO = ByIds(sa.select(merged.c.id, merged.c.into_id), merged.c.id)


def names_now(ctx: Context, ids: Iterable[str]) -> dict[str, str]:
    """Map each id to the contact's name or, if it was merged into another, to the name of that."""
    asked = set(ids)
    found = names(ctx, asked)
    into = {row.id: row.into_id for row in _INTO.all(ctx.db, ctx.tenant_id, asked - found.keys())}
    named = names(ctx, {*into.values()})
    return found | {id: named[left] for id, left in into.items() if left in named}


def gone(ctx: Context, id: str) -> NotFound:
    """Return the refusal to change a contact that is not there; it says if the contact was merged into another."""
    into = merged_into(ctx, id)
    if into is None:
        return NotFound()
    return NotFound(f"This contact was merged into {into}: use that id.", merged_into=into)


def parties(ctx: Context, ids: Iterable[str]) -> dict[str, Party]:
    """Map each id to the members of the contact that a document needs, in one query; no query for no ids."""
    return {row[0]: Party(*row) for row in _PARTIES.all(ctx.db, ctx.tenant_id, ids)}


def party_asked(ctx: Context, id: str) -> Statement.Asked:
    """Return the statement that loads a contact's Party, to run in one trip with others by `at_once`."""
    return _PARTIES.asked(ctx.tenant_id, id)


_PARTIES = ByIds(sa.select(*(_table.c[name] for name in Party.__struct_fields__)), _table.c.id)


# Built at import: msgspec crashes if two threads build it at once.
msgspec.json.Decoder(Contractor)


def contractors(ctx: Context, ids: Iterable[str]) -> list[Contractor]:
    """Return the contractors among these contacts (their payments are reported), by name, in one query."""
    rows = _CONTRACTORS.all(ctx.db, ctx.tenant_id, ids)
    return [
        msgspec.convert(row._asdict(), Contractor) for row in sorted(rows, key=lambda row: (fold(row.name), row.id))
    ]


_CONTRACTORS = ByIds(
    sa.select(*(_table.c[name] for name in Contractor.__struct_fields__)).where(_table.c.contractor),
    _table.c.id,
)


class Supplier(Struct):
    """The members of a contact that decide whether the GST on its charges can be claimed."""

    abn: str | None
    gst_registered: bool | None


def supplier_before(ctx: Context, id: str) -> Supplier | None:
    """Return the Supplier as it was before this call changed the contact; None if the call changes none of it.

    For a function that hears `contact.updated`.
    """
    before: Supplier | None = ctx.memo.get("contacts", {}).get(id)
    return before


def moved_by_merge(ctx: Context, table: str) -> Collection[str]:
    """Return the ids of the records of a table that this call moved from one contact to another.

    For a function that hears `contact.merged` or `contact.updated`.
    """
    found: Collection[str] = ctx.memo.get("contacts", {}).get("moved", {}).get(table, ())
    return found


def suppliers(ctx: Context, ids: Iterable[str]) -> dict[str, Supplier]:
    """Map each id to the members that decide whether the GST on the contact's charges can be claimed, in one query."""
    return {row[0]: Supplier(*row[1:]) for row in _SUPPLIERS.all(ctx.db, ctx.tenant_id, ids)}


_SUPPLIERS = ByIds(sa.select(_table.c.id, _table.c.abn, _table.c.gst_registered), _table.c.id)


def lacks_abn(ctx: Context | GstEntries.Period, column: sa.ColumnElement[str]) -> sa.Exists:
    """Return a condition for a query: the contact whose id is in `column` has no ABN."""
    return sa.exists().where(own(ctx, _table), _table.c.id == column, _table.c.abn.is_(None))


def not_registered(ctx: Context | GstEntries.Period) -> sa.Select[str]:
    """Select the ids of contacts known not to be registered for GST, for use in another query."""
    # In the form of the index: SQLAlchemy compares a boolean with 0, and SQLite would read all contacts.
    known = sa.type_coerce(_table.c.gst_registered, sa.Integer)
    return sa.select(_table.c.id).where(own(ctx, _table), sa.not_(known))


def named_like(ctx: Context, text: str) -> sa.Select[str]:
    """Select the ids of contacts whose name contains a text, for use in another query."""
    named = ctx.search_condition(_table, text, within=_table.c.name_folded)
    return sa.select(_table.c.id).where(own(ctx, _table), named)


def found_by(table: str, column: str) -> Callable[[Context, str], sa.ColumnElement[bool]]:
    """Return a `search` filter for records that refer to a contact: it matches their texts and the contact's name.

    The table is named, as in `refers_to`, because the declaration that takes the filter makes it.
    """

    def search(ctx: Context, text: str) -> sa.ColumnElement[bool]:
        contact_id = _table.metadata.tables[table].c[column]
        itself = ctx.search_condition(contact_id.table, text)
        return ctx.either(contact_id.table, itself, ctx.among(contact_id, named_like(ctx, text)))

    return search
