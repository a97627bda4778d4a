"""PDF files of every document: invoices, quotes, adjustment notes, statements, and those of other plugins."""

from billycan import Manifest

from .handlers import pdf_route
from .settings import Settings

manifest = Manifest(name="pdf", settings=Settings, on_documents=pdf_route)
