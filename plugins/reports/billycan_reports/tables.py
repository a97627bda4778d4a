"""The tables of lodged periods and of the entries that were lodged."""

import sqlalchemy as sa

from billycan import ByCodePoint, Cents, Json, reference, resource_table, tenant_table
from billycan.gst import LABELS

periods = resource_table(
    "reports_gst_periods",
    sa.Column("since", sa.Date, nullable=False),
    sa.Column("until", sa.Date, nullable=False),
    sa.Column("basis", sa.Text, nullable=False),
    # What its labels came to, corrections of earlier periods included, as texts.
    sa.Column("figures", Json, nullable=False),
    sa.Index(None, "tenant_id", "until", "id"),
)

# What each document added to each label when a period was lodged: to that period, or to an earlier one that was
# corrected with it.
entries = tenant_table(
    "reports_gst_entries",
    sa.Column("period_id", ByCodePoint, nullable=False),
    sa.Column("of_period_id", ByCodePoint, nullable=False),
    sa.Column("document_id", ByCodePoint, nullable=False),
    *(sa.Column(label, Cents(), nullable=False) for label in LABELS),
    reference("period_id", "reports_gst_periods"),
    reference("of_period_id", "reports_gst_periods"),
    sa.Index(None, "tenant_id", "period_id", "document_id"),
    sa.Index(None, "tenant_id", "of_period_id", "document_id"),
)
