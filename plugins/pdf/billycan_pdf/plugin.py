"""PDF files of every document: invoices, quotes, adjustment notes, statements, and those of other plugins."""

from pathlib import Path

from billycan import Code, Manifest

from .handlers import pdf_route
from .settings import Settings

manifest = Manifest(
    name="pdf",
    settings=Settings,
    on_documents=pdf_route,
    codes={"too_many_pdfs": Code(429, "Too many PDF files of the business are being made: wait for one of them.")},
    examples=Path(__file__).parent / "examples.json",
)
