"""Expenses, declared once: what is sent, shown, filtered, sorted, searched and stored."""

import datetime
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal

import sqlalchemy as sa
from msgspec import UNSET, Meta, Struct, UnsetType

from billycan import (
    ByCodePoint,
    Context,
    Decimals,
    Member,
    Named,
    Neighbours,
    NewResource,
    Query,
    Resource,
    RuleBroken,
    own,
    resource,
)
from billycan.fields import (
    Abn,
    Amount,
    Currency,
    Day,
    Description,
    Id,
    Moment,
    Name,
    NotNegative,
    Percent,
    Reference,
)
from billycan_contacts import api as contacts

from . import categories, rules
from .claim_status import claim, period_of
from .parts_schemas import MOST, ExpenseLine, ExpensePayment, NewExpenseLine, PaymentMethod
from .parts_tables import has_lines, lines
from .rules import NOTHING, ClaimStatus, GstCode, gst_fits, gst_rule

Status = Literal["recorded", "void"]
Include = Literal["line_items", "payments"]
NotStored = Member(stored=False)
_IN_PARTS = sa.text("payment_count > 0")


class NewExpense(NewResource, kw_only=True):
    """Money spent. One with `line_items` takes `amount`, `category_id`, `gst_code`, `gst` and `business_use_percent`
    from its lines.

    date: When the money was spent, or the date of the bill.
    amount: The amount spent, including GST; below zero for money that a supplier gave back. Required without lines.
    currency: Always AUD.
    description: What it was spent on.
    category_id: The category it belongs to. Required without lines.
    supplier_id: The contact it was paid to.
    supplier_name: Who it was paid to, if they are not a contact.
    supplier_abn: Their ABN, if they are not a contact.
    gst_code: How it was taxed; by default as the category says, else `gst`.
    gst: The GST on the receipt; by default 1/11 of the amount if the code is taxable.
    import_gst: Whether `gst` is what the customs document says was paid on imported goods; it may then be more than
      1/11, and needs no tax invoice.
    refunded_expense_id: For an amount below zero, the expense that the supplier refunds. The refund has the GST code,
      the business use and the other GST terms of that expense, and by default a proportional part of its GST.
    business_use_percent: How much of it was for business use, in percent; by default 100, or 0 in a category that is
      not deductible.
    for_input_taxed_sales: Whether it was bought to make input taxed sales, such as renting out a home: its GST cannot
      be claimed (s 11-15(2) GST Act).
    tax_invoice_held: Whether you hold a tax invoice, without which the GST on more than $82.50 cannot be claimed.
    tax_invoice_held_on: Since when you hold it; a date here says that you do. By default the expense's date, or today
      once it is recorded.
    paid_on: When it was paid; null if it was not. By default the expense's date, unless it has a `due_date`.
    due_date: When a bill is to be paid.
    tax_withheld: The amount kept back for the tax office because the supplier quoted no ABN (s 12-190 of Schedule 1 to
      the TAA 1953).
    payment_method: How it was paid, such as `card`, `bank_transfer` or `cash`.
    reference: A reference, such as the number of the receipt.
    job_id: The job it was made for.
    billable: Whether it should be charged to the job's client.
    line_items: What it was spent on, in order, where that belongs to several categories or is taxed in several ways.
    """

    required_without: ClassVar[dict[str, str]] = {"amount": "line_items", "category_id": "line_items"}

    date: Annotated[Day, Member(filter="range", sort="indexed")]
    amount: Annotated[Amount | None, Member(filter="range", sort=True, role="amount")] = None
    currency: Annotated[Currency, NotStored] = "AUD"
    description: Annotated[Description | None, Member(sort=True, search=True, role="title")] = None
    category_id: Annotated[Id | None, Member(filter="any", refers_to="expenses_categories")] = None
    supplier_id: Annotated[Id | None, Member(filter="any", refers_to="contacts")] = None
    supplier_name: Annotated[Name | None, Member(search=True)] = None
    supplier_abn: Annotated[Abn | None, Member(search=True)] = None
    gst_code: Annotated[GstCode | None, Member(filter="any")] = None
    gst: Annotated[Amount | None, Member(sort=True)] = None
    import_gst: Annotated[bool, Member(filter="one")] = False
    refunded_expense_id: Annotated[Id | None, Member(filter="any")] = None
    business_use_percent: Percent | None = None
    for_input_taxed_sales: Annotated[bool, Member(filter="one")] = False
    tax_invoice_held: Annotated[bool, Member(filter="one")] = False
    tax_invoice_held_on: Day | None = None
    paid_on: Annotated[Day | UnsetType | None, Member(filter="range", sort="indexed")] = UNSET
    due_date: Annotated[Day | None, Member(filter="range")] = None
    tax_withheld: NotNegative = Decimal("0.00")
    payment_method: Annotated[PaymentMethod | None, Member(filter="any")] = None
    reference: Annotated[Reference | None, Member(filter="one", search=True)] = None
    job_id: Annotated[Id | None, Member(filter="any")] = None
    billable: Annotated[bool, Member(filter="one")] = False
    line_items: Annotated[list[NewExpenseLine], Meta(max_length=MOST), NotStored] = []

    @property
    def total(self) -> Decimal:
        """The amount; that of the lines once they are worked out."""
        return NOTHING if self.amount is None else self.amount

    def __post_init__(self) -> None:
        for name in () if self.line_items else ("amount", "category_id"):
            if getattr(self, name) is None:
                raise RuleBroken("required", "is required without line_items", name)
        if self.due_date is not None and self.due_date < self.date:
            raise RuleBroken("out_of_range", "must not be before date", "due_date")
        if self.tax_invoice_held_on is not None:
            self.tax_invoice_held = True
        if not self.line_items:
            self.check_amount()
            if self.gst_code is not None:  # else the category's code applies
                self.check_gst(self.gst_code)
            if self.import_gst and self.gst is None:
                raise RuleBroken("required", "is required with import_gst: enter what the customs document says", "gst")
        for name in ("supplier_name", "supplier_abn"):
            if self.supplier_id is not None and getattr(self, name) is not None:
                raise RuleBroken(
                    "invalid_value", "cannot be combined with supplier_id: the contact has a name and an ABN", name
                )

    def check_amount(self) -> None:
        """Raise RuleBroken if the amount is zero, or does not go with the tax withheld or with a refund."""
        if not self.total:
            raise RuleBroken("out_of_range", "must not be zero", "amount")
        if self.tax_withheld > max(self.total, NOTHING):
            raise RuleBroken("out_of_range", "must not be more than the amount", "tax_withheld")
        if self.refunded_expense_id is not None and self.total > 0:
            raise RuleBroken("invalid_value", "is for an amount below zero", "refunded_expense_id")

    def check_gst(self, code: GstCode) -> None:
        """Raise RuleBroken if a receipt of this price and code cannot contain this GST."""
        if self.refunded_expense_id is not None:
            return  # the GST of the purchase limits it
        if self.gst is None or gst_fits(self.gst, self.total, code, import_gst=self.import_gst):
            return
        raise RuleBroken("out_of_range", gst_rule(code, import_gst=self.import_gst), "gst")


class GstBreakdown(Struct):
    """The GST within an amount, and how much of it the business can claim.

    net: The amount without GST.
    gst: The GST in it.
    rate: The rate of GST, in percent.
    gst_claimable: How much of the GST can be claimed: for business use, and 0 unless `claimable`.
    claim_status: Whether it can be claimed; awaits a tax invoice or the supplier's ABN; is too late (more than four
      years after the return was due, s 93-5 GST Act); is from a supplier who is not registered for GST, or from whose
      payment tax was withheld because there was no ABN; or cannot be claimed at all.
    """

    net: Amount
    gst: Amount
    rate: Percent
    gst_claimable: Amount
    claim_status: ClaimStatus


class ListedExpense(Resource):
    """Money spent, as lists show it: its lines and payments only on request.

    status: Whether it counts, or was voided.
    amount: The amount spent, including GST: the sum of its lines, if it has any.
    category: The category it belongs to. Of an expense with lines, `category_id`, `gst_code` and `business_use_percent`
      are those of its largest line, of those whose price contains GST if there are any.
    supplier: The contact it was paid to.
    gst_breakdown: Its GST, and how much can be claimed.
    paid_on: When all of it was paid, which is the date of its last payment; null if it was not.
    amount_paid: How much of it was paid.
    amount_due: The amount still to be paid; 0.00 if it is void.
    is_overdue: Whether money is still due and the due date has passed.
    invoice_id: The invoice that charges it to the job's client.
    voided_at: When it was voided.
    voided_on: The day from which it no longer counts; null for a mistake, which is in no figure.
    void_reason: Why it was voided.
    line_items: What it was spent on, in order; none if it has no lines. In lists only with `include=line_items`.
    payments: Its payments, the newest last, including reversed ones; none if it was paid all at once, as `paid_on`
      says. In lists only with `include=payments`.
    """

    status: Annotated[Status, Member(role="status", ends=("void",))]
    date: datetime.date
    amount: Decimal
    currency: Literal["AUD"]
    description: str | None
    category_id: str
    category: Named
    supplier_id: str | None
    supplier: Named | None
    supplier_name: str | None
    supplier_abn: str | None
    gst_code: GstCode
    gst: Decimal
    gst_breakdown: Annotated[GstBreakdown, NotStored]
    import_gst: bool
    refunded_expense_id: str | None
    business_use_percent: Decimal
    for_input_taxed_sales: bool
    tax_invoice_held: bool
    tax_invoice_held_on: datetime.date | None
    paid_on: datetime.date | None
    due_date: datetime.date | None
    tax_withheld: Decimal
    payment_method: str | None
    reference: str | None
    job_id: str | None
    billable: bool
    amount_paid: Annotated[Amount, Member(stored=False, role="amount")]
    amount_due: Annotated[Amount, Member(stored=False, role="amount")]
    is_overdue: Annotated[bool, Member(stored=False, role="alarm")]
    invoice_id: str | None
    voided_at: Annotated[Moment | None, Member(filter="range", sort=True, told_by="voided_on")]
    voided_on: Annotated[datetime.date | None, Member(filter="range")]
    void_reason: str | None
    line_items: Annotated[list[ExpenseLine] | UnsetType, NotStored] = UNSET
    payments: Annotated[list[ExpensePayment] | UnsetType, NotStored] = UNSET


class Expense(ListedExpense, kw_only=True):
    """Money spent, with its lines and payments.

    line_items: What it was spent on, in order; none if it has no lines.
    payments: Its payments, the newest last, including reversed ones; none if it was paid all at once, as `paid_on`
      says.
    """

    line_items: list[ExpenseLine]
    payments: list[ExpensePayment]


class ExpenseQuery(Query[ListedExpense], kw_only=True):
    """Parameters of the list of expenses, in addition to the filters by its members; `claim_status` is calculated.

    status: Expenses of any of these statuses; `unpaid` means recorded and not paid in full, and `overdue` those of
      them that were due before today.
    amount_due_from, amount_due_to: Expenses of which at least or at most so much is still to be paid.
    include: The members to include that lists otherwise leave out.
    """

    status: list[Literal[Status, "unpaid", "overdue"]] | None = None
    claim_status: list[ClaimStatus] | None = None
    amount_due_from: Amount | None = None
    amount_due_to: Amount | None = None
    include: list[Include] | None = None


neighbours = Neighbours(job_id="jobs")
charged_by = Neighbours(invoice_id="invoices")


def of_claim_status(ctx: Context, statuses: list[str]) -> sa.ColumnElement[bool]:
    """Match the expenses that have any of these claim statuses."""
    status = claim(period_of(ctx), expenses.table)
    return sa.or_(*(status == one for one in statuses))


def of_status(ctx: Context, statuses: list[str]) -> sa.ColumnElement[bool]:
    """Match the expenses of any of these statuses, including calculated ones."""
    table = expenses.table
    unpaid = (table.c.status == "recorded") & table.c.paid_on.is_(None)
    conditions = {"unpaid": unpaid, "overdue": unpaid & (table.c.due_date < ctx.today()) & (table.c.amount > NOTHING)}
    return sa.or_(*(conditions.get(status, table.c.status == status) for status in statuses))


def of_least_due(ctx: Context, least: Decimal) -> sa.ColumnElement[bool]:
    """Match the expenses of which at least so much is still to be paid."""
    return _amount_due() >= sa.literal(least, Decimals(2))


def of_most_due(ctx: Context, most: Decimal) -> sa.ColumnElement[bool]:
    """Match the expenses of which at most so much is still to be paid."""
    return _amount_due() <= sa.literal(most, Decimals(2))


def _amount_due() -> sa.ColumnElement[Any]:
    """The amount due, as in `rules.amount_due`."""
    c = expenses.table.c
    is_settled = (c.status == "void") | c.paid_on.is_not(None)
    return sa.case((is_settled, sa.literal(NOTHING, Decimals(2))), else_=c.amount - c.part_paid)


def of_lines(ctx: Context, member: str, values: list[str]) -> sa.ColumnElement[bool]:
    """Match the expenses that have any of these values, or a line that has."""
    itself = expenses.table.c[member].in_(values)
    if not has_lines(ctx):
        return itself
    found = sa.select(lines.c.expense_id).where(own(ctx, lines), lines.c[member].in_(values))
    return sa.or_(itself, ctx.among(expenses.table.c.id, found))


expenses = resource(
    "expenses",
    sends=NewExpense,
    shows=ListedExpense,
    prefix="exp",
    query=ExpenseQuery,
    more=(
        # The last day on which its GST can be claimed, and whether it was recorded later than that.
        sa.Column("claim_until", sa.Date, nullable=False),
        sa.Column("recorded_late", sa.Boolean, nullable=False),
        # No foreign keys: other plugins' records, and the purchase of a refund.
        *(sa.Column(name, ByCodePoint) for name in ("job_id", "invoice_id", "refunded_expense_id")),
        # The lodged tax period that counted it first, and that period's last day.
        sa.Column("lodged_in", ByCodePoint),
        sa.Column("lodged_until", sa.Date),
        # How many lines and payments it has, reversed ones too, and how much of its GST is for business use by line.
        sa.Column("line_count", sa.Integer, nullable=False, server_default="0"),
        sa.Column("lines_gst", Decimals(2)),
        sa.Column("payment_count", sa.Integer, nullable=False, server_default="0"),
        # The sum of the recorded payments, and the first day of one that was no mistake.
        sa.Column("part_paid", Decimals(2), nullable=False, server_default="0"),
        sa.Column("first_paid_on", sa.Date),
        sa.Index("ix_expenses_in_parts", "tenant_id", "id", sqlite_where=_IN_PARTS, postgresql_where=_IN_PARTS),
        sa.Index(None, "tenant_id", "category_id", "created_at", "id"),
        sa.Index(None, "tenant_id", "supplier_id", "created_at", "id"),
        sa.Index(None, "tenant_id", "job_id", "created_at", "id"),
        Neighbours.index("invoice_id"),
        Neighbours.index("refunded_expense_id"),
    ),
    references={"category": categories.names, "supplier": contacts.names},
    filters={
        "search": contacts.found_by("expenses", "supplier_id"),
        "status": of_status,
        "claim_status": of_claim_status,
        "amount_due_from": of_least_due,
        "amount_due_to": of_most_due,
        "category_id": lambda ctx, ids: of_lines(ctx, "category_id", ids),
        "gst_code": lambda ctx, codes: of_lines(ctx, "gst_code", codes),
    },
    actions=lambda expense: rules.allowed_actions(expense.status, rules.amount_due(expense), expense.part_paid),
    needs={
        "currency": (),
        "amount_paid": ("amount", "paid_on", "part_paid"),
        "amount_due": ("amount", "paid_on", "part_paid", "status"),
        "is_overdue": ("amount", "paid_on", "part_paid", "status", "due_date"),
        "line_items": ("line_count",),
        "payments": ("payment_count", "status"),
        "gst_breakdown": (
            *("date", "amount", "gst", "gst_code", "tax_invoice_held", "status", "business_use_percent"),
            *("supplier_id", "supplier_name", "supplier_abn", "tax_withheld", "import_gst", "for_input_taxed_sales"),
            *("refunded_expense_id", "tax_invoice_held_on", "claim_until", "recorded_late", "lines_gst"),
        ),
        "allowed_actions": ("status", "amount", "paid_on", "part_paid"),
    },
    points_at={**neighbours.plugins, **charged_by.plugins, "refunded_expense_id": "expenses"},
)
