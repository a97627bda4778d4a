"""The tables of lodged periods and of the entries that were lodged."""

import sqlalchemy as sa

from billycan import ByCodePoint, Cents, Json, UTCDateTime, reference, resource_table, tenant_table
from billycan.gst import LABELS

periods = resource_table(
    "reports_gst_periods",
    sa.Column("since", sa.Date, nullable=False),
    sa.Column("until", sa.Date, nullable=False),
    sa.Column("basis", sa.Text, nullable=False),
    sa.Column("status", sa.Text, nullable=False),
    # What its labels came to, corrections of earlier periods included, as texts.
    sa.Column("figures", Json, nullable=False),
    # What was unusual when it was lodged.
    sa.Column("warnings", Json, nullable=False),
    sa.Column("reopened_at", UTCDateTime),
    sa.Column("reopen_reason", sa.Text),
    sa.Index(None, "tenant_id", "until", "id"),
)

# What each document added when a period was lodged. To the period itself: at the labels where it was lodged. To an
# earlier one that was corrected with it: what changed of what had been lodged, which `gst.presented` places. The supply
# is the sale or purchase that the document is of. Those of a period that was reopened are gone.
entries = tenant_table(
    "reports_gst_entries",
    sa.Column("period_id", ByCodePoint, nullable=False),
    sa.Column("of_period_id", ByCodePoint, nullable=False),
    sa.Column("document_id", ByCodePoint, nullable=False),
    sa.Column("supply_id", ByCodePoint, nullable=False),
    *(sa.Column(label, Cents(), nullable=False) for label in LABELS),
    reference("period_id", "reports_gst_periods"),
    reference("of_period_id", "reports_gst_periods"),
    sa.Index(None, "tenant_id", "period_id", "document_id"),
    sa.Index(None, "tenant_id", "of_period_id", "document_id"),
)
