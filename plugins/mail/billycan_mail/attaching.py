"""The PDF of an email: what the document says is kept when the email is queued, and the sender makes the file of it.

To make a file may take seconds, and nothing but SQL happens in a write transaction. The document may change before the
email is sent, so the file is made from what was kept. It is stored before the first attempt: every attempt and every
email that sends it again attaches the same bytes.
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


class Kept(Struct, frozen=True):
    """A document as it was emailed: the path of its Document, which may have a template, and what it said."""

    path: str
    paper: Paper


# Known from the import on: msgspec crashes where two threads are the first to need it at once.
_decode = msgspec.json.Decoder(Kept).decode


def api() -> Any:
    """What the plugin pdf offers; it must be on."""
    return import_module(f"billycan_{PDF}.api")


def kept(path: str, paper: Paper) -> str:
    """A document as an email's row keeps it; its logo is a file of the email's."""
    plain = replace(paper, brand=replace(paper.brand, logo=None))
    return msgspec.json.encode(Kept(path, plain)).decode()


def pdf_of(ctx: Context, row: Row) -> Any:
    """The PDF of an email that has none yet, made from what was kept; outside of write transactions."""
    if not ctx.has(PDF):
        raise RuntimeError("the plugin pdf is off")
    found = _decode(row.paper)
    logo = ctx.db.execute(sa.select(files.c.content).where(own(ctx, files), files.c.id == row.logo_id)).scalar()
    brand = replace(found.paper.brand, logo=(lambda _: bytes(logo)) if logo else None)
    document = ctx.app.documents.get(found.path)
    return api().pdf_from(ctx, replace(found.paper, brand=brand), document.template if document else None)


def attach(app: App, row: Row) -> Row | None:
    """Make the PDF of a claimed email and store it; the row as it is then, None where the lease was lost meanwhile."""
    ctx = Context(app, row.tenant_id)
    with app.db.reading(ctx.tenant_id) as ctx.db:
        made = pdf_of(ctx, row)
    id = new_id("mfl")
    mine = own(ctx, emails) & (emails.c.id == row.id) & (emails.c.lease_token == row.lease_token)
    values = {"paper": None, "file_id": id, "attachment": {"filename": made.filename, "size": len(made.content)}}
    with app.db.writing(ctx.tenant_id) as db:
        after = db.execute(sa.update(emails).where(mine).values(values).returning(emails)).first()
        if after is not None:
            content = {"content": made.content, "content_type": "application/pdf"}
            db.execute(sa.insert(files).values(tenant_id=ctx.tenant_id, id=id, **content))
    return after
