"""Structs that clients send and receive."""

import datetime
from decimal import Decimal
from typing import TYPE_CHECKING, Annotated, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType

from billycan import Member, Named, NewResource, PageQuery, Paging, Resource, RuleBroken
from billycan.fields import (
    Abn,
    Amount,
    Currency,
    Day,
    DayOrInstant,
    Description,
    Id,
    Moment,
    Name,
    NotNegative,
    Percent,
    Reference,
    Search,
    Text,
)
from billycan.gst import Undoing

from .rules import TAXABLE, ClaimStatus, GstCode, gst_fits

Status = Literal["recorded", "void"]
GroupBy = Literal["category", "gst_code", "month"]


PaymentMethod = Annotated[
    str, Text("How it was paid, such as `card`, `bank_transfer` or `cash`.", least=1, most=50, kind="word")
]
Reason = Annotated[str, Text("Why something was done.", least=1, most=500)]


class NewCategory(NewResource, kw_only=True):
    """A category of expenses.

    name: Its name.
    gst_code: The GST code of its expenses, unless they say another; without one it is `gst`.
    gst_required: Whether `gst` has to be entered, because it is not 1/11 of the amount: an insurance premium includes
      stamp duty.
    deductible: Whether its expenses are deductible for income tax. The GST on those that are not, such as
      entertainment, cannot be claimed (s 69-5 GST Act), so their `business_use_percent` is 0 unless they say another.
    """

    name: Name
    gst_code: GstCode | None = None
    gst_required: bool = False
    deductible: bool = True


class Category(Resource):
    """A category of expenses, as shown."""

    name: str
    gst_code: GstCode | None
    gst_required: bool
    deductible: bool


class CategoryQuery(PageQuery, kw_only=True):
    """Filters of categories."""

    sortable = ("created_at", "updated_at", "name")

    search: Search | None = None


class NewExpense(NewResource, kw_only=True):
    """Money spent.

    date: When the money was spent, or the date of the bill.
    amount: What was spent, including GST; below zero for what a supplier gave back.
    currency: Always AUD.
    description: What it was spent on.
    category_id: The category it belongs to.
    supplier_id: The contact it was paid to.
    supplier_name: Who it was paid to, if they are not a contact.
    supplier_abn: Their ABN, if they are not a contact.
    gst_code: How it was taxed; by default as the category says, else `gst`.
    gst: The GST on the receipt; by default 1/11 of the amount if the code is taxable.
    import_gst: Whether `gst` is what the customs document says was paid on imported goods; it may then be more than
      1/11, and needs no tax invoice.
    refunded_expense_id: The expense of which the supplier gives back, for an amount below zero. Its GST code, its
      business use and its other GST terms are those of that expense, and `gst` by default its share of that GST.
    business_use_percent: How much of it was for business use, in percent; by default 100, or 0 in a category that is
      not deductible.
    for_input_taxed_sales: Whether it was bought to make input taxed sales, such as renting out a home: its GST cannot
      be claimed (s 11-15(2) GST Act).
    tax_invoice_held: Whether you hold a tax invoice, without which the GST on more than $82.50 cannot be claimed.
    tax_invoice_held_on: Since when you hold it; a date here says that you do. By default the expense's date, or today
      once it is recorded.
    paid_on: When it was paid; null if it was not. By default the expense's date, unless it has a `due_date`.
    due_date: When a bill is to be paid.
    tax_withheld: What was kept back for the tax office because the supplier quoted no ABN (s 12-190 of Schedule 1 to
      the TAA 1953).
    payment_method: How it was paid, such as `card`, `bank_transfer` or `cash`.
    reference: A reference, such as the number of the receipt.
    job_id: The job it was made for.
    billable: Whether it should be charged to the job's client.
    """

    date: Day
    amount: Amount
    currency: Currency = "AUD"
    description: Description | None = None
    category_id: Id
    supplier_id: Id | None = None
    supplier_name: Name | None = None
    supplier_abn: Abn | None = None
    gst_code: GstCode | None = None
    gst: Amount | None = None
    import_gst: bool = False
    refunded_expense_id: Id | None = None
    business_use_percent: Percent | None = None
    for_input_taxed_sales: bool = False
    tax_invoice_held: bool = False
    tax_invoice_held_on: Day | None = None
    paid_on: Day | UnsetType | None = UNSET
    due_date: Day | None = None
    tax_withheld: NotNegative = Decimal("0.00")
    payment_method: PaymentMethod | None = None
    reference: Reference | None = None
    job_id: Id | None = None
    billable: bool = False

    def __post_init__(self) -> None:
        if not self.amount:
            raise RuleBroken("out_of_range", "must not be zero", "amount")
        if self.tax_withheld > max(self.amount, Decimal(0)):
            raise RuleBroken("out_of_range", "must not be more than the amount", "tax_withheld")
        if self.due_date is not None and self.due_date < self.date:
            raise RuleBroken("out_of_range", "must not be before date", "due_date")
        if self.tax_invoice_held_on is not None:
            self.tax_invoice_held = True
        if self.gst_code is not None:  # else the category's code applies
            self.check_gst(self.gst_code)
        if self.import_gst and self.gst is None:
            raise RuleBroken("required", "is required with import_gst: enter what the customs document says", "gst")
        if self.refunded_expense_id is not None and self.amount > 0:
            raise RuleBroken("invalid_value", "is for an amount below zero", "refunded_expense_id")
        for name in ("supplier_name", "supplier_abn"):
            if self.supplier_id is not None and getattr(self, name) is not None:
                raise RuleBroken(
                    "invalid_value", "cannot be combined with supplier_id: the contact has a name and an ABN", name
                )

    def check_gst(self, code: GstCode) -> None:
        """Raise RuleBroken if a receipt of this price and code cannot contain this GST."""
        if self.refunded_expense_id is not None:
            return  # the GST of the purchase limits it
        if self.gst is None or gst_fits(self.gst, self.amount, code, import_gst=self.import_gst):
            return
        most = (
            "0" if code not in TAXABLE else "the amount" if self.import_gst else "an eleventh of the amount and a cent"
        )
        raise RuleBroken("out_of_range", f"must be from 0 to {most} for the gst_code {code}", "gst")


class ExpenseVoiding(Undoing, kw_only=True):
    """Voiding an expense, on a day of its own or as if it never was.

    reason: Why.
    """

    reason: Reason | None = None


class GstBreakdown(Struct):
    """The GST within an amount, and how much of it the business can claim.

    net: The amount without GST.
    gst: The GST in it.
    rate: The rate of GST, in percent.
    gst_claimable: How much of the GST can be claimed: for business use, and 0 unless `claimable`.
    claim_status: Whether it can be claimed, awaits a tax invoice or the supplier's ABN, comes too late (more than four
      years after the return was due, s 93-5 GST Act), is of a supplier who is not registered for GST, or from whom tax
      was withheld for want of an ABN, or cannot be claimed at all.
    """

    net: Amount
    gst: Amount
    rate: Percent
    gst_claimable: Amount
    claim_status: ClaimStatus


class Expense(Resource):
    """Money spent, as it is shown.

    status: Whether it counts, or was voided.
    category: The category it belongs to.
    supplier: The contact it was paid to.
    gst_breakdown: Its GST, and how much can be claimed.
    invoice_id: The invoice that charges it to the job's client.
    voided_at: When it was voided.
    voided_on: The day from which it counts no more; null for a mistake, which counts on no day.
    void_reason: Why it was voided.
    """

    status: Annotated[Status, Member(role="status", ends=("void",))]
    date: datetime.date
    amount: Annotated[Amount, Member(role="amount")]
    currency: Literal["AUD"]
    description: Annotated[str | None, Member(role="title")]
    category_id: str
    category: Named
    supplier_id: str | None
    supplier: Named | None
    supplier_name: str | None
    supplier_abn: str | None
    gst_code: GstCode
    gst: Decimal
    gst_breakdown: GstBreakdown
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
    invoice_id: str | None
    voided_at: Annotated[Moment | None, Member(told_by="voided_on")]
    voided_on: datetime.date | None
    void_reason: str | None


class ExpenseQuery(PageQuery, kw_only=True):
    """Filters of expenses; `claim_status` is worked out."""

    sortable = ("created_at", "updated_at", "date", "paid_on", "amount", "description", "gst", "voided_at")

    search: Search | None = None
    status: list[Status] | None = None
    date_from: Day | None = None
    date_to: Day | None = None
    amount_from: Amount | None = None
    amount_to: Amount | None = None
    category_id: list[str] | None = None
    supplier_id: list[str] | None = None
    gst_code: list[GstCode] | None = None
    claim_status: list[ClaimStatus] | None = None
    tax_invoice_held: bool | None = None
    paid_on_from: Day | None = None
    paid_on_to: Day | None = None
    due_date_from: Day | None = None
    due_date_to: Day | None = None
    payment_method: list[PaymentMethod] | None = None
    reference: Reference | None = None
    job_id: list[str] | None = None
    refunded_expense_id: list[str] | None = None
    import_gst: bool | None = None
    for_input_taxed_sales: bool | None = None
    billable: bool | None = None
    voided_at_from: DayOrInstant | None = None
    voided_at_to: DayOrInstant | None = None
    voided_on_from: Day | None = None
    voided_on_to: Day | None = None


class Group(Struct):
    """The totals of the expenses of one category, GST code or month.

    key: The category's id, the GST code or the month, YYYY-MM.
    label: Its name.
    count: How many expenses.
    amount: What was spent, including GST.
    net: What was spent, without GST.
    gst: The GST in it.
    gst_claimable: How much of the GST can be claimed.
    """

    key: str
    label: str
    count: int
    amount: Amount
    net: Amount
    gst: Amount
    gst_claimable: Amount


if TYPE_CHECKING:

    class SummaryQuery(ExpenseQuery, kw_only=True):
        """Filters of the expenses to add up, and the member to group them by."""

        group_by: GroupBy

else:
    # A Struct can be built from another's filters, but cannot inherit them without the paging.
    _FILTERS = [f for f in msgspec.structs.fields(ExpenseQuery) if f.name not in Paging.__struct_fields__]
    SummaryQuery = msgspec.defstruct(
        "SummaryQuery",
        [("group_by", GroupBy, "category"), *((f.name, f.type, f.default) for f in _FILTERS)],
        namespace={"__doc__": "Which expenses to add up, and by what.\n\ngroup_by: What to group by."},
        module=__name__,
        forbid_unknown_fields=True,
        kw_only=True,
    )
