"""What other plugins may use of expenses."""

from billycan import names_of

from .tables import expenses

# Maps each id to itself, as an expense has no name, in one query; `lock=True` keeps them from being deleted until the
# transaction ends.
names = names_of(expenses.c.id)
