"""Handlers of PDF files: one function for each route, that is, for each document of the enabled plugins."""

import hashlib
from collections.abc import Callable
from typing import Any

from billycan import Context, Manifest, Reply, Route

from .api import pdf_from

MEDIA_TYPE = "application/pdf"


def pdf_route(document: Manifest.Document, route: Route) -> tuple[Route, ...]:
    """Return the route of a document's PDF, next to its own: `GET /v1/invoices/{id}.pdf`."""
    return (
        Route("GET", f"{document.path}.pdf", _build_handler(document, route), scope=route.scope, answers=MEDIA_TYPE),
    )


def _build_handler(document: Manifest.Document, route: Route) -> Callable[..., Reply]:
    def get_pdf(ctx: Context, id: str, query: Any = None) -> Reply:
        paper = document.show(ctx, id, query) if document.takes else document.show(ctx, id)
        pdf = pdf_from(ctx, paper, document.template)
        headers = {
            "ETag": f'"{hashlib.sha256(pdf.content).hexdigest()[:20]}"',
            "Content-Disposition": f'inline; filename="{pdf.filename}"',
        }
        return Reply(pdf.content, MEDIA_TYPE, headers)

    def get_plain(ctx: Context, id: str) -> Reply:
        return get_pdf(ctx, id)

    handler: Any = get_plain
    if document.takes:
        handler = get_pdf
        handler.__annotations__ = {**get_pdf.__annotations__, "query": document.takes}
    name = str(getattr(route.handler, "__name__", "get_document"))
    handler.__name__ = f"{name}_as_pdf"
    handler.__doc__ = f"""The {name.removeprefix("get_").replace("_", " ")} as a PDF file.

    A4, tagged for screen readers, and the same bytes for the same content. Needs the same scope as
    `GET {document.path}`, which answers with it for `Accept: application/pdf`, too. Refused with `too_many_pdfs` while
    2 PDF files of the business are being made.
    """
    return handler  # type: ignore[no-any-return]
