"""Documents: the common ground of invoices, quotes and jobs, from line items to GST; no endpoints of its own."""

from billycan import Manifest

manifest = Manifest(
    name="documents",
    requires=("contacts",),
    uses=("items",),
    codes={
        "gst_not_registered": (422, "A business that is not registered for GST cannot charge it."),
        "over_invoiced": (422, "It is more than is left to invoice; the message says how much is left."),
    },
)
