"""Reports: what the figures of a business come to, and which documents each of them is made of."""

from billycan import Manifest

manifest = Manifest(
    name="reports",
    requires=("contacts",),
    uses=("expenses", "invoices"),
)
