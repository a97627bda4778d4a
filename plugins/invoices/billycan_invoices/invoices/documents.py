"""Invoices as stored and as shown, with the members other documents lack: payments, due date, title and the like."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from decimal import Decimal
from functools import partial
from operator import attrgetter
from typing import Any

from msgspec import UNSET

from billycan import Context, Invalid, Neighbours, Row
from billycan.fields import Moment
from billycan_contacts.api import Party
from billycan_documents.api import Documents, Figures, gst_codes
from billycan_hosted.api import link_url

from .. import resource, rules
from ..full_lists import INVOICES
from ..resource import NEIGHBOURS, SETTLED, Invoice, ListedInvoice, NewInvoice, ProgressClaim, TaxInvoice, WorkTotals
from ..tables import lines
from .paid import payments_asked, payments_of, payments_of_page

PATH = "/i/"
# Clients look up invoices for the next year's tax return.
LINK_DAYS = 730

_settled = attrgetter(*SETTLED)


class _Named(Neighbours):
    def check(self, ctx: Context, body: Any, stored: Mapping[Any, Any] | None = None) -> None:
        """Check as for all neighbours; raise Conflict if a newly named quote or job has a full list of invoices."""
        super().check(ctx, body, stored)
        for member, listed in INVOICES.items():
            id = getattr(body, member)
            if id is not None and id != (stored or {}).get(member):
                listed.check_room(ctx, {id: member})


neighbours = _Named(**NEIGHBOURS)

records = resource.invoices.records


def header(ctx: Context, columns: dict[str, Any], client: Party) -> dict[str, Any]:
    """Return the columns of a draft: what was sent, the terms that follow from it, and its title."""
    issue_date = columns["issue_date"] or ctx.today()
    terms = client.payment_terms_days
    days = ctx.tenant.default_payment_terms_days if terms is None else terms
    due_date = columns["due_date"] or issue_date + timedelta(days=days)
    if not issue_date <= due_date <= Moment.LAST_DATE:
        raise Invalid.member("due_date", "out_of_range", f"must be from issue_date to {Moment.LAST_DATE}")
    codes = (part["gst_code"] for part in columns["gst_breakdown"])
    title = rules.document_title(ctx.tenant.registered_on(issue_date), codes)
    return {**columns, "issue_date": issue_date, "due_date": due_date, "document_title": title}


def tax_invoice(ctx: Context, *, title: str, total: Decimal, name: str | None, abn: str | None) -> TaxInvoice:
    """Check whether a document for a buyer of this name and ABN is a compliant tax invoice."""
    tenant = ctx.tenant
    missing = rules.missing_from_tax_invoice(
        title=title,
        seller_name=tenant.legal_name or tenant.name,
        seller_abn=tenant.abn,
        buyer_name=name,
        buyer_abn=abn,
        total=total,
    )
    return TaxInvoice(not missing if title == "Tax invoice" else None, missing)


def amount_due(row: Row) -> Decimal:
    """Return the amount still to be paid."""
    return rules.amount_due(row.status, row.total, *_settled(row))


def is_overdue(status: str, due_date: date, today: date) -> bool:
    """Tell whether an unsettled invoice is past its due date, in the business's time zone."""
    return status in rules.OPEN and due_date < today


def allowed_actions(ctx: Context, row: Row) -> list[str]:
    """List the actions that are possible on an invoice now."""
    return _list_allowed(ctx, row, ctx.tenant.registered_on(ctx.today()))


def _list_allowed(ctx: Context, row: Row, registered: bool) -> list[str]:
    """List the actions as `allowed_actions` does; `registered` is looked up once for a list of invoices."""
    may_send = False
    if row.status == "draft":
        codes, may_charge = gst_codes(row), ctx.tenant.registered_on(row.issue_date)
        title = rules.document_title(may_charge, codes, row.claim)
        # A contact always has a name, so only details of the business can be missing.
        check = tax_invoice(ctx, title=title, total=row.total, name=row.client_id, abn=None)
        may_send = (may_charge or "gst" not in codes) and row.total >= 0 and not check.missing
    return rules.allowed_actions(
        row.status,
        may_send=may_send,
        may_charge=registered or "gst" not in gst_codes(row),  # as a copy would, which is dated today
        may_void=not row.amount_credited,
        may_forfeit=row.claim == "deposit" and row.applied_to is None and row.forfeited_on is None,
        written_off=row.written_off_on is not None,
    )


def hosted_url(ctx: Context, row: Row) -> str | None:
    """Return the address of the page where the client reads a sent invoice and how to pay it."""
    if row.status == "draft":
        return None
    from_day = max(row.issue_date, row.sent_at.date())
    return link_url(ctx, PATH, row.id, 1, from_day + timedelta(days=LINK_DAYS))


def members(ctx: Context, rows: Sequence[Row], clients: Mapping[str, Party]) -> Iterable[dict[str, Any]]:
    """Yield the members that invoices show beyond other documents: title, tax invoice check, amount due and so on."""
    wants = partial(ctx.wants, ListedInvoice)
    titled, checked, dues = wants("document_title", "tax_invoice"), wants("tax_invoice"), wants("amount_due")
    overdue, actions, forfeited = wants("is_overdue"), wants("allowed_actions"), wants("forfeited_gst")
    working, claimed = wants("work", "less_invoiced"), wants("progress_claim")
    today = ctx.today()
    registered = ctx.tenant.registered_on(today)
    for row in rows:
        shown: dict[str, Any] = {}
        if titled:
            title, is_draft = row.document_title, row.client_name is None
            if is_draft:  # the registration for GST may have changed
                title = rules.document_title(ctx.tenant.registered_on(row.issue_date), gst_codes(row), row.claim)
            shown["document_title"] = title
            # A sent document was checked when it was sent; later changes of the business profile do not matter.
            if checked and not is_draft:
                shown["tax_invoice"] = TaxInvoice(True if title == "Tax invoice" else None, [])
            elif checked:
                client = clients[row.client_id]
                shown["tax_invoice"] = tax_invoice(ctx, title=title, total=row.total, name=client.name, abn=client.abn)
        if dues:
            shown["amount_due"] = amount_due(row)
        if overdue:
            shown["is_overdue"] = is_overdue(row.status, row.due_date, today)
        if actions:
            shown["allowed_actions"] = _list_allowed(ctx, row, registered)
        if working:
            shown |= _show_work(row)
        if claimed:
            shown["progress_claim"] = _progress_claim(row)
        if forfeited:
            shown["forfeited_gst"] = row.deposit_gst if row.forfeited_on else None
        yield shown


def _show_work(row: Row) -> dict[str, WorkTotals | None]:
    """Return a final invoice's totals: all of the work, and the part invoiced before."""
    if row.claim != "final" or row.less_subtotal is None:
        return {"work": None, "less_invoiced": None}
    net, gst = row.less_subtotal, row.less_gst
    work_net, work_gst = row.subtotal + net, row.gst + gst
    return {
        "work": WorkTotals(work_net, work_gst, work_net + work_gst),
        "less_invoiced": WorkTotals(net, gst, net + gst),
    }


def _progress_claim(row: Row) -> ProgressClaim | None:
    if row.progress_claim is None:
        return None
    amounts = {name: Decimal(value) for name, value in row.progress_claim.items() if name != "number"}
    return ProgressClaim(row.progress_claim["number"], **amounts)


def payments_shown(ctx: Context, row: Row, rows: Sequence[Row] | None = None) -> dict[str, Any]:
    """Return the payments of a single invoice. A draft has none, so it needs no query."""
    if not ctx.wants(Invoice, "payments"):
        return {"payments": UNSET}
    return {"payments": payments_of(ctx, row.id, rows) if row.status != "draft" else []}


documents = Documents(
    records,
    Invoice,
    lines,
    noun="invoice",
    neighbours=neighbours,
    header=header,
    members=members,
    alone=payments_shown,
    includes={"payments": payments_of_page},
    beside=lambda ctx, id: payments_asked(ctx, id) if ctx.wants(Invoice, "payments") else None,
    of_client=("client", "tax_invoice"),
    hosted_url=hosted_url,
    actions=rules.actions,
    allowed=allowed_actions,
    open_once_sent=rules.OPEN_ONCE_SENT,
    locked="a {status} invoice is locked; only {open} can still change",
)


def add_draft(ctx: Context, body: NewInvoice, worked: Figures | None = None, **columns: Any) -> Invoice:
    """Add a draft. `worked` holds its lines and figures if they are known already, and `columns` those of its claim."""
    return documents.add(ctx, body, worked, status="draft", **{**NOTHING_SETTLED, **columns})


NOTHING_SETTLED = dict.fromkeys((*SETTLED, "deposits_applied"), rules.ZERO)
