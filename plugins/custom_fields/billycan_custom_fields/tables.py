"""The tables: definitions, the values of all records with one index for filters and sorting, and what is cleared."""

import sqlalchemy as sa

from billycan import ByCodePoint, UTCDateTime, new_table, resource

from .schemas import CustomField, NewCustomField

fields = resource(
    "custom_fields",
    sends=NewCustomField,
    shows=CustomField,
    prefix="cuf",
    more=(sa.UniqueConstraint("tenant_id", "resource", "key"),),
)

# A row's `id` is that of the record, of whatever resource. `comparable` orders values of any type as texts.
values = new_table(
    "custom_fields_values",
    sa.Column("field_id", ByCodePoint, primary_key=True),
    sa.Column("value", sa.Text, nullable=False),
    sa.Column("comparable", ByCodePoint, nullable=False),
    sa.Index(None, "tenant_id", "field_id", "comparable", "id"),
    of="record",
)

# Fields, by their ids, some of whose values are no longer shown and wait to be removed.
clearings = new_table("custom_fields_clearings", sa.Column("since", UTCDateTime, nullable=False))
