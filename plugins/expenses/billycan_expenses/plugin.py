"""Expenses: what a business spends, and the GST it can claim on it."""

from billycan import Deleted, Manifest, Route

from . import categories as c
from . import handlers as h
from . import payments as p
from . import record_pages
from .cards import by_category
from .category_resource import Category
from .demo import add_samples
from .double_entry import in_ledger
from .gst import gst
from .neighbours import hears
from .resource import Expense
from .starter import started, store
from .summary import summarise_expenses
from .tables import categories, expenses, lines, payments

manifest = Manifest(
    name="expenses",
    requires=("contacts",),
    uses=("attachments",),
    tables=(categories, started, expenses, lines, payments),
    events={
        "expense.created": Expense,
        "expense.updated": Expense,
        "expense.voided": Expense,
        "expense.payment_recorded": Expense,
        "expense.payment_reversed": Expense,
        "expense.deleted": Deleted,
        "expense_category.created": Category,
        "expense_category.updated": Category,
        "expense_category.deleted": Deleted,
    },
    routes=(
        Route("GET", "/v1/expenses", h.list_expenses, scope="expenses:read"),
        Route("POST", "/v1/expenses", h.create_expense, scope="expenses:write", status=201, imports=store),
        Route("GET", "/v1/expenses/summary", summarise_expenses, scope="expenses:read"),
        Route("GET", "/v1/expenses/{id}", h.get_expense, scope="expenses:read"),
        Route("PATCH", "/v1/expenses/{id}", h.update_expense, scope="expenses:write"),
        Route("DELETE", "/v1/expenses/{id}", h.delete_expense, scope="expenses:write"),
        Route("POST", "/v1/expenses/{id}/void", h.void_expense, scope="expenses:write"),
        Route("POST", "/v1/expenses/{id}/payments", p.add_expense_payment, scope="expenses:write", status=201),
        Route(
            "POST", "/v1/expenses/{id}/payments/{payment_id}/reverse", p.reverse_expense_payment, scope="expenses:write"
        ),
        Route("GET", "/v1/expense_categories", c.list_categories, scope="expenses:read"),
        Route("POST", "/v1/expense_categories", c.create_category, scope="expenses:write", status=201),
        Route("GET", "/v1/expense_categories/{id}", c.get_category, scope="expenses:read"),
        Route("PATCH", "/v1/expense_categories/{id}", c.update_category, scope="expenses:write"),
        Route("DELETE", "/v1/expense_categories/{id}", c.delete_category, scope="expenses:write"),
    ),
    records=(record_pages.expenses, record_pages.categories),
    cards=(by_category,),
    hears=hears,
    demo=add_samples,
    offers=(*gst, in_ledger),
)
