"""The functions that expenses run when something happens in other plugins, inside the same transaction."""

from collections.abc import Callable
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Deleted, Neighbours, own
from billycan_contacts import api as contacts

from .gst import first_claim
from .records import emit_expense, records
from .tables import expenses


class Gone(Struct):
    """An invoice that was deleted or voided."""

    id: str


class Supplier(Struct):
    """A changed contact, with the details that decide whether the GST on its supplies can be claimed."""

    id: str
    abn: str | None
    gst_registered: bool | None


class MergedSupplier(Struct):
    """A contact that another one was merged into, with that one as it last was."""

    id: str
    merged: Supplier


def keep_locked_claims(ctx: Context, contact: Supplier) -> None:
    """Refuse a change to a supplier that would alter claims of days for which the books are locked."""
    moved = contacts.moved_by_merge(ctx, expenses.name)
    before = contacts.supplier_before(ctx, contact.id)
    _check_claims(ctx, contact.id, before, contact, expenses.c.id.not_in(moved))


def keep_merged_claims(ctx: Context, contact: MergedSupplier) -> None:
    """Refuse a merge that would alter claims of such days, of expenses that were the other contact's."""
    moved = contacts.moved_by_merge(ctx, expenses.name)
    if moved:
        after = contacts.suppliers(ctx, [contact.id])[contact.id]
        _check_claims(ctx, contact.id, contact.merged, after, expenses.c.id.in_(moved))


def _check_claims(ctx: Context, id: str, before: Any, after: Any, among: sa.ColumnElement[bool]) -> None:
    locked_until = ctx.tenant.locked_until
    if before is None or locked_until is None or _standing_of_supplier(before) == _standing_of_supplier(after):
        return
    by_abn_alone = _standing_of_supplier(before)[0] == _standing_of_supplier(after)[0]
    day = first_claim(ctx, id, locked_until, among, by_abn_alone=by_abn_alone)
    ctx.check_unlocked(day, cure="Leave abn and gst_registered as they are")


def _standing_of_supplier(supplier: Any) -> tuple[bool, bool]:
    """Tell whether a supplier is known not to be registered, and whether its missing ABN matters."""
    unregistered = supplier.gst_registered is False
    return unregistered, not unregistered and supplier.abn is None


def keep_job(ctx: Context, job: Deleted) -> None:
    """Refuse to delete a job that has expenses."""
    Neighbours.check_unused(ctx, expenses, expenses.c.job_id == job.id)


def free(ctx: Context, invoice: Gone) -> None:
    """Free the expenses that a deleted or voided invoice charged, so that another invoice can charge them."""
    charged = own(ctx, expenses) & (expenses.c.invoice_id == invoice.id)
    for row in ctx.db.execute(sa.select(expenses).where(charged).order_by(expenses.c.id).with_for_update()).all():
        emit_expense(ctx, records.save(ctx, row, invoice_id=None), "expense.updated")


hears: dict[str, Callable[..., None]] = {
    "contact.updated": keep_locked_claims,
    "contact.merged": keep_merged_claims,
    "job.deleted": keep_job,
    "invoice.deleted": free,
    "invoice.voided": free,
}
