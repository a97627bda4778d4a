"""What a dashboard says of the members that all documents have."""

LABELS = {"amounts_are": "Prices are", "discount_percent": "Discount (%)", "discount_amount": "Discount ($)"}
HINTS = {
    "amounts_are": "Inclusive or exclusive of GST. Leave it empty for your usual setting.",
    "gst_rounding": "Leave it empty for your usual setting.",
    "discount_percent": "On the whole document.",
    "discount_amount": "On the whole document, instead of a percentage.",
}
RARE = ("amounts_are", "gst_rounding", "discount_percent", "discount_amount")
