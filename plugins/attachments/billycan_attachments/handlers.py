"""Handlers of attachments: one function for each route, and the upload of their bytes."""

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Literal

import sqlalchemy as sa
from msgspec import Struct

from billycan import BadRequest, Conflict, Context, Deleted, NotFound, Page, Problem, Records, Reply, Row, new_id, own
from billycan.web import Incoming

from . import stored_files
from .owners import owner_of, owners_by_prefix, readable_attachments
from .rules import Look, content_disposition, with_extension
from .schemas import Attachment, AttachmentQuery, Upload
from .settings import Settings
from .storage import storage_of
from .tables import attachments


class Unavailable(Problem):
    """The storage of files cannot be reached."""

    status, type, code = 503, "api", "unavailable"
    message = "Files cannot be stored or read at the moment: try again later."


log = logging.getLogger("billycan.attachments")
MOST_OF_RECORD = 100  # they are deleted with their record, in one transaction
_ID = re.compile(r"[a-z]{2,5}_[0-9a-z]{1,40}")


class Arrived(Struct):
    """A file whose bytes are in the storage, but which no record has yet; `is_kept` becomes true when one does."""

    id: str
    filename: str
    content_type: str
    size: int
    sha256: str
    is_kept: bool = False


def list_attachments(ctx: Context, query: AttachmentQuery) -> Page[Attachment]:
    """Attachments of the records that the key may read.

    To get those of one record, filter by `resource`.
    """
    page = records.rows(ctx, query, readable_attachments(ctx))
    return page.of(records.show(ctx, page.items))


@contextmanager
def receive(ctx: Context, query: Upload, incoming: Incoming) -> Iterator[Arrived]:
    """Store the bytes of an upload before its transaction. Remove them if the upload fails."""
    ctx.require(f"{owner_of(ctx, query.resource).plugin}:write")
    id, look = new_id("att"), Look(query.filename)
    stored_files.note_file(ctx, id)
    arrived: Arrived | None = None
    try:
        with _storage_available():
            storage_of(ctx.app).put(stored_files.storage_key(ctx.tenant_id, id), look(incoming))
        filename = with_extension(query.filename, look.content_type)
        arrived = Arrived(id, filename, look.content_type, incoming.size, incoming.sha256)
        yield arrived
    finally:
        # A failed commit may have succeeded after all: the task finds out.
        if arrived is None or not arrived.is_kept:
            with suppress(OSError, sa.exc.SQLAlchemyError):
                stored_files.drop_file(ctx, id)


def add_attachment(ctx: Context, query: Upload, body: Arrived) -> Attachment:
    """Attach a file to a record.

    The body is the file's bytes, at most 10 MiB. The type of the file is recognized from them, whatever the
    Content-Type says. It must be a PDF, a JPEG, PNG or WebP image, or plain text or CSV in UTF-8. The key needs the
    write scope of the record's resource, else the error is `insufficient_scope`. A record that does not exist gives
    `resource_not_found`, one that has 100 attachments `too_many_attachments`, and a file for which the business has no
    room left `quota_exceeded`. Emits `attachment.created`.
    """
    owner_of(ctx, query.resource).check_exists(ctx, query.resource)
    stored_files.reserve_bytes(ctx, body.id)
    values = {name: getattr(body, name) for name in ("id", "filename", "content_type", "size", "sha256")}
    most = ctx.settings(Settings).quota_bytes
    made = stored_files.insert_attachment(ctx, {**values, "resource": query.resource}, most=most)
    # Other uploads of the business wait since the insert, so the count is right.
    of_record = own(ctx, attachments) & (attachments.c.resource == query.resource)
    if ctx.db.execute(sa.select(sa.func.count()).where(of_record)).scalar_one() > MOST_OF_RECORD:
        raise Conflict(
            f"A record has at most {MOST_OF_RECORD} attachments: delete one first.", code="too_many_attachments"
        )
    body.is_kept = True
    return made


def get_attachment(ctx: Context, id: str) -> Attachment:
    """One attachment.

    The key needs the read scope of the record's resource, else the error is `insufficient_scope`.
    """
    return records.show(ctx, [_find_attachment(ctx, id, "read")])[0]


def get_attachment_content(ctx: Context, id: str) -> Reply:
    """The bytes of an attachment.

    They are sent as a download with the file's content type, and never run as a page. The key needs the read scope of
    the record's resource, else the error is `insufficient_scope`.
    """
    row = _find_attachment(ctx, id, "read")
    kind = row.content_type + ("; charset=utf-8" if row.content_type.startswith("text/") else "")
    headers = {
        "Content-Disposition": content_disposition(row.filename),
        "Content-Length": str(row.size),
        "Content-Security-Policy": "default-src 'none'; sandbox",
        "Cross-Origin-Resource-Policy": "same-origin",
        "ETag": f'"{row.sha256}"',
    }
    with _storage_available():
        return Reply(stored_files.open_content(ctx, row.id), kind, headers)


def delete_attachment(ctx: Context, id: str) -> Deleted:
    """Delete an attachment.

    Attachments of a record that must be kept cannot be deleted: the error is `document_locked`. The key needs the
    write scope of the record's resource, else the error is `insufficient_scope`. Emits `attachment.deleted`.
    """
    row = _find_attachment(ctx, id, "write")
    owner_of(ctx, row.resource).check_unlocked(ctx, row.resource)
    locked = sa.select(attachments.c.id).where(own(ctx, attachments), attachments.c.id == id).with_for_update()
    if ctx.db.execute(locked).first() is None:
        raise NotFound
    stored_files.remove_files(ctx, {id: row.size})
    return Deleted(id)


@contextmanager
def _storage_available() -> Iterator[None]:
    """Raise Unavailable if the storage fails. Waiting does not help if the bytes are gone from it."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError:
        log.exception("the storage of attachments failed")
        raise Unavailable(headers={"Retry-After": "1"}) from None


def _find_attachment(ctx: Context, id: str, does: Literal["read", "write"]) -> Row:
    """Return the row of an attachment. Raise NotFound, or Forbidden if the key may not do this with its record."""
    row = records.find(ctx, id)
    owner = owner_of(ctx, row.resource)
    owner.check_seen(ctx, row.resource)
    ctx.require(f"{owner.plugin}:{does}")
    return row


def _of_records(ctx: Context, ids: list[str]) -> sa.ColumnElement[bool]:
    """Return the condition for the attachments of any of these records."""
    known = owners_by_prefix(ctx.app)
    if wrong := [id for id in ids if not _ID.fullmatch(id) or id.partition("_")[0] not in known]:
        raise BadRequest(
            f"resource: {wrong[0][:100]!r} is not the id of a record.", code="invalid_filter", param="resource"
        )
    return sa.or_(sa.false(), *(attachments.c.resource == id for id in ids))


records = Records(attachments, Attachment, prefix="att", filters={"resource": _of_records})
