"""What other plugins may use of gst: line items, and the figures of a document that has them."""

from .lines import (
    Line,
    Lines,
    NewDocument,
    NewLine,
    Worked,
    as_sent,
    breakdown,
    check_line_ids,
    check_registration,
    document_columns,
    let_one_discount_clear_the_other,
    line_columns,
    line_id_faults,
    lines_table,
    plain_number,
    work_out,
)
from .rules import CodeTotals, GstCode, allocate, round_cents

__all__ = [
    "CodeTotals",
    "GstCode",
    "Line",
    "Lines",
    "NewDocument",
    "NewLine",
    "Worked",
    "allocate",
    "as_sent",
    "breakdown",
    "check_line_ids",
    "check_registration",
    "document_columns",
    "let_one_discount_clear_the_other",
    "line_columns",
    "line_id_faults",
    "lines_table",
    "plain_number",
    "round_cents",
    "work_out",
]
