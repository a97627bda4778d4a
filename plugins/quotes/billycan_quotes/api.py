"""Quotes' functions for other plugins: names of quotes."""

from billycan import Records

from .tables import quotes

# Map each id to the quote's number, in one query; `lock=True` keeps the quotes from being deleted until the
# transaction ends.
names = Records.names_of(quotes.c.number)
