"""GST: the line items, tax codes and rounding rules that documents are worked out by; no endpoints of its own."""

from pathlib import Path

from billycan import Code, Manifest

manifest = Manifest(
    name="gst",
    codes={"gst_not_registered": Code(422, "A business that is not registered for GST cannot charge it.")},
    examples=Path(__file__).parent / "examples.json",
)
