"""Exports of sales and bills, for those who collect and pay in other accounting software.

An export has the documents of its days that no earlier export of its format had: the first entry that a document has of
its income or costs decides, as it is never changed. A document's lines are its income or costs by account, and so they
come to what the ledger has.
"""

import datetime
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from functools import cache
from typing import Any, Literal

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Row
from billycan.sql import ByIds, Statement
from billycan_contacts import api as contacts

from . import accounts
from .entries import entries

MOST_DOCUMENTS = 2_000  # of one export
MOST_OF_A_FILE = 500  # says Xero

PLUGIN = {"sales": "invoices", "bills": "expenses"}
_ROLES = {"sales": ("sales", "deposits_held"), "bills": ("purchases", "capital_purchases")}
_KINDS = {"sales": ("invoice", "adjustment_note"), "bills": ("expense",)}
# Prices that differ from eleven times their GST by no more than rounding are taxed as a whole.
_ROUNDING = Decimal("0.05")
_NOTHING = Decimal("0.00")

# What the other software calls each GST code; what is taxed but not claimed is `out_of_scope`.
TAX_NAMES = {
    "xero_sales": {
        "gst": "GST on Income",
        "gst_free": "GST Free Income",
        "export": "GST Free Exports",
        "input_taxed": "Input Taxed",
        "out_of_scope": "BAS Excluded",
    },
    "xero_bills": {
        "gst": "GST on Expenses",
        "capital": "GST on Capital",
        "gst_free": "GST Free Expenses",
        "capital_gst_free": "GST Free Capital",
        "input_taxed": "GST Free Expenses",
        "out_of_scope": "BAS Excluded",
    },
    "myob_sales": {"gst": "GST", "gst_free": "FRE", "export": "EXP", "input_taxed": "ITS", "out_of_scope": "N-T"},
    "myob_bills": {
        "gst": "GST",
        "capital": "CAP",
        "gst_free": "FRE",
        "capital_gst_free": "FRE",
        "input_taxed": "FRE",
        "out_of_scope": "N-T",
    },
}

Of = Literal["sales", "bills"]


def kind_of(format: str) -> Of:
    """Tell whether a format is one of sales or of bills."""
    return "sales" if format.endswith("_sales") else "bills"


class Part(Struct, frozen=True):
    """The charge of a document in an account: the amount with GST, the GST in it, and how it is taxed."""

    account_id: str
    tax: str
    amount: Decimal
    gst: Decimal
    tracking: tuple[tuple[str, str], ...] = ()


class Document(Struct):
    """An invoice, an adjustment note or an expense, as other software imports it: below zero for a note or refund."""

    number: str
    whose: str
    date: datetime.date
    due_on: datetime.date
    reference: str
    purchase_order: str
    words: str
    parts: list[Part]


def find(ctx: Context, chosen: Mapping[str, Any]) -> list[Document] | None:
    """Return the documents of an export, by day, without void ones; None if there are more than an export has.

    `chosen` has the columns of the export: its days, its format and number, and the ledger's last entry then.
    """
    of = kind_of(chosen["format"])
    if not ctx.has(PLUGIN[of]):
        return []
    values = {"tenant_id": ctx.tenant_id, **chosen, "most": MOST_DOCUMENTS + 1}
    rows: list[Any] = _of_export(of).all(ctx.db, values, in_turns=True)
    if len(rows) > MOST_DOCUMENTS:
        return None
    ids = [row.document_id for row in rows]
    booked = defaultdict[str, list[Row]](list)
    for row in ctx.in_turns(_BOOKED.all(ctx.db, ctx.tenant_id, ids)):
        booked[row.document_id].append(row)
    made = _find_sales(ctx, ids, booked, chosen["last"]) if of == "sales" else _find_bills(ctx, ids, booked)
    return [made[id] for id in ids if id in made]


def _find_sales(ctx: Context, ids: Sequence[str], booked: dict[str, list[Row]], last: int) -> dict[str, Document]:
    from billycan_invoices import api as invoices  # noqa: PLC0415 - there only where that plugin is

    found = invoices.charged(ctx, ids)
    names = contacts.names_now(ctx, {one.client_id for one in found.values()})
    return {
        id: Document(
            number=one.number,
            whose=names.get(one.client_id, ""),
            date=one.dated,
            due_on=one.due_on,
            reference=one.reference or "",
            purchase_order=one.purchase_order or "",
            words=f"{'Adjustment note' if one.total < 0 else 'Invoice'} {one.number}",
            parts=_income_by_account([row for row in booked[id] if row.sequence <= last], one.total),
        )
        for id, one in ctx.in_turns(found.items())
    }


def _income_by_account(rows: Iterable[Row], total: Decimal) -> list[Part]:
    """Return the income of a document by account; its GST is that of the taxed accounts, in proportion."""
    sums = defaultdict[Any, Decimal](lambda: _NOTHING)
    for row in rows:
        if row.role in _ROLES["sales"]:
            sums[row.account_id, row.gst_code or "out_of_scope", tuple(sorted(row.tracking.items()))] -= row.amount
    left, of = total - sum(sums.values()), sum((net for (_, code, _), net in sums.items() if code == "gst"), _NOTHING)
    parts = []
    for (account_id, code, tracking), net in sums.items():
        gst = _NOTHING
        if code == "gst" and of:
            gst = left if net == of else (left * net / of).quantize(Decimal("0.01"))
            left, of = left - gst, of - net
        if net:
            parts.append(Part(account_id, code, net + gst, gst, tracking))
    return parts


def _find_bills(ctx: Context, ids: Sequence[str], booked: dict[str, list[Row]]) -> dict[str, Document]:
    from billycan_expenses import api as expenses  # noqa: PLC0415 - there only where that plugin is

    found = expenses.bought(ctx, ids)
    names = contacts.names_now(ctx, {one.supplier_id for one in found.values() if one.supplier_id})
    made, taken = {}, set[tuple[str, str]]()
    for id, one in ctx.in_turns(found.items()):
        whose = names.get(one.supplier_id or "", one.supplier_name or "No supplier")
        number = one.reference or id
        if (whose, number) in taken:  # two bills of one number would be imported as one
            number = f"{number} {id}"
        taken.add((whose, number))
        made[id] = Document(
            number=number,
            whose=whose,
            date=one.dated,
            due_on=one.due_on,
            reference=one.reference or "",
            purchase_order="",
            words=one.description or one.reference or f"Expense of {one.dated}",
            parts=_costs_by_account(one, booked[id]),
        )
    return made


def _costs_by_account(one: Any, rows: Sequence[Row]) -> list[Part]:
    """Return the costs of an expense by account, split into what GST is claimed on and the rest."""
    account_of = {(row.role, row.of): row.account_id for row in rows}
    tracking = next((tuple(sorted(row.tracking.items())) for row in reversed(rows) if row.tracking), ())
    sums: dict[tuple[str, str], tuple[Decimal, Decimal]] = {}
    for cost in one.costs:
        account_id = account_of.get((cost.role, cost.category_id), accounts.account_of(cost.role))
        is_taxed, taxed = cost.gst_code in ("gst", "capital"), 11 * cost.credit
        if is_taxed and cost.credit and abs(cost.amount - taxed) <= _ROUNDING:
            taxed = cost.amount
        for code, amount, gst in (
            (cost.gst_code, taxed if is_taxed else cost.amount, cost.credit),
            ("out_of_scope", cost.amount - taxed if is_taxed else _NOTHING, _NOTHING),
        ):
            before = sums.get((account_id, code), (_NOTHING, _NOTHING))
            sums[account_id, code] = before[0] + amount, before[1] + gst
    return [
        Part(account_id, code, amount, gst, tracking) for (account_id, code), (amount, gst) in sums.items() if amount
    ]


def files(documents: Sequence[Document], format: str) -> list[Sequence[Document]]:
    """Return the documents of each file, of which there is at least one."""
    most = MOST_OF_A_FILE if format.startswith("xero") else MOST_DOCUMENTS
    return [documents[first : first + most] for first in range(0, max(len(documents), 1), most)]


_ADDRESS = (
    "EmailAddress",
    *(f"POAddressLine{n}" for n in range(1, 5)),
    "POCity",
    "PORegion",
    "POPostalCode",
    "POCountry",
)
_TRACKED = ("TrackingName1", "TrackingOption1", "TrackingName2", "TrackingOption2", "Currency")
_LINE = ("*Quantity", "*UnitAmount")
_TAX = ("*AccountCode", "*TaxType", "TaxAmount", *_TRACKED)
_XERO = {
    "sales": (
        *("*ContactName", *_ADDRESS, "*InvoiceNumber", "Reference", "*InvoiceDate", "*DueDate", "Total"),
        *("InventoryItemCode", "*Description", *_LINE, "Discount", *_TAX, "BrandingTheme"),
    ),
    "bills": (
        *("*ContactName", *_ADDRESS, "*InvoiceNumber", "*InvoiceDate", "*DueDate", "Total", "InventoryItemCode"),
        *("Description", *_LINE, *_TAX),
    ),
}
_MYOB = {
    "sales": ("Co./Last Name", "Inclusive", "Invoice #", "Date", "Customer PO"),
    "bills": ("Co./Last Name", "Inclusive", "Purchase #", "Date", "Supplier Invoice #"),
}
_MYOB_LINE = ("Description", "Account #", "Amount", "Inc-Tax Amount", "Journal Memo", "Tax Code", "GST Amount")
_MYOB_STATUS = {"sales": ("Sale Status", "I"), "bills": ("Purchase Status", "B")}
_MOST_OF_MYOB = 255  # characters of a description


def xero(documents: Iterable[Document], format: str, chart: Any) -> tuple[Sequence[str], list[list[Any]]]:
    """Return the columns and lines of a file for Xero: one unit of each part, at its price with GST."""
    of = kind_of(format)
    columns, names = _XERO[of], TAX_NAMES[format]
    lines = []
    for one in documents:
        for part in one.parts:
            tracking = dict(zip(_TRACKED, [text for pair in part.tracking for text in pair], strict=False))
            cells = {
                "*ContactName": one.whose,
                "*InvoiceNumber": one.number,
                "Reference": one.reference,
                "*InvoiceDate": f"{one.date:%d/%m/%Y}",
                "*DueDate": f"{one.due_on:%d/%m/%Y}",
                "*Description": one.words,
                "Description": one.words,
                "*Quantity": 1,
                "*UnitAmount": part.amount,
                "*AccountCode": chart[part.account_id].code,
                "*TaxType": names[part.tax],
                "TaxAmount": part.gst,
                "Currency": "AUD",
                **tracking,
            }
            lines.append([cells.get(name, "") for name in columns])
    return columns, lines


def myob(documents: Sequence[Document], format: str, chart: Any) -> list[Sequence[Any]]:
    """Return the lines of a file for MYOB, with an empty one between two documents."""
    of = kind_of(format)
    names, (status_name, status) = TAX_NAMES[format], _MYOB_STATUS[of]
    lines: list[Sequence[Any]] = [(*_MYOB[of], *_MYOB_LINE, status_name)]
    for place, one in enumerate(documents):
        if place:
            lines.append(())
        numbers = (one.number, f"{one.date:%d/%m/%Y}", one.purchase_order)
        if of == "bills":  # MYOB numbers its purchases itself
            numbers = ("", f"{one.date:%d/%m/%Y}", one.number)
        for part in one.parts:
            lines.append(
                (
                    *(one.whose, "X", *numbers, one.words[:_MOST_OF_MYOB], chart[part.account_id].code),
                    *(f"{part.amount - part.gst:.2f}", f"{part.amount:.2f}", one.words[:_MOST_OF_MYOB]),
                    *(names[part.tax], f"{part.gst:.2f}", status),
                )
            )
    return lines


@cache
def _of_export(of: Of) -> Statement:
    """Select the documents of an export: each by the first of its entries of income or costs."""
    from .exports import exports  # noqa: PLC0415 - it makes exports of these, too

    mine: Any = sa.bindparam("tenant_id")
    earlier = exports.alias("earlier")
    had = sa.exists().where(
        earlier.c.tenant_id == mine,
        earlier.c.format == sa.bindparam("format"),
        earlier.c.sequence < sa.bindparam("sequence", type_=sa.BigInteger),
        entries.c.date.between(earlier.c.since, earlier.c.until),
        entries.c.sequence <= earlier.c.last,
    )
    since, until = (sa.bindparam(name, type_=sa.Date) for name in ("since", "until"))
    where = (
        *(entries.c.tenant_id == mine, entries.c.date.between(since, until)),
        *(entries.c.document_kind.in_(_KINDS[of]), entries.c.role.in_(_ROLES[of])),
        *(entries.c.sequence <= sa.bindparam("last", type_=sa.BigInteger), _is_first(entries, of), ~had),
        ~_had_as_journal(exports),
    )
    in_order = sa.select(entries.c.document_id).where(*where).order_by(entries.c.date, entries.c.document_id)
    return Statement(in_order.limit(sa.bindparam("most", type_=sa.Integer)))


def had_document(exports: sa.Table) -> sa.ColumnElement[bool]:
    """The condition that an earlier export of other days had an entry's document as a sale or a bill for the same
    software: whatever happens to it later is done there, too.
    """
    earlier, first = exports.alias("documents"), entries.alias("first")
    of_format = sa.bindparam("format", type_=sa.Text)
    return sa.or_(
        *(
            sa.exists().where(
                *_of_other_days(earlier, of_format + f"_{of}"),
                first.c.tenant_id == sa.bindparam("tenant_id"),
                first.c.document_id == entries.c.document_id,
                *(first.c.role.in_(_ROLES[of]), _is_first(first, of)),
                *(first.c.date.between(earlier.c.since, earlier.c.until), first.c.sequence <= earlier.c.last),
            )
            for of in PLUGIN
        )
    )


def _had_as_journal(exports: sa.Table) -> sa.ColumnElement[bool]:
    """The condition that an earlier export of other days had an entry's document in its journals for the same
    software.
    """
    earlier, booked = exports.alias("journals"), entries.alias("booked")
    software = sa.case((sa.bindparam("format", type_=sa.Text).startswith("xero"), "xero"), else_="myob")
    return sa.exists().where(
        *_of_other_days(earlier, software),
        booked.c.tenant_id == entries.c.tenant_id,
        booked.c.document_id == entries.c.document_id,
        *(booked.c.date.between(earlier.c.since, earlier.c.until), booked.c.sequence <= earlier.c.last),
    )


def _of_other_days(earlier: Any, format: sa.ColumnElement[str]) -> tuple[sa.ColumnElement[bool], ...]:
    since, until = (sa.bindparam(name, type_=sa.Date) for name in ("since", "until"))
    return (
        earlier.c.tenant_id == sa.bindparam("tenant_id"),
        earlier.c.format == format,
        earlier.c.sequence < sa.bindparam("sequence", type_=sa.BigInteger),
        (earlier.c.until < since) | (earlier.c.since > until),
    )


def _is_first(entry: Any, of: str) -> sa.ColumnElement[bool]:
    """The condition that an entry is the first of its document's income or costs."""
    before = entries.alias("before")
    return ~sa.exists().where(
        before.c.tenant_id == sa.bindparam("tenant_id"),
        before.c.document_id == entry.c.document_id,
        before.c.role.in_(_ROLES[of]),
        before.c.sequence < entry.c.sequence,
    )


_BOOKED = ByIds(
    sa.select(
        *(
            entries.c[name]
            for name in ("document_id", "sequence", "account_id", "role", "of", "gst_code", "tracking", "amount")
        )
    ).order_by(entries.c.sequence),
    entries.c.document_id,
)
