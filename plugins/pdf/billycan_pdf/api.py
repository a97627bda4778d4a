"""PDF functions for other plugins: make the file of a document or of a Paper."""

import re
from contextlib import nullcontext
from pathlib import Path

from msgspec import Struct

from billycan import BadRequest, Context
from billycan.paper import Paper

from .rendering import render
from .settings import Settings

__all__ = ["Pdf", "check_length", "filename_of", "fits", "pdf_from", "pdf_of"]


class Pdf(Struct, frozen=True):
    """A PDF file with its name, which is safe in a header."""

    filename: str
    content: bytes


MOST_AT_ONCE = 2  # files for a business on a host: one may take seconds of a core
_TOO_MANY = f"{MOST_AT_ONCE} PDF files of this business are being made: wait for one of them."
MOST_LINES, MOST_LINE_ENDS, MOST_CHARACTERS = 1_500, 50_000, 200_000  # in the table, and in all texts


def pdf_of(ctx: Context, path: str, id: str) -> Pdf:
    """Return the PDF of a document, by the path of its Document. Raise NotFound if it is not the tenant's.

    It may take seconds, so call it outside write transactions.
    """
    document = ctx.app.documents[path]
    return pdf_from(ctx, document.show(ctx, id), document.template)


def fits(paper: Paper) -> bool:
    """Tell whether a Paper is short enough for a PDF file."""
    return not _too_long(paper)


def check_length(paper: Paper) -> None:
    """Raise BadRequest if a Paper is too long for a PDF file."""
    if why := _too_long(paper):
        raise BadRequest(why)


def filename_of(paper: Paper) -> str:
    """Return the name of the PDF file of a Paper; it is safe in a header."""
    return f"{re.sub('[^A-Za-z0-9._-]+', '-', paper.filename).strip('-.') or 'document'}.pdf"


def pdf_from(ctx: Context, paper: Paper, template: Path | None = None) -> Pdf:
    """Return the PDF of a Paper, by a plugin's own template if there is one. Raise BadRequest if the Paper is too long.

    It may take seconds, so call it outside write transactions. Raise RateLimited while too many others are being made
    for the same business; timed work is exempt, since it makes one after the other.
    """
    check_length(paper)
    logo = (paper.brand.logo(ctx) if paper.brand.logo else b"") or None
    with ctx.take_slot(MOST_AT_ONCE, "too_many_pdfs", _TOO_MANY) if ctx.request_id else nullcontext():
        content = render(paper, logo, template, ctx.settings(Settings))
    return Pdf(filename_of(paper), content)


def _too_long(paper: Paper) -> str:
    """Explain why a Paper is too long; empty if it is not."""
    texts = [text for line in paper.lines for text in (*line.cells, *line.notes)]
    if len(paper.lines) > MOST_LINES:
        return f"A PDF file has at most {MOST_LINES:,} lines, and this one would have {len(paper.lines):,}."
    if sum(map(len, texts)) > MOST_CHARACTERS:
        return f"A PDF file has at most {MOST_CHARACTERS:,} characters in the texts of its lines."
    if sum(text.count("\n") for text in texts) > MOST_LINE_ENDS:
        return f"A PDF file has at most {MOST_LINE_ENDS:,} line breaks in the texts of its lines."
    return ""
