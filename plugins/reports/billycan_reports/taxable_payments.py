"""Payments to contractors in a financial year, for the taxable payments annual report (TPAR)."""

import datetime
from decimal import Decimal
from typing import Annotated

import msgspec
from msgspec import Meta, Struct

from billycan import Address, Context, Named, Reply
from billycan.fields import Amount
from billycan_contacts import api as contacts

_FIGURES = ("gross", "gst", "tax_withheld")


class Contractor(Struct):
    """The payments to a contractor in a financial year.

    supplier_id: The contact.
    supplier: The contact.
    abn: Their ABN, if known.
    address: Their billing address, or else the site's, if known.
    phone: Their phone number, if known.
    email: Their email address, if known.
    payments: How many expenses were paid to them.
    gross: The amount paid to them, including GST and the tax withheld.
    gst: The GST in it; none if they have no ABN, or are known not to be registered for GST.
    tax_withheld: The amount kept back for the tax office because no ABN was quoted.
    missing: The members that the report needs and the contact does not have, such as `abn`.
    """

    supplier_id: str
    supplier: Named
    abn: str | None
    address: Address | None
    phone: str | None
    email: str | None
    payments: int
    gross: Amount
    gst: Amount
    tax_withheld: Amount
    missing: list[str]


class TaxablePayments(Struct):
    """The payments to contractors in a financial year.

    year: The year in which it ends.
    from: Its first day, 1 July.
    to: Its last day, 30 June.
    gross: The total paid to them, including GST and the tax withheld.
    gst: The GST in it.
    tax_withheld: The amount kept back for the tax office.
    contractors: The payments to each, by name.
    """

    year: int
    since: datetime.date = msgspec.field(name="from")
    until: datetime.date = msgspec.field(name="to")
    gross: Amount
    gst: Amount
    tax_withheld: Amount
    contractors: list[Contractor]


class TaxablePaymentsQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """The financial year of the report.

    year: The year in which it ends, on 30 June; by default, the present one.
    """

    year: Annotated[int, Meta(ge=1901, le=2200)] | None = None


def get_taxable_payments(ctx: Context, query: TaxablePaymentsQuery) -> TaxablePayments:
    """Payments in a financial year to contacts marked `contractor`.

    Expenses count by `paid_on`; unpaid and void ones are left out, and money that was paid back is taken off.
    Contractors are listed whether or not their ABN is known: `missing` says what the report lacks (s 396-55 of Schedule
    1 to the TAA 1953). With `Accept: text/csv` it is a CSV file.
    """
    from billycan_expenses import api as expenses  # noqa: PLC0415 - there only where that plugin is

    year = query.year or ctx.today().year + (ctx.today().month > 6)
    since, until = datetime.date(year - 1, 7, 1), datetime.date(year, 6, 30)
    paid = expenses.paid_to_each(ctx, since, until)
    found = contacts.contractors(ctx, paid)
    listed = [_show_contractor(one, paid[one.id]) for one in found]
    gross, gst, withheld = (sum((getattr(one, name) for one in listed), Decimal("0.00")) for name in _FIGURES)
    return TaxablePayments(year, since, until, gross, gst, withheld, listed)


def get_taxable_payments_as_csv(ctx: Context, query: TaxablePaymentsQuery) -> Reply:
    """The same report as a CSV file.

    A row for each contractor; the address is in columns of its own.
    """
    report = get_taxable_payments(ctx, query)
    parts = Address.__struct_fields__
    before, after = ("supplier_id", "supplier", "abn"), ("phone", "email", "payments", *_FIGURES)
    rows = (
        [
            one.supplier_id,
            one.supplier.name,
            one.abn,
            *(getattr(one.address, part, None) for part in parts),
            *(getattr(one, name) for name in after),
        ]
        for one in report.contractors
    )
    return Reply.csv(f"taxable-payments-{report.year}", (*before, *parts, *after), rows)


def _show_contractor(one: contacts.Contractor, paid: tuple[int, Decimal, Decimal, Decimal]) -> Contractor:
    address, (payments, gross, gst, withheld) = one.billing_address or one.site_address, paid
    gst = gst if one.abn and one.gst_registered is not False else gst * 0
    lacks = [name for name, value in (("abn", one.abn), ("address", address)) if not value]
    return Contractor(
        one.id, Named(one.id, one.name), one.abn, address, one.phone, one.email, payments, gross, gst, withheld, lacks
    )
