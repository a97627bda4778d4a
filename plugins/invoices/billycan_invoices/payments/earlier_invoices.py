"""Invoices of an earlier system: they keep their numbers and dates, and what was paid of them before."""

from datetime import date, datetime, time
from decimal import Decimal
from typing import Annotated
from zoneinfo import ZoneInfo

import sqlalchemy as sa
from msgspec import Struct, structs

from billycan import Conflict, Context, Invalid, Row, new_id, own
from billycan.fields import Amount, Day, Id, Moment, Notes, Reference, Text
from billycan.sql import Statement
from billycan_contacts import api as contacts
from billycan_documents.api import NewDocument, document_columns, frozen

from .. import rules
from ..books import ledger
from ..books.ledger import Change
from ..invoices.documents import NOTHING_SETTLED, documents, records
from ..invoices.schemas import PaymentMethod
from ..resource import Invoice, NewInvoice
from ..tables import allocations, invoices
from .records import received
from .records import records as payment_records

_TEXTS = ("reference", "purchase_order", "notes", "terms")
_INSERT = Statement.Insertion(allocations, allocations.c.keys())


InvoiceNumber = Annotated[str, Text("The number of an invoice: 1 to 50 characters.", least=1, most=50)]


class EarlierInvoice(NewDocument, kw_only=True):
    """An invoice that was sent from another system.

    number: Its number there, which it keeps.
    client_id: The contact who owes the money; or name it by what is in `client`.
    client: What the contact is known by.
    issue_date: The date of the invoice, on which it counts.
    due_date: When it is due; default the issue date plus the contact's or the business's terms.
    reference: A short reference for the client.
    purchase_order: The client's purchase order.
    notes: Notes for the client.
    terms: Terms of payment for the client.
    amount_paid: What was received for it so far.
    paid_at: When that was received, which is required with `amount_paid`: not before the issue date.
    payment_method: How it was paid.
    payment_reference: The payer's reference.
    """

    number: InvoiceNumber
    client_id: Id | None = None
    client: contacts.KnownAs | None = None
    issue_date: Day
    due_date: Day | None = None
    reference: Reference | None = None
    purchase_order: Reference | None = None
    notes: Notes | None = None
    terms: Notes | None = None
    amount_paid: Amount | None = None
    paid_at: Day | None = None
    payment_method: PaymentMethod | None = None
    payment_reference: Reference | None = None


class Imported(Struct):
    """An import of any kind of records that has finished."""

    resource: str


def add_earlier_invoice(ctx: Context, body: EarlierInvoice) -> Invoice:
    """Add an invoice that was sent from another system, with its number, its dates and what was paid of it so far.

    It is sent, partially_paid or paid, as `amount_paid` says, and counts on its own dates: on an accruals basis all of
    it on `issue_date`, on a cash basis what is paid from now on when it is paid. It is not checked as a tax invoice,
    because it is one already. New invoices get numbers above those of earlier ones that begin with `INV-`. Refused with
    `duplicate_number`, with `negative_total`, with `overpayment_not_allowed` if more was paid than it comes to, with
    `gst_not_registered`, and with `period_locked` if the books are locked on one of its dates: import first, then lock.
    Emits `invoice.created`.
    """
    taken = own(ctx, invoices) & (invoices.c.number == body.number)
    if ctx.db.execute(sa.select(invoices.c.id).where(taken)).first():
        raise Conflict("Another invoice has this number.", code="duplicate_number", param="number")
    client_id = body.client_id or find_client(ctx, body.client)
    same = {name: getattr(body, name) for name in NewDocument.__struct_fields__}
    dated = {name: getattr(body, name) for name in ("issue_date", "due_date", *_TEXTS)}
    new = NewInvoice(client_id=client_id, **same, **dated)
    draft = documents.draft(ctx, new)
    total, paid = draft.columns["total"], body.amount_paid or rules.ZERO
    _check_amounts(body, total, paid)
    sent_at = _noon_of(ctx, body.issue_date)
    status, _ = rules.standing(total, paid, rules.ZERO, rules.ZERO, given_up=False)
    by = {
        "paid_at": _noon_of(ctx, body.paid_at or body.issue_date),
        "payment_method": _method_of(body) if paid else None,
    }

    def add_rest(row: Row) -> None:
        changes = [ledger.priced("invoice", body.issue_date, row._mapping)]
        if paid and body.paid_at:
            payment_id = _add_payment(ctx, row, body, paid)
            changes.append(Change(kind="payment", counts_on=body.paid_at, payment_id=payment_id, paid=paid))
        ledger.write(ctx, row.id, changes)

    invoice = documents.add(
        ctx,
        new,
        (draft.lines, {column.name: draft.columns[column.name] for column in document_columns()}),
        add_rest,
        **{**NOTHING_SETTLED, "amount_paid": paid},
        **(by if status == "paid" else {}),
        number=body.number,
        status=status,
        sent_at=sent_at,
        **frozen(draft.client),
    )
    records.continue_numbers(ctx)
    return invoice


def continue_numbers(ctx: Context, finished: Imported) -> None:
    """Number new invoices above those that an import has added."""
    if finished.resource == "invoices":
        records.continue_numbers(ctx)


def find_client(ctx: Context, known: contacts.KnownAs | None) -> str:
    """Return the id of the one contact that is known by this; raise Invalid if there is none, or more than one."""
    if known is None or not any(structs.asdict(known).values()):
        raise Invalid.member("client_id", "required", "is required, or what the contact is known by in client")
    found = contacts.known_as(ctx, known)
    if len(found) == 1:
        return found[0]
    message = "several contacts are known by this: say more of the one" if found else "no contact is known by this"
    raise Invalid.member("client", "invalid_value" if found else "not_found", message)


def _check_amounts(body: EarlierInvoice, total: Decimal, paid: Decimal) -> None:
    if total < 0:
        raise Invalid("The total is below zero: change the lines.", code="negative_total", param="line_items")
    if paid > total:
        message = f"{paid} is more than the {total} that the invoice comes to."
        raise Invalid(message, code="overpayment_not_allowed", param="amount_paid")
    if paid < 0:
        raise Invalid.member("amount_paid", "out_of_range", "must not be below zero")
    if paid and (body.paid_at is None or body.paid_at < body.issue_date):
        raise Invalid.member("paid_at", "required", "must say when amount_paid was received, not before issue_date")


def _add_payment(ctx: Context, row: Row, body: EarlierInvoice, paid: Decimal) -> str:
    """Add the payment of what was received, and return its id."""
    paid_at, paid_on = received(ctx, body.paid_at, "paid_at")
    payment = payment_records.insert(
        ctx,
        client_id=row.client_id,
        client_name=row.client_name,
        amount=paid,
        allocated=paid,
        refunded=rules.ZERO,
        unallocated=rules.ZERO,
        cash_rounding=rules.ZERO,
        payment_method=_method_of(body),
        paid_at=paid_at,
        paid_on=paid_on,
        reference=body.payment_reference,
        status="recorded",
        metadata={},
    )
    settles = {"payment_id": payment.id, "invoice_id": row.id, "amount": paid, "allocated_on": paid_on}
    _INSERT.run(ctx.db, ctx.tenant_id, [{"id": new_id("all"), "cash_rounding": rules.ZERO, **settles}])
    return str(payment.id)


def _method_of(body: EarlierInvoice) -> str:
    return body.payment_method or "other"


def _noon_of(ctx: Context, day: date) -> Moment:
    return Moment.of(datetime.combine(day, time(12), ZoneInfo(ctx.tenant.timezone)))
