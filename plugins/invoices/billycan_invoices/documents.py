"""Invoices as stored and as shown: the records, their lines and payments, and how they are worked out."""

from collections.abc import Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import UNSET

from billycan import Conflict, Context, Deleted, Event, Invalid, Named, Records, own
from billycan.fields import LAST_DATE
from billycan.neighbours import Neighbours
from billycan.records import Row
from billycan_contacts import api as contacts
from billycan_contacts.api import Party
from billycan_gst.api import Line, Lines, Worked, breakdown, plain_number
from billycan_hosted.api import link_url

from . import rules
from .schemas import Invoice, ListedInvoice, NewInvoice, Payment, TaxInvoice
from .tables import invoices, lines, payments

PATH = "/i/"
# Clients look invoices up for their tax return of the year after.
LINK_DAYS = 730

invoice_lines = Lines(lines)
neighbours = Neighbours(quote_id="quotes", job_id="jobs", booking_id="bookings")

_PAYMENTS = (
    sa.select(payments)
    .where(payments.c.tenant_id == sa.bindparam("tenant_id"), payments.c.invoice_id == sa.bindparam("invoice_id"))
    .order_by(payments.c.id)
)


def of_status(ctx: Context, statuses: list[str]) -> sa.ColumnElement[bool]:
    """The invoices of any of these statuses, worked-out ones among them."""
    open_ = invoices.c.status.in_(("sent", "partially_paid"))
    conditions = {"unpaid": open_, "overdue": open_ & (invoices.c.due_date < ctx.today())}
    return sa.or_(*(conditions.get(status, invoices.c.status == status) for status in statuses))


def found_by(ctx: Context, text: str) -> sa.ColumnElement[bool]:
    """The invoices that hold a text themselves or are for a contact whose name does."""
    return records.holds(text) | contacts.is_named_like(ctx, invoices.c.client_id, text)


records = Records(
    invoices,
    ListedInvoice,
    prefix="inv",
    number="INV-",
    search=("number", "client_name", "reference", "purchase_order"),
    filters={"status": of_status, "search": found_by},
)


def client_of(ctx: Context, client_id: str) -> Party:
    """The contact an invoice is for; Invalid where there is none."""
    found = contacts.parties(ctx, [client_id]).get(client_id)
    if found is None:
        raise Invalid.member("client_id", "not_found", "there is no such contact")
    return found


def header(ctx: Context, body: NewInvoice, client: Party, worked: Worked) -> dict[str, Any]:
    """The columns of a draft: what was sent, the terms that follow from it, and its figures."""
    issue_date = body.issue_date or ctx.today()
    terms = client.payment_terms_days
    days = ctx.tenant.default_payment_terms_days if terms is None else terms
    due_date = body.due_date or issue_date + timedelta(days=days)
    if not issue_date <= due_date <= LAST_DATE:
        raise Invalid.member("due_date", "out_of_range", f"must be from issue_date to {LAST_DATE}")
    left_out = ("line_items", "currency", *neighbours.off(ctx))
    sent = {name: getattr(body, name) for name in body.__struct_fields__ if name not in left_out}
    return {
        **sent,
        **worked.columns,
        "issue_date": issue_date,
        "due_date": due_date,
        "document_title": rules.document_title(ctx.tenant.gst_registered, (line.gst_code for line in worked.lines)),
    }


def keep_named(ctx: Context, event: Event) -> None:
    """Refuse to delete a quote, job or booking that an invoice names; called for every event."""
    member = {"quote.deleted": "quote_id", "job.deleted": "job_id", "booking.deleted": "booking_id"}.get(event.name)
    if member is None:
        return
    id = msgspec.json.decode(event.data, type=Deleted).id
    naming = sa.select(invoices.c.number).where(own(ctx, invoices), invoices.c[member] == id)
    if number := ctx.db.execute(naming.order_by(invoices.c.sequence).limit(1)).scalar():
        raise Conflict(f"{number} names it: change or delete that first.", code="has_dependents")


def payments_of(ctx: Context, invoice_id: str) -> list[Payment]:
    """An invoice's payments, oldest first, reversed ones too."""
    rows = ctx.db.execute(_PAYMENTS, {"tenant_id": ctx.tenant_id, "invoice_id": invoice_id})
    return [Payment(**{name: row._mapping[name] for name in Payment.__struct_fields__}) for row in rows]


def show(ctx: Context, row: Row, *, lines: list[Line] | None = None, client: Party | None = None) -> Invoice:
    """One invoice; `lines` and `client` spare a query where the caller has them at hand."""
    shown = _members(ctx, row, _clients(ctx, [row]) if client is None else {client.id: client})
    shown["line_items"] = invoice_lines.of(ctx, [row.id])[row.id] if lines is None else lines
    shown["payments"] = payments_of(ctx, row.id) if row.status != "draft" else []
    return Invoice(**shown)


def hosted_url(ctx: Context, row: Row) -> str | None:
    """The page where the client of an invoice that was sent reads it and how to pay it."""
    if row.status == "draft":
        return None
    from_day = max(row.issue_date, row.sent_at.date())
    return link_url(ctx, PATH, row.id, 1, from_day + timedelta(days=LINK_DAYS))


def show_all(ctx: Context, rows: Sequence[Row], *, with_lines: bool) -> list[ListedInvoice]:
    """A page of invoices, with one query for the contacts of its drafts and one for its lines."""
    clients = _clients(ctx, rows)
    found = invoice_lines.of(ctx, [row.id for row in rows]) if with_lines else {}
    return [
        ListedInvoice(**_members(ctx, row, clients), line_items=found[row.id] if with_lines else UNSET) for row in rows
    ]


def tax_invoice(ctx: Context, *, title: str, total: Decimal, name: str | None, abn: str | None) -> TaxInvoice:
    """Whether a document for the buyer of this name and ABN is a compliant tax invoice."""
    tenant = ctx.tenant
    missing = rules.missing_from_tax_invoice(
        title=title,
        seller_name=tenant.legal_name or tenant.name,
        seller_abn=tenant.abn,
        buyer_name=name,
        buyer_abn=abn,
        total=total,
    )
    return TaxInvoice(not missing, missing)


def _clients(ctx: Context, rows: Sequence[Row]) -> Mapping[str, Party]:
    # A document that was sent shows the name frozen then.
    return contacts.parties(ctx, {row.client_id for row in rows if row.client_name is None})


def _members(ctx: Context, row: Row, clients: Mapping[str, Party]) -> dict[str, Any]:
    stored = row._mapping
    drafted = row.client_name is None
    name = clients[row.client_id].name if drafted else row.client_name
    abn = clients[row.client_id].abn if drafted else row.client_abn
    title, percent = row.document_title, row.discount_percent
    parts = breakdown(row.gst_breakdown)
    if drafted:  # the business may have been registered since, or be no longer
        title = rules.document_title(ctx.tenant.gst_registered, (part.gst_code for part in parts))
    # Of a document that was sent it was checked then, whatever became of the business profile.
    check = tax_invoice(ctx, title=title, total=row.total, name=name, abn=abn) if drafted else TaxInvoice(True, [])
    may_see = ctx.identity is not None and ctx.identity.holds("invoices:write")
    worked_out = {
        "client": Named(row.client_id, name),
        "currency": "AUD",
        "discount_percent": None if percent is None else plain_number(percent),
        "gst_breakdown": parts,
        "document_title": title,
        "amount_due": amount_due(row),
        "is_overdue": is_overdue(row.status, row.due_date, ctx.today()),
        "tax_invoice": check,
        "hosted_url": hosted_url(ctx, row) if may_see else None,
        "allowed_actions": rules.allowed_actions(row.status, row.amount_paid),
        **neighbours.shown(ctx, stored),
    }
    names = [f for f in ListedInvoice.__struct_fields__ if f != "line_items" and f not in worked_out]
    return {name: stored[name] for name in names} | worked_out


def amount_due(row: Row) -> Decimal:
    """What is still to be paid: always `total - amount_paid`."""
    due: Decimal = row.total - row.amount_paid
    return due


def is_overdue(status: str, due_date: date, today: date) -> bool:
    """Whether an invoice is past its due date in the tenant's zone and not settled."""
    return status in ("sent", "partially_paid") and due_date < today
