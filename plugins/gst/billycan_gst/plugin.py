"""GST: the line items, tax codes and rounding rules that documents are worked out by; no endpoints of its own."""

from billycan import Manifest

manifest = Manifest(name="gst")
