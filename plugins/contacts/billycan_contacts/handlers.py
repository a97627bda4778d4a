"""Handlers of contacts: one function for each route."""

from billycan import Actions, Context, Deleted, Page, Patch, Records
from billycan.sql import json_list_has

from .api import Supplier
from .schemas import Contact, ContactQuery, NewContact
from .tables import contacts

actions = Actions({"archive": ("active", "archived"), "restore": ("archived", "active")})

records = Records(
    contacts,
    Contact,
    prefix="con",
    search=("name", "email", "phone", "abn", "people"),
    filters={
        "role": lambda ctx, role: json_list_has(ctx, contacts.c.roles, role),
        "tag": lambda ctx, tag: json_list_has(ctx, contacts.c.tags, tag),
    },
    actions=lambda contact: actions.allowed(contact.status),
    needs={"allowed_actions": ("status",)},
    remembers=True,
)


def list_contacts(ctx: Context, query: ContactQuery) -> Page[Contact]:
    """All contacts, including archived ones unless you filter by `status`.

    `search` covers names, email addresses, phone numbers, ABNs and people.
    """
    return records.page(ctx, query)


def create_contact(ctx: Context, body: NewContact) -> Contact:
    """Add a contact.

    Emits `contact.created`.
    """
    contact = records.add(ctx, body, status="active")
    ctx.emit("contact.created", contact)
    return contact


def get_contact(ctx: Context, id: str) -> Contact:
    """One contact.

    This includes archived contacts.
    """
    return records.get(ctx, id)


def update_contact(ctx: Context, id: str, body: Patch[NewContact]) -> Contact:
    """Change a contact.

    Documents that were already sent keep the old name and address. Refused with `period_locked` where another `abn` or
    `gst_registered` would change what can be claimed of expenses of days until which the books are locked. Emits
    `contact.updated` if anything changed.
    """
    if body.sent.keys() & {"abn", "gst_registered"}:
        before = records.lock(ctx, id)
        ctx.memo["contacts"] = {id: Supplier(before.abn, before.gst_registered)}
    contact, changed = records.change(ctx, id, body)
    if changed:
        ctx.emit("contact.updated", contact)
    return contact


def delete_contact(ctx: Context, id: str) -> Deleted:
    """Delete a contact that nothing refers to.

    Refused with `has_dependents` while a document refers to it: archive it instead. Emits `contact.deleted`.
    """
    deleted = records.remove(ctx, id)
    ctx.emit("contact.deleted", deleted)
    return deleted


def archive_contact(ctx: Context, id: str) -> Contact:
    """Archive a contact; documents keep it.

    From active to archived; otherwise `invalid_state_transition`. Archived contacts stay in lists. Emits
    `contact.updated`.
    """
    return _move(ctx, id, "archive")


def restore_contact(ctx: Context, id: str) -> Contact:
    """Make an archived contact active again.

    From archived to active; otherwise `invalid_state_transition`. Emits `contact.updated`.
    """
    return _move(ctx, id, "restore")


def _move(ctx: Context, id: str, action: str) -> Contact:
    row = records.lock(ctx, id)
    row = records.save(ctx, row, status=actions.check(action, row.status))
    (contact,) = records.show(ctx, [row])
    ctx.emit("contact.updated", contact)
    return contact
