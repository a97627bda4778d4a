"""Handlers of contacts: one function for each route."""

from billycan import Context, Deleted, Page, Patch, Query

from .api import Supplier
from .resource import Contact, NewContact, actions, contacts


def list_contacts(ctx: Context, query: Query[Contact]) -> Page[Contact]:
    """All contacts, including archived ones unless you filter by `status`.

    `search` covers names, email addresses, phone numbers, ABNs and people.
    """
    return contacts.records.page(ctx, query)


def create_contact(ctx: Context, body: NewContact) -> Contact:
    """Add a contact.

    Emits `contact.created`.
    """
    contact = contacts.records.add(ctx, body, status="active")
    ctx.emit("contact.created", contact)
    return contact


def get_contact(ctx: Context, id: str) -> Contact:
    """One contact.

    This includes archived contacts.
    """
    return contacts.records.get(ctx, id)


def update_contact(ctx: Context, id: str, body: Patch[NewContact]) -> Contact:
    """Change a contact.

    Documents that were already sent keep the old name and address. Refused with `period_locked` where another `abn` or
    `gst_registered` would change what can be claimed of expenses of days until which the books are locked. Emits
    `contact.updated` if anything changed.
    """
    ctx.memo.pop("contacts", None)  # of an earlier call in the same transaction
    if body.sent.keys() & {"abn", "gst_registered"}:
        before = contacts.records.lock(ctx, id)
        ctx.memo["contacts"] = {id: Supplier(before.abn, before.gst_registered)}
    contact, changed = contacts.records.change(ctx, id, body)
    if changed:
        ctx.emit("contact.updated", contact)
    return contact


def delete_contact(ctx: Context, id: str) -> Deleted:
    """Delete a contact that nothing refers to.

    Refused with `has_dependents` while a document refers to it: archive it instead. Emits `contact.deleted`.
    """
    deleted = contacts.records.remove(ctx, id)
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
    ctx.memo.pop("contacts", None)
    row = contacts.records.lock(ctx, id)
    row = contacts.records.save(ctx, row, status=actions.check(action, row.status))
    (contact,) = contacts.records.show(ctx, [row])
    ctx.emit("contact.updated", contact)
    return contact
