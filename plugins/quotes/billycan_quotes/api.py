"""Quotes' functions for other plugins: names of quotes."""

from billycan import names_of

from .tables import quotes

# Map each id to the quote's number, in one query; `lock=True` keeps the quotes from being deleted until the
# transaction ends.
names = names_of(quotes.c.number)
