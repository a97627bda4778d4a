"""What a document of lines and GST says on paper: what invoices, quotes and adjustment notes have in common."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

import msgspec

from billycan import Context, Row
from billycan.paper import Column, Paper, PaperLine, Party, Sum
from billycan_contacts import api as contacts

from .branding import brand_of
from .written import abn, address_lines, money, percent, price, quantity, untaxed


def paper_of(
    ctx: Context, document: Any, row: Row, *, facts: Mapping[str, Any], sums: Iterable[Sum] = (), **more: Any
) -> Paper:
    """The Paper of a document as it is shown, and of its row; `facts` that are empty are left out.

    `sums` come below the total, and `more` are members of Paper that differ from one kind of document to another.
    """
    with_gst = any(part.rate for part in document.gst_breakdown)
    inclusive = document.amounts_are == "inclusive"
    more.setdefault("remarks", remarks(document, with_gst=with_gst))
    return Paper(
        number=document.number,
        filename=document.number,
        dated=document.issue_date,
        is_draft=row.status == "draft",
        is_sandbox=ctx.tenant.environment == "sandbox",
        seller=seller(ctx),
        buyer=_buyer(ctx, document, row),
        client_id=document.client_id,
        email=contacts.emails(ctx, [document.client_id]).get(document.client_id) or "",
        facts=tuple((label, str(value)) for label, value in facts.items() if value),
        caption=_caption(with_gst=with_gst, inclusive=inclusive),
        columns=_columns(with_gst=with_gst, inclusive=inclusive),
        lines=tuple(_line(line, with_gst=with_gst, inclusive=inclusive) for line in document.line_items),
        sums=(*_sums(document, with_gst=with_gst, inclusive=inclusive), *sums),
        words=words(document),
        total=document.total,
        brand=brand_of(ctx),
        **more,
    )


def seller(ctx: Context) -> Party:
    """The business, as its profile has it today."""
    tenant = ctx.tenant
    return Party(
        name=tenant.name,
        legal_name=tenant.legal_name if tenant.legal_name and tenant.legal_name != tenant.name else "",
        abn=abn(tenant.abn) if tenant.abn else "",
        address=address_lines(msgspec.to_builtins(tenant.address)),
        phone=tenant.phone or "",
        email=tenant.email or "",
    )


def buyer(ctx: Context, client_id: str) -> Party:
    """A contact as it is today."""
    found = contacts.parties(ctx, [client_id])[client_id]
    return _party(found.name, found.abn, found.billing_address)


def how_to_pay(ctx: Context, reference: str, amount: Decimal) -> tuple[tuple[str, str], ...]:
    """The account and the PayID of the business, and what to say with the payment; nothing without either."""
    account, payid = ctx.tenant.bank_account, ctx.tenant.payid
    to: list[tuple[str, str]] = []
    if account:
        to += [("Account name", account.account_name), ("BSB", account.bsb), ("Account number", account.account_number)]
    if payid:
        to.append(("PayID", payid))
    if to and reference:
        to.append(("Payment reference", reference))
    return (*to, ("Amount", money(amount))) if to else ()


def remarks(document: Any, *, with_gst: bool, all_taxable: bool = False) -> tuple[str, ...]:
    """What must be said below the totals.

    Only where all of it is taxable and GST is an eleventh may a document say that its price includes GST
    (GSTR 2013/1, par 20).
    """
    discount = getattr(document, "discount_total", None)
    said = [f"The amounts are after discounts of {money(discount)}."] if discount else []
    if not with_gst:
        said.append("No GST has been charged.")
    elif all_taxable:
        said.append("Total price includes GST.")
    return tuple(said)


def words(document: Any) -> tuple[tuple[str, str], ...]:
    """The notes and terms of a document that has such."""
    found = (("Notes", getattr(document, "notes", None)), ("Terms", getattr(document, "terms", None)))
    return tuple((heading, text) for heading, text in found if text)


def _buyer(ctx: Context, document: Any, row: Row) -> Party:
    """Who a document is for: as they were when it was sent, as they are until then."""
    if row.client_name is None:
        return buyer(ctx, document.client_id)
    return _party(document.client.name, row.client_abn, row.client_address)


def _party(name: str, digits: str | None, address: Mapping[str, str | None] | None) -> Party:
    return Party(name=name, abn=abn(digits) if digits else "", address=address_lines(address))


def _caption(*, with_gst: bool, inclusive: bool) -> str:
    if not with_gst:
        return "No GST is charged on these amounts."
    return "Prices and amounts include GST." if inclusive else "Prices and amounts do not include GST."


def _columns(*, with_gst: bool, inclusive: bool) -> tuple[Column, ...]:
    note, label = ("incl. GST", "Amount including GST") if inclusive else ("excl. GST", "Amount without GST")
    amount = Column(title="Amount", note=note, label=label) if with_gst else Column(title="Amount")
    gst = (Column(title="GST"),) if with_gst else ()
    return (Column(title="Description", kind="words"), Column(title="Quantity"), Column(title="Price"), *gst, amount)


def _line(line: Any, *, with_gst: bool, inclusive: bool) -> PaperLine:
    less = [percent(line.discount_percent)] if getattr(line, "discount_percent", None) else []
    less += [money(line.discount_amount)] if getattr(line, "discount_amount", None) else []
    gst = (money(line.gst) if line.gst_code == "gst" else untaxed(line.gst_code),) if with_gst else ()
    amount = money(line.total if inclusive else line.net)
    cells = (line.description, quantity(line.quantity, line.unit), price(line.unit_price), *gst, amount)
    return PaperLine(cells, tuple(f"Less {words}" for words in less))


def _sums(document: Any, *, with_gst: bool, inclusive: bool) -> Iterable[Sum]:
    if with_gst and not inclusive:
        yield Sum("Subtotal without GST", money(document.subtotal))
        yield Sum("GST (10%)", money(document.gst))
    yield Sum("Total including GST" if with_gst else "Total", money(document.total), "strong")
    if with_gst and inclusive:
        yield Sum("GST (10%) in the total", money(document.gst))
