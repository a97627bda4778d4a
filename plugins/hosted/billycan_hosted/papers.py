"""The parts of a Paper that invoices, quotes and adjustment notes have in common: parties, lines and totals."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec

from billycan import Context, Row
from billycan.paper import Paper
from billycan_contacts import api as contacts
from billycan_documents.api import RATES, Charge, round_cents, totals

from .branding import brand_of
from .written import abn, address_lines, money, percent, price, quantity, untaxed

ZERO = Decimal("0.00")


def paper_of(
    ctx: Context,
    document: Any,
    row: Row,
    *,
    facts: Mapping[str, Any],
    sums: Iterable[Paper.Sum] = (),
    less: Collection[str] = (),
    whole: str = "The work",
    taxed: str = "the total",
    states_gst: bool = False,
    **more: Any,
) -> Paper:
    """Return the Paper of a document as it is shown, and of its row; empty `facts` are left out.

    `sums` follow the total, and `more` are members of Paper that depend on the kind of document. `less` are the ids of
    lines that deduct earlier invoices or a retention: they stand between the document's total and that of the `whole`,
    such as "work". The document's GST is that in `taxed`. With `states_gst` the total says that it includes GST, if the
    law allows that.
    """
    with_gst = any(part.rate for part in document.gst_breakdown)
    inclusive = document.amounts_are == "inclusive"
    work = [line for line in document.line_items if line.id not in less]
    discounted = bool(_of_document(document))
    return Paper(
        number=document.number,
        filename=document.number,
        dated=document.issue_date,
        is_draft=row.status == "draft",
        is_sandbox=ctx.tenant.environment == "sandbox",
        seller=seller(ctx),
        buyer=_buyer_of(ctx, document, row),
        client_id=document.client_id,
        email=contacts.emails(ctx, [document.client_id]).get(document.client_id) or "",
        facts=(
            *((label, str(value)) for label, value in facts.items() if value),
            *(fact for _, each in ctx.app.offered(Paper.Facts) for fact in each.of(ctx, document.id)),
        ),
        caption=_caption_of(with_gst=with_gst, inclusive=inclusive),
        columns=_choose_columns(with_gst=with_gst, inclusive=inclusive),
        lines=tuple(_build_line(line, with_gst=with_gst, inclusive=inclusive, discounted=discounted) for line in work),
        sums=(
            *_build_sums(document, work, (whole, taxed), with_gst=with_gst, inclusive=inclusive, states_gst=states_gst),
            *sums,
        ),
        remarks=() if with_gst else ("No GST has been charged.",),
        words=words(document),
        total=document.total,
        brand=brand_of(ctx),
        **more,
    )


def seller(ctx: Context) -> Paper.Party:
    """Return the business as its profile shows it today."""
    tenant = ctx.tenant
    return Paper.Party(
        name=tenant.name,
        legal_name=tenant.legal_name if tenant.legal_name and tenant.legal_name != tenant.name else "",
        abn=abn(tenant.abn) if tenant.abn else "",
        address=address_lines(msgspec.to_builtins(tenant.address)),
        phone=tenant.phone or "",
        email=tenant.email or "",
    )


def buyer(ctx: Context, client_id: str) -> Paper.Party:
    """Return a contact as it is today."""
    found = contacts.parties(ctx, [client_id])[client_id]
    return _build_party(found.name, found.abn, found.billing_address)


def how_to_pay(ctx: Context, reference: str, amount: Decimal) -> tuple[tuple[str, str], ...]:
    """Return the business's bank account, its PayID and the payment reference; empty if it has neither."""
    account, payid = ctx.tenant.bank_account, ctx.tenant.payid
    to: list[tuple[str, str]] = []
    if account:
        to += [("Account name", account.account_name), ("BSB", account.bsb), ("Account number", account.account_number)]
    if payid:
        to.append(("PayID", payid))
    if to and reference:
        to.append(("Payment reference", reference))
    return (*to, ("Amount", money(amount))) if to else ()


def words(document: Any) -> tuple[tuple[str, str], ...]:
    """Return the notes and terms of a document, with their headings."""
    found = (("Notes", getattr(document, "notes", None)), ("Terms", getattr(document, "terms", None)))
    return tuple((heading, text) for heading, text in found if text)


def _buyer_of(ctx: Context, document: Any, row: Row) -> Paper.Party:
    """Return a document's client: as it was when the document was sent, or as it is now if it was not sent yet."""
    if row.client_name is None:
        return buyer(ctx, document.client_id)
    return _build_party(document.client.name, row.client_abn, row.client_address)


def _build_party(name: str, digits: str | None, address: Mapping[str, str | None] | None) -> Paper.Party:
    return Paper.Party(name=name, abn=abn(digits) if digits else "", address=address_lines(address))


def _caption_of(*, with_gst: bool, inclusive: bool) -> str:
    if not with_gst:
        return "No GST is charged on these amounts."
    return "Prices and amounts include GST." if inclusive else "Prices and amounts do not include GST."


def _choose_columns(*, with_gst: bool, inclusive: bool) -> tuple[Paper.Column, ...]:
    note, label = ("incl. GST", "Amount including GST") if inclusive else ("excl. GST", "Amount without GST")
    amount = Paper.Column(title="Amount", note=note, label=label) if with_gst else Paper.Column(title="Amount")
    gst = (Paper.Column(title="GST"),) if with_gst else ()
    return (
        Paper.Column(title="Description", kind="words"),
        Paper.Column(title="Quantity"),
        Paper.Column(title="Price"),
        *gst,
        amount,
    )


def _build_line(line: Any, *, with_gst: bool, inclusive: bool, discounted: bool) -> Paper.Line:
    """Return a row of the table, before the document's discount, which follows with its own amount."""
    less = [percent(line.discount_percent)] if getattr(line, "discount_percent", None) else []
    less += [money(line.discount_amount)] if getattr(line, "discount_amount", None) else []
    tax = untaxed(line.gst_code) if line.gst_code != "gst" else percent(RATES["gst"]) if discounted else money(line.gst)
    amount = _before_discount(line) if discounted else line.total if inclusive else line.net
    cells = (line.description, quantity(line.quantity, line.unit), price(line.unit_price))
    return Paper.Line((*cells, *((tax,) if with_gst else ()), money(amount)), tuple(f"Less {words}" for words in less))


def _of_document(document: Any) -> str:
    """Return the document's discount in words; empty if it has none."""
    if share := getattr(document, "discount_percent", None):
        return f"Discount of {percent(share)}"
    return "Discount" if getattr(document, "discount_amount", None) else ""


def _before_discount(line: Any) -> Decimal:
    """Return a line's amount, as its price was entered, before its share of the document's discount."""
    charge = Charge(line.quantity, line.unit_price, "out_of_scope", line.discount_percent, line.discount_amount)
    return totals([charge], amounts_are="exclusive", gst_rounding="total_invoice").subtotal


def _build_sums(
    document: Any, work: Sequence[Any], named: tuple[str, str], *, with_gst: bool, inclusive: bool, states_gst: bool
) -> Iterator[Paper.Sum]:
    """Yield the totals of the work and, if some of it was invoiced before, the deductions and the remainder.

    `named` are the words for the work, and for what has the document's GST in it.
    """
    whole, taxed = named
    subtotal, gst = sum((line.net for line in work), ZERO), sum((line.gst for line in work), ZERO)
    if discount := _of_document(document):
        amount = subtotal + gst if inclusive else subtotal
        yield Paper.Sum(discount, money(amount - sum(map(_before_discount, work))))
    if with_gst and not inclusive:
        yield Paper.Sum("Subtotal without GST", money(subtotal))
        yield Paper.Sum("GST (10%)", money(gst))
    less = [line for line in document.line_items if line not in work]
    if less:
        yield Paper.Sum(f"{whole}, including GST" if with_gst else whole, money(subtotal + gst), "strong")
        for words, (net, tax) in _by_words(less).items():
            including = f", including GST of {money(-tax)}" if tax else ""
            yield Paper.Sum(words + including, money(net + tax))
    # A document may say so only if all of it is taxable and GST is an eleventh (GSTR 2013/1, par 20).
    codes = [part.gst_code for part in document.gst_breakdown]
    is_eleventh = states_gst and codes == ["gst"] and document.gst == round_cents(Fraction(document.total) / 11)
    label = "Total price includes GST" if is_eleventh else "Total including GST" if with_gst else "Total"
    yield Paper.Sum(label, money(document.total), "strong")
    if with_gst and (inclusive or less):
        yield Paper.Sum(f"GST (10%) in {taxed}", money(document.gst))


def _by_words(less: Iterable[Any]) -> dict[str, tuple[Decimal, Decimal]]:
    """Map the words of each deduction, such as `Less INV-0007: Heat pump`, to its amount and the GST in it."""
    found: dict[str, tuple[Decimal, Decimal]] = {}
    for line in less:
        words = line.description.partition(":")[0]
        net, gst = found.get(words, (ZERO, ZERO))
        found[words] = net + line.net, gst + line.gst
    return found
