"""The tables of expenses and their categories."""

from . import category_resource, resource

categories = category_resource.categories.table
expenses = resource.expenses.table

# A supplier's refund has the claim status of its purchase.
purchases = expenses.alias("purchases")
