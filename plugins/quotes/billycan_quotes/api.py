"""What other plugins may use of quotes."""

from billycan import names_of

from .tables import quotes

# Maps each id to the quote's number, in one query; `lock=True` keeps them from being deleted until the transaction
# ends.
names = names_of(quotes.c.number)
