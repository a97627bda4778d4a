"""The page where a client reads and prints an invoice and how to pay it, and the invoice on paper."""

from collections.abc import Iterator
from typing import Literal

from billycan import App, Context, NotFound
from billycan.paper import Paper
from billycan_hosted.api import DocumentPage, Link, Shown, day, how_to_pay, money, paper_of

from .invoices.documents import PATH, documents, hosted_url, records
from .invoices.handlers import send_invoice
from .payments.online import pay_buttons
from .resource import Invoice
from .rules import OPEN

# Clients do not see that a debt was written off: they could take it for a gift, but still owe it.
_BADGES = {
    "paid": Paper.Notice("good", "Paid"),
    "credited": Paper.Notice("good", "Credited"),
    "void": Paper.Notice("bad", "Void"),
    "partially_paid": Paper.Notice("warn", "Partially paid"),
}
_NOTICES: dict[str, tuple[Literal["good", "warn", "bad"], str]] = {
    "paid": ("good", "This invoice is paid. Thank you!"),
    "credited": ("good", "{seller} has credited all of this invoice: there is nothing to pay."),
    "void": ("bad", "This invoice is void: it is not a tax invoice, and there is nothing to pay."),
}
_MARKS = {"draft": "DRAFT", "void": "VOID", "paid": "PAID", "credited": "CREDITED"}


def invoice_page(app: App) -> DocumentPage:
    """The page at `/i/{token}`."""
    return DocumentPage(app, PATH, show_invoice, document="/v1/invoices/{id}")


def show_invoice(ctx: Context, link: Link) -> Shown:
    """Show the invoice that a link opens."""
    try:
        paper = invoice_paper(ctx, link.id)
    except NotFound:
        text = "Please ask the business for a new link."
        return Shown("closed.html", {"title": "This invoice is no longer here", "text": text}, 410)
    return Shown("document.html", {"paper": paper}, buttons=pay_buttons(ctx, link.id) if paper.key else [])


def finish_invoice(ctx: Context, id: str) -> None:
    """Send an invoice that is a draft."""
    if records.lock(ctx, id).status == "draft":
        send_invoice(ctx, id)


def invoice_paper(ctx: Context, id: str) -> Paper:
    """Return an invoice with everything a tax invoice must show (s 29-70 GST Act), how to pay, and its payments."""
    row = records.find(ctx, id)
    invoice = documents.show(ctx, row)
    owing = invoice.status in OPEN
    contract = _contract_figures(invoice)
    tone, text = _NOTICES.get(invoice.status, ("good", ""))
    return paper_of(
        ctx,
        invoice,
        row,
        noun="invoice",
        title="Invoice" if invoice.status == "void" else invoice.document_title,
        mark=_MARKS.get(invoice.status, ""),
        mark_tone="good" if invoice.status in ("paid", "credited") else "bad",
        badge=_BADGES.get(invoice.status) or (Paper.Notice("bad", "Overdue") if invoice.is_overdue else None),
        notice=Paper.Notice(tone, text.format(seller=ctx.tenant.name)) if text else None,
        facts={
            "Date of issue": day(invoice.issue_date),
            "Due": day(invoice.due_date),
            "Your order": invoice.purchase_order,
            "Reference": invoice.reference,
            **dict(contract),
        },
        contract=contract,
        key=Paper.Key("Amount due", money(invoice.amount_due), f"Due {day(invoice.due_date)}") if owing else None,
        sums=_settled_sums(invoice, owing=owing),
        less=row.less_line_ids or (),
        whole="This claim" if invoice.claim == "progress" else "The work",
        taxed="the total and the deposit" if invoice.deposits_applied > 0 else "the total",  # it had none of its own
        states_gst=True,
        pay=how_to_pay(ctx, invoice.number, invoice.amount_due) if owing else (),
        url=hosted_url(ctx, row),
        amount_due=invoice.amount_due,
        due_date=invoice.due_date,
    )


def _contract_figures(invoice: Invoice) -> tuple[tuple[str, str], ...]:
    """Return a progress claim's figures about the contract, so that the client can check the amount payable."""
    claim = invoice.progress_claim
    if claim is None:
        return ()
    found = [("Contract sum including GST", claim.contract_sum), ("Claimed to date", claim.claimed_to_date)]
    if claim.number is not None:
        found.insert(1, ("Claimed with this claim", claim.claimed))
    if claim.released:
        found.append(("Retention released", claim.released))
    elif claim.retained:
        found.append(("Retained of this claim", claim.retained))
    if claim.released or claim.retained_to_date:
        found.append(("Retained to date", claim.retained_to_date))
    found.append(("Payable by this invoice", invoice.total))
    number = [("Progress claim", str(claim.number))] if claim.number is not None else []
    return (*number, *((label, money(amount)) for label, amount in found))


def _settled_sums(invoice: Invoice, *, owing: bool) -> Iterator[Paper.Sum]:
    for payment in invoice.payments:
        if payment.status == "recorded":
            yield Paper.Sum(f"Payment received on {day(payment.paid_on)}", money(-payment.amount))
    if invoice.amount_credited:
        yield Paper.Sum("Credited", money(-invoice.amount_credited))
    if invoice.cash_rounding:
        yield Paper.Sum("Cash rounding", money(-invoice.cash_rounding))
    if owing and invoice.amount_due != invoice.total:
        yield Paper.Sum("Amount due", money(invoice.amount_due), "due")
