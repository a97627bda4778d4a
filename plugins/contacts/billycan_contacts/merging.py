"""Merge two contacts that are the same person or company."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

import msgspec
import sqlalchemy as sa

from billycan import Conflict, Context, Fault, Invalid, NotFound, Row
from billycan.fields import Moment

from .api import Supplier, merged_into
from .resource import Contact, MergedContact, NewPerson, contacts
from .tables import merged

# Members that the contact that is left takes from the other if it has none itself.
_FILLED = (
    *("email", "phone", "website", "abn", "gst_registered", "billing_address", "site_address"),
    *("payment_terms_days", "external_id"),
)
_MOST = 50  # tags, people and keys of metadata
_MOST_NOTES = 10_000  # characters


def merge_contacts(ctx: Context, id: str, into: str) -> Contact:
    """Merge a contact into another, and return that; a merge that was already made changes nothing."""
    try:
        found = contacts.records.merge(ctx, id, into, _combine_contacts)
    except NotFound:
        if merged_into(ctx, id) != into:
            raise
        return contacts.records.get(ctx, into)
    way = {"tenant_id": ctx.tenant_id, "id": id, "into_id": into, "merged_at": ctx.now()}
    ctx.db.execute(sa.insert(merged).values(way))
    remember_supplier(ctx, found.before, moved=found.moved)
    ctx.chosen = None  # the events have all members, whatever `fields` names
    contact, gone = contacts.records.show(ctx, [found.after, found.row])
    if found.after.version != found.before.version:
        ctx.emit("contact.updated", contact)
    ctx.emit("contact.merged", MergedContact(contact.id, msgspec.to_builtins(gone, builtin_types=(Moment,))))
    return contact


def remember_supplier(ctx: Context, before: Any, moved: Mapping[str, Collection[str]] | None = None) -> None:
    """Keep a contact's Supplier as it was before this call, and the records that a merge moved to it, by table."""
    ctx.memo["contacts"] = {before.id: Supplier(before.abn, before.gst_registered), "moved": moved or {}}


def _combine_contacts(row: Row, other: Row) -> dict[str, Any]:
    """Return the columns of the contact that is left: its own and, where it has none, those of the one that goes."""
    if other.status != "active":
        raise Invalid.member("into", "invalid_value", "is archived: restore it first")
    if row.abn and other.abn and row.abn != other.abn:
        message = "The two contacts have different ABNs, so they are not the same business"
        raise Conflict(f"{message}: if one is wrong, clear it before you merge them.", code="abn_differs")
    notes = [text for text in (other.notes, row.notes) if text]
    values = {
        **{name: getattr(row, name) for name in _FILLED if getattr(other, name) is None},
        "roles": _join_lists(other.roles, row.roles),
        "contractor": other.contractor or row.contractor,
        "tags": _join_lists(other.tags, row.tags),
        "people": _join_lists(other.people, row.people, _way_to_reach(row, other)),
        "metadata": {**row.metadata, **other.metadata},
        "notes": "\n\n".join(dict.fromkeys(notes)) or None,
    }
    full = [name for name in ("tags", "people", "metadata") if len(values[name]) > _MOST]
    full += ["notes"] if len(values["notes"] or "") > _MOST_NOTES else []
    if full:
        message = "of both are together more than one contact can have: shorten those of one first"
        raise Invalid.of(*(Fault("into", "too_long", f"the {name} {message}") for name in full))
    return values


def _join_lists(*lists: Iterable[Any]) -> list[Any]:
    """Return the items of several lists, each once."""
    found: list[Any] = []
    found += (item for items in lists for item in items if item not in found)
    return found


def _way_to_reach(row: Row, other: Row) -> list[Any]:
    """Return a person with the email address and phone number that the contact that is left does not take over."""
    email = row.email if row.email and other.email and row.email.lower() != other.email.lower() else None
    phone = row.phone if row.phone and other.phone and _digits_of(row.phone) != _digits_of(other.phone) else None
    return [msgspec.to_builtins(NewPerson(name=row.name, email=email, phone=phone))] if email or phone else []


def _digits_of(phone: str) -> str:
    return "".join(filter(str.isdigit, phone))
