"""Attachments' functions for other plugins: read and attach files, and store bytes of their own beside them."""

import hashlib
from contextlib import closing

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, NotFound, new_id, own

from . import stored_files
from .owners import owner_of
from .rules import Look, with_extension
from .schemas import Attachment
from .stored_files import open_stored, put_stored, remove_stored
from .tables import attachments, waiting

__all__ = [
    "Attachment",
    "Stored",
    "keep_attachment",
    "open_stored",
    "put_stored",
    "read_attachment",
    "remove_stored",
]


class Stored(Struct):
    """A file; `content` has all of its bytes, at most 10 MiB."""

    filename: str
    content_type: str
    content: bytes


def read_attachment(ctx: Context, id: str) -> Stored:
    """Return an attachment with its bytes, for any caller. Raise NotFound for any id that is not the tenant's."""
    row = ctx.db.execute(sa.select(attachments).where(own(ctx, attachments), attachments.c.id == id)).first()
    if row is None:
        raise NotFound
    with closing(stored_files.open_content(ctx, id)) as pieces:
        return Stored(row.filename, row.content_type, b"".join(pieces))


def keep_attachment(ctx: Context, resource: str, filename: str, content: bytes) -> str:
    """Attach a file to a record of the tenant in this transaction, and return the attachment's id.

    The bytes are in the database until a task has moved them to the storage. They count towards the quota, but are
    never refused for it, because the business must keep them. Raises NotFound if there is no such record, and
    UnsupportedMediaType if the file has none of the known types.
    """
    owner_of(ctx, resource).check_exists(ctx, resource)
    look, id = Look(filename), new_id("att")
    for _ in look([content]):
        pass
    values = {
        "id": id,
        "resource": resource,
        "filename": with_extension(filename, look.content_type),
        "content_type": look.content_type,
        "size": len(content),
        "sha256": hashlib.sha256(content).hexdigest(),
    }
    stored_files.insert_attachment(ctx, values, most=None)
    row = {"tenant_id": ctx.tenant_id, "id": id, "content": content, "created_at": ctx.app.now()}
    ctx.db.execute(sa.insert(waiting).values(row))
    return id
