"""Documents: the common ground of invoices, quotes and jobs, from line items to GST; no endpoints of its own."""

from billycan import Code, Manifest

manifest = Manifest(
    name="documents",
    requires=("contacts",),
    uses=("items",),
    codes={
        "gst_not_registered": Code(422, "A business that is not registered for GST cannot charge it."),
        "over_invoiced": Code(422, "It is more than is left to invoice; the message says how much is left."),
    },
)
