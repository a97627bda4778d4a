"""The PDF of an email: the document's content is stored when the email is queued, and the sender makes the file of it.

Making a file may take seconds, and a write transaction does nothing but SQL. The document may change before the email
is sent, so the file is made from the stored content. It is stored before the first attempt: every attempt, and every
email that sends it again, attaches the same bytes.
"""

from importlib import import_module
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct
from msgspec.structs import replace

from billycan import App, Context, Row, new_id, own
from billycan.paper import Paper

from .tables import emails, files

PDF = "pdf"


class StoredDocument(Struct, frozen=True):
    """A document as it was emailed: its content, and the path of its Document, which may have a template."""

    path: str
    paper: Paper


# Built at import: msgspec crashes if two threads are the first to need it at once.
_decode = msgspec.json.Decoder(StoredDocument).decode


def pdf_api() -> Any:
    """Return the API of the plugin pdf, which must be on."""
    return import_module(f"billycan_{PDF}.api")


def encode_document(path: str, paper: Paper) -> str:
    """Return a document as an email's row stores it, without its logo, which is a file of the email."""
    plain = replace(paper, brand=replace(paper.brand, logo=None))
    return msgspec.json.encode(StoredDocument(path, plain)).decode()


def make_pdf(ctx: Context, row: Row) -> Any:
    """Make the PDF of an email from the stored document. Call it outside write transactions."""
    if not ctx.has(PDF):
        raise RuntimeError("the plugin pdf is off")
    found = _decode(row.paper)
    logo = ctx.db.execute(sa.select(files.c.content).where(own(ctx, files), files.c.id == row.logo_id)).scalar()
    brand = replace(found.paper.brand, logo=(lambda _: bytes(logo)) if logo else None)
    document = ctx.app.documents.get(found.path)
    return pdf_api().pdf_from(ctx, replace(found.paper, brand=brand), document.template if document else None)


def attach_pdf(app: App, row: Row) -> Row | None:
    """Make and store the PDF of a leased email. Return its new row, or None if the lease was lost meanwhile."""
    ctx = Context(app, row.tenant_id)
    with app.db.reading(ctx.tenant_id) as ctx.db:
        made = make_pdf(ctx, row)
    id = new_id("mfl")
    mine = own(ctx, emails) & (emails.c.id == row.id) & (emails.c.lease_token == row.lease_token)
    values = {"paper": None, "file_id": id, "attachment": {"filename": made.filename, "size": len(made.content)}}
    with app.db.writing(ctx.tenant_id) as db:
        after = db.execute(sa.update(emails).where(mine).values(values).returning(emails)).first()
        if after is not None:
            content = {"content": made.content, "content_type": "application/pdf"}
            db.execute(sa.insert(files).values(tenant_id=ctx.tenant_id, id=id, **content))
    return after
