"""The dashboard's words for members that all documents have."""

LABELS = {
    "amounts_are": "Prices are",
    "discount_percent": "Discount (%)",
    "discount_amount": "Discount ($)",
    "line_items.total": "Total incl. GST",
}
HINTS = {
    "amounts_are": "Inclusive or exclusive of GST. Leave it empty for your usual setting.",
    "gst_rounding": "Leave it empty for your usual setting.",
    "discount_percent": "On the whole document.",
    "discount_amount": "On the whole document, instead of a percentage.",
}
RETENTION_LABELS = {
    "retention_percent": "Retention (%)",
    "retention_cap_percent": "Retention at most (% of the work)",
    "retained": "Retained by the client",
}
RETENTION_HINTS = {
    "retention_percent": "What the client keeps back of this claim until the work is found good, such as 5 or 10.",
    "retention_cap_percent": "All claims together keep back no more than this share of the whole work, such as 5.",
}
RARE = ("amounts_are", "gst_rounding", "discount_percent", "discount_amount")
