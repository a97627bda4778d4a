"""The tables of expenses, their lines and payments, and their categories."""

from . import category_resource, resource
from .parts_tables import NONE, lines, payments

__all__ = ["NONE", "categories", "expenses", "lines", "payments", "purchases"]

categories = category_resource.categories.table
expenses = resource.expenses.table

# A supplier's refund has the claim status of its purchase.
purchases = expenses.alias("purchases")
