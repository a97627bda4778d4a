"""The tables of lodged periods and of their entries."""

import sqlalchemy as sa

from billycan import ByCodePoint, Decimals, GstEntries, Json, UTCDateTime, new_table, reference

periods = new_table(
    "reports_gst_periods",
    sa.Column("since", sa.Date, nullable=False),
    sa.Column("until", sa.Date, nullable=False),
    sa.Column("basis", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    # The sums of its labels, with the corrections of earlier periods, as text.
    sa.Column("figures", Json, nullable=False),
    # The warnings when it was lodged.
    sa.Column("warnings", Json, nullable=False),
    sa.Column("reopened_at", UTCDateTime),
    sa.Column("reopen_reason", sa.Text),
    sa.Index(None, "tenant_id", "until", "id"),
    of="resource",
)

# The amounts that each document added when a period was lodged. For the period itself, they are at the labels where it
# was lodged. For an earlier period corrected with it, they are the changes since, which `gst.presented` places. The
# supply is the sale or purchase that the document belongs to. Reopening a period deletes its entries.
entries = new_table(
    "reports_gst_entries",
    sa.Column("period_id", ByCodePoint, nullable=False),
    sa.Column("of_period_id", ByCodePoint, nullable=False),
    sa.Column("document_id", ByCodePoint, nullable=False),
    sa.Column("supply_id", ByCodePoint, nullable=False),
    *(sa.Column(label, Decimals(2), nullable=False) for label in GstEntries.LABELS),
    reference("period_id", "reports_gst_periods"),
    reference("of_period_id", "reports_gst_periods"),
    sa.Index(None, "tenant_id", "period_id", "document_id"),
    sa.Index(None, "tenant_id", "of_period_id", "document_id"),
)
