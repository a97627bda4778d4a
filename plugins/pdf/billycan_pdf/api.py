"""What other plugins may use of PDF files: a document's file, and that of a Paper."""

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
    """A PDF file with its name, which can be put into a header as it is."""

    filename: str
    content: bytes


MOST_AT_ONCE = 2  # files of a business on a host: one may take seconds of a core
_TOO_MANY = f"{MOST_AT_ONCE} PDF files of this business are being made: wait for one of them."
MOST_LINES, MOST_LINE_ENDS, MOST_CHARACTERS = 1_500, 50_000, 200_000  # of the table, and in its texts


def pdf_of(ctx: Context, path: str, id: str) -> Pdf:
    """The PDF of a document, by the path of its Document; NotFound where it is not the tenant's.

    It may take seconds: make it outside of write transactions.
    """
    document = ctx.app.documents[path]
    return pdf_from(ctx, document.show(ctx, id), document.template)


def fits(paper: Paper) -> bool:
    """Whether a Paper is short enough for a PDF file."""
    return not _too_long(paper)


def check_length(paper: Paper) -> None:
    """Raise BadRequest if a Paper is too long for a PDF file."""
    if why := _too_long(paper):
        raise BadRequest(why)


def filename_of(paper: Paper) -> str:
    """What the PDF file of a Paper is called; it can be put into a header as it is."""
    return f"{re.sub('[^A-Za-z0-9._-]+', '-', paper.filename).strip('-.') or 'document'}.pdf"


def pdf_from(ctx: Context, paper: Paper, template: Path | None = None) -> Pdf:
    """The PDF of a Paper, by a plugin's own template where there is one; BadRequest for one that is too long.

    It may take seconds: make it outside of write transactions. RateLimited while others are made for the same business,
    but never in timed work, which makes one after the other.
    """
    check_length(paper)
    logo = (paper.brand.logo(ctx) if paper.brand.logo else b"") or None
    with ctx.take_slot(MOST_AT_ONCE, "too_many_pdfs", _TOO_MANY) if ctx.request_id else nullcontext():
        content = render(paper, logo, template, ctx.settings(Settings))
    return Pdf(filename_of(paper), content)


def _too_long(paper: Paper) -> str:
    """Why a Paper is too long; empty for one that is not."""
    texts = [text for line in paper.lines for text in (*line.cells, *line.notes)]
    if len(paper.lines) > MOST_LINES:
        return f"A PDF file has at most {MOST_LINES:,} lines, and this one would have {len(paper.lines):,}."
    if sum(map(len, texts)) > MOST_CHARACTERS:
        return f"A PDF file has at most {MOST_CHARACTERS:,} characters in the texts of its lines."
    if sum(text.count("\n") for text in texts) > MOST_LINE_ENDS:
        return f"A PDF file has at most {MOST_LINE_ENDS:,} line breaks in the texts of its lines."
    return ""
