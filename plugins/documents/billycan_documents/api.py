"""What other plugins may use of documents: line items, figures, and a kind of document as a whole."""

from .documents import NEEDS, Documents, client_of, frozen
from .lines import (
    Line,
    NewDocument,
    NewLine,
    breakdown,
    check_registration,
    document_columns,
    gst_codes,
    id_faults,
    line_columns,
    lines_table,
    may_charge_gst,
    party_columns,
    plain_number,
)
from .rules import Charge, CodeTotals, GstCode, allocate, round_cents, totals

__all__ = [
    "NEEDS",
    "Charge",
    "CodeTotals",
    "Documents",
    "GstCode",
    "Line",
    "NewDocument",
    "NewLine",
    "allocate",
    "breakdown",
    "check_registration",
    "client_of",
    "document_columns",
    "frozen",
    "gst_codes",
    "id_faults",
    "line_columns",
    "lines_table",
    "may_charge_gst",
    "party_columns",
    "plain_number",
    "round_cents",
    "totals",
]
