"""PDF files of every document: invoices, quotes, adjustment notes, statements, and those of other plugins."""

from billycan import Manifest

from .handlers import pdf_route
from .settings import Settings

manifest = Manifest(
    name="pdf",
    settings=Settings,
    codes={"too_many_pdfs": (429, "Too many PDF files of the business are being made: wait for one of them.")},
    offers=(Manifest.Document.Routes(pdf_route),),
)
