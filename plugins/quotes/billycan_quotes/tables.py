"""The tables of quotes and their lines."""

import sqlalchemy as sa

from billycan import ByCodePoint, new_table, reference
from billycan_documents.api import lines_table

from . import resource

quotes = resource.quotes.table
lines = lines_table("quotes")

# Each row's id is an invoice that bills a part of the quote, to find the quote when that is deleted or voided.
claims = new_table(
    "quotes_claims",
    sa.Column("quote_id", ByCodePoint, nullable=False),
    reference("quote_id", "quotes"),
    sa.Index(None, "tenant_id", "quote_id"),
)
