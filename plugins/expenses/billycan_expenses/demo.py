"""Sample expenses of an invented plumber in Hobart: the receipts of the last two months."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from billycan import Context, decode
from billycan.demo import ago
from billycan_contacts import api as contacts

from .handlers import create_expense, void_expense
from .parts_schemas import NewExpensePayment, Reason
from .payments import add_expense_payment
from .resource import Expense, NewExpense
from .schemas import ExpenseVoiding
from .starter import STARTER

_DOCKET = """\
WAYSIDE FUEL
TAX INVOICE
Diesel, 52.9 L at $1.83      $96.80
Total including GST          $96.80
GST in the total              $8.80
"""
_CATEGORY_IDS = {name: id for id, name in STARTER.items()}

# Days ago, category, amount, and other members of the receipt.
_RECEIPTS: tuple[tuple[int, str, str, dict[str, Any]], ...] = (
    # Bought before the sample job that it is for.
    (4, "Materials and supplies", "38.50", {"description": "Inlet valve and washers", "billable": True}),
    (
        3,
        "Fuel and oil",
        "96.80",
        {"description": "Diesel for the ute", "supplier_name": "Wayside Fuel", "business_use_percent": 80},
    ),
    (
        5,
        "Parking and tolls",
        "12.00",
        {"description": "Car park", "supplier_name": "Argyle Parking", "payment_method": "card"},
    ),
    (9, "Equipment hire", "264.00", {"description": "Drain camera, one day", "tax_invoice_held": True}),
    # A bill of which a part is paid.
    (
        10,
        "Subcontractors",
        "620.40",
        {"description": "Trenching, half a day", "supplier_name": "Bandicoot Excavations", "paid_on": None},
    ),
    (
        12,
        "Phone and internet",
        "89.00",
        {"description": "Mobile plan", "supplier_name": "Saltwater Mobile", "business_use_percent": 70},
    ),
    (15, "Bank fees", "10.00", {"gst_code": "input_taxed", "description": "Account keeping"}),
    (20, "Government charges", "412.35", {"gst_code": "out_of_scope", "description": "Ute registration"}),
    (
        24,
        "Tools and equipment",
        "1870.00",
        {"gst_code": "capital", "description": "Press tool"},
    ),
    (31, "Materials and supplies", "743.60", {"description": "Copper pipe and elbows", "tax_invoice_held": True}),
    (38, "Insurance", "1324.15", {"gst": "109.41", "description": "Public liability, with stamp duty"}),
    (
        45,
        "Office and stationery",
        "46.20",
        {"gst": "3.10", "description": "Docket books and milk", "reference": "4417"},
    ),
)


def add_samples(ctx: Context) -> None:
    """Add the sample expenses."""
    suppliers = {
        category: ctx.db.execute(contacts.named_like(ctx, name)).scalar_one()
        for category, name in (("Materials and supplies", "Copperline"), ("Equipment hire", "Muttonbird"))
    }
    for days_ago, category, amount, members in reversed(_RECEIPTS):
        given = {
            "date": ctx.today() - timedelta(days=days_ago),
            "category_id": _CATEGORY_IDS[category],
            "amount": amount,
            "supplier_id": suppliers.get(category),
            **members,
        }
        with ago(ctx, days_ago, 17):
            expense = create_expense(ctx, decode(given, NewExpense))
            if expense.reference:
                twice = create_expense(ctx, decode({**given, "reference": f"{expense.reference} (copy)"}, NewExpense))
            if "paid_on" in members:
                add_expense_payment(ctx, expense.id, NewExpensePayment(amount=Decimal("200.00")))
            if category == "Fuel and oil":
                _keep_docket(ctx, expense)
    void_expense(ctx, twice.id, ExpenseVoiding(reason=Reason("Entered twice."), mistake=True))


def _keep_docket(ctx: Context, expense: Expense) -> None:
    """Attach the fuel docket, if the plugin for attachments is enabled."""
    if ctx.has("attachments"):
        from billycan_attachments.api import keep_attachment  # noqa: PLC0415 - there only where that plugin is

        keep_attachment(ctx, expense.id, "Wayside Fuel.txt", _DOCKET.encode())
