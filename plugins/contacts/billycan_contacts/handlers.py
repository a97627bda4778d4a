"""Handlers of contacts: one function for each route."""

from collections.abc import Iterator
from contextlib import contextmanager

from billycan import Context, Deleted, NotFound, Page, Paging, Patch, Query

from .api import gone, merged_into
from .merging import merge_contacts, remember_supplier
from .resource import Contact, ContactMerge, NewContact, actions, contacts, is_like


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

    This includes archived contacts. The id of a contact that was merged into another gets the other.
    """
    try:
        return contacts.records.get(ctx, id)
    except NotFound:
        into = merged_into(ctx, id)
        if into is None:
            raise
    return contacts.records.get(ctx, into)


def list_duplicates(ctx: Context, id: str, query: Paging) -> Page[Contact]:
    """Other contacts with the ABN or email address of this one, which may be the same person or company.

    Email addresses are compared without case. Merge those that are the same; `GET /v1/contacts?duplicated=true` finds
    all contacts that have such others.
    """
    return contacts.records.page(ctx, query, is_like(ctx, contacts.records.find(ctx, id)))


def update_contact(ctx: Context, id: str, body: Patch[NewContact]) -> Contact:
    """Change a contact.

    Documents that were already sent keep the old name and address. Refused with `period_locked` where another `abn` or
    `gst_registered` would change what can be claimed of expenses of days until which the books are locked. Emits
    `contact.updated` if anything changed.
    """
    ctx.memo.pop("contacts", None)  # of an earlier call in the same transaction
    with _saying_if_merged(ctx, id):
        if body.sent.keys() & {"abn", "gst_registered"}:
            remember_supplier(ctx, contacts.records.lock(ctx, id))
        contact, changed = contacts.records.change(ctx, id, body)
    if changed:
        ctx.emit("contact.updated", contact)
    return contact


def delete_contact(ctx: Context, id: str) -> Deleted:
    """Delete a contact that nothing refers to.

    Refused with `has_dependents` while a document refers to it: archive it instead. Emits `contact.deleted`.
    """
    with _saying_if_merged(ctx, id):
        deleted = contacts.records.remove(ctx, id)
    ctx.emit("contact.deleted", deleted)
    return deleted


def archive_contact(ctx: Context, id: str) -> Contact:
    """Archive a contact; documents keep it.

    From active to archived; otherwise `invalid_state_transition`. Archived contacts stay in lists. Emits
    `contact.updated`.
    """
    return _move_contact(ctx, id, "archive")


def restore_contact(ctx: Context, id: str) -> Contact:
    """Make an archived contact active again.

    From archived to active; otherwise `invalid_state_transition`. Emits `contact.updated`.
    """
    return _move_contact(ctx, id, "restore")


def merge_contact(ctx: Context, id: str, body: ContactMerge) -> Contact:
    """Merge a contact into another one that is the same person or company: only that is left, and it is returned.

    Whatever names the contact names the other from then on, in every plugin: documents, payments and credit, jobs,
    bookings, expenses, attachments. Each of these records has a new version; documents already sent still show the name
    that they were sent with. The other keeps its members, and takes those that it lacks; roles, tags, people, notes and
    metadata are joined. The old id still answers GET, with the other contact. This cannot be undone; again, it changes
    nothing. The key also needs the write scopes of the records that are moved, else the error is `insufficient_scope`.
    Refused with `abn_differs` if both have an ABN and not the same, with `period_locked` where an expense of days until
    which the books are locked would be claimed differently, with `has_dependents` if a plugin that is off refers to the
    contact, and with `too_many_records` beyond 4,000 records: merge the other way round. Emits `contact.merged`, and
    `contact.updated` before it if the contact that is left has changed.
    """
    return merge_contacts(ctx, id, body.into)


def _move_contact(ctx: Context, id: str, action: str) -> Contact:
    ctx.memo.pop("contacts", None)
    with _saying_if_merged(ctx, id):
        row = contacts.records.lock(ctx, id)
    row = contacts.records.save(ctx, row, status=actions.check(action, row.status))
    (contact,) = contacts.records.show(ctx, [row])
    ctx.emit("contact.updated", contact)
    return contact


@contextmanager
def _saying_if_merged(ctx: Context, id: str) -> Iterator[None]:
    """Let the refusal of an unknown contact say if it was merged into another."""
    try:
        yield
    except NotFound:
        raise gone(ctx, id) from None
