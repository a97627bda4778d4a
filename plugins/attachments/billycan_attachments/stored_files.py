"""Attachments and their bytes, which come and go together, whatever breaks in between.

Before anything is stored, a transaction of its own notes that there may be bytes without an attachment. The transaction
that inserts the attachment removes the note; one that deletes an attachment adds a note. A file that has been noted for
a day is removed from the storage: a backup of the database, and then of the storage, is whole.
"""

from collections.abc import Iterable, Mapping
from datetime import timedelta
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Conflict, Context, Deleted, Invalid, Reply, own
from billycan.fields import Moment
from billycan.sql import Statement, upsert

from .owners import owners_by_prefix
from .schemas import Attachment
from .storage import storage_of
from .tables import attachments, leftovers, used, waiting

GRACE = timedelta(days=1)  # longer than any upload, and than the time between the backups of database and storage
MOST_REMOVED = 200  # in one transaction of emptying a sandbox
_ALL = "all"


def storage_key(tenant_id: str, id: str) -> str:
    """Return the key of an attachment's bytes in the storage."""
    return f"{tenant_id}/{id}"


def note_file(ctx: Context, id: str) -> None:
    """Note, in a transaction of its own, that there may be bytes without an attachment."""
    with ctx.app.db.writing(ctx.tenant_id) as db:
        db.execute(sa.insert(leftovers).values(tenant_id=ctx.tenant_id, id=id, since=ctx.app.now()))


def drop_file(ctx: Context, id: str) -> None:
    """Remove bytes that no attachment has, and then their note."""
    storage_of(ctx.app).remove(storage_key(ctx.tenant_id, id))
    with ctx.app.db.writing(ctx.tenant_id) as db:
        db.execute(sa.delete(leftovers).where(own(ctx, leftovers), leftovers.c.id == id))


def insert_attachment(ctx: Context, values: dict[str, Any], *, most: int | None) -> Attachment:
    """Insert an attachment with these columns. Raise Invalid if the business would have more than `most` bytes.

    The record must be locked already. Other uploads of the business wait from here on.
    """
    count_bytes(ctx, values["size"], most)
    kind = values["resource"].partition("_")[0]
    row = {**values, "tenant_id": ctx.tenant_id, "kind": kind, "created_at": ctx.now()}
    ctx.db.execute(sa.insert(attachments).values(row))
    made = Attachment(**{name: row[name] for name in Attachment.__struct_fields__})
    ctx.emit("attachment.created", msgspec.structs.replace(made, filename=None))
    return made


def open_content(ctx: Context, id: str) -> Reply.Pieces:
    """Open the bytes of an attachment, wherever they are."""
    # Read the database first: bytes that are gone from it are in the storage already.
    found = ctx.db.execute(sa.select(waiting.c.content).where(own(ctx, waiting), waiting.c.id == id)).scalar()
    if found is not None:
        return Reply.Pieces([bytes(found)])
    return storage_of(ctx.app).open(storage_key(ctx.tenant_id, id))


def open_stored(app: App, tenant_id: str, id: str) -> Reply.Pieces:
    """Open the bytes of an attachment that are in the storage; those in the database move with its rows."""
    return storage_of(app).open(storage_key(tenant_id, id))


def put_stored(app: App, tenant_id: str, id: str, pieces: Iterable[bytes]) -> None:
    """Store the bytes of an attachment that came with its business."""
    storage_of(app).put(storage_key(tenant_id, id), pieces)


def remove_stored(app: App, tenant_id: str, id: str) -> None:
    """Remove the bytes of an attachment whose business is deleted."""
    storage_of(app).remove(storage_key(tenant_id, id))


def reserve_bytes(ctx: Context, id: str) -> None:
    """Remove the note of bytes that now have an attachment. Raise Conflict if they may have been removed."""
    noted = sa.delete(leftovers).where(own(ctx, leftovers), leftovers.c.id == id)
    # An older file may be swept before this transaction is committed.
    if ctx.db.execute(noted.where(leftovers.c.since > ctx.app.now() - GRACE / 2)).rowcount != 1:
        raise Conflict("The upload took too long: send it again.")


def count_bytes(ctx: Context, size: int, most: int | None) -> None:
    """Add to the bytes that a business has, exactly, whatever else is uploaded at once.

    Bytes that it deleted stay in the storage for another day, and may be as many again.
    """
    row = upsert(used, ctx.db).values(tenant_id=ctx.tenant_id, id=_ALL, bytes=size)
    after = used.c.bytes + row.excluded.bytes
    fits = None if most is None else after <= most
    row = row.on_conflict_do_update(index_elements=["tenant_id", "id"], set_={"bytes": after}, where=fits)
    is_beyond = most is not None and size > most
    if is_beyond or ctx.db.execute(row.returning(used.c.bytes)).first() is None:
        raise Invalid(
            f"The attachments of this business may have {most or 0:,} bytes in all: delete some first.",
            code="quota_exceeded",
        )
    left = sa.select(sa.func.coalesce(sa.func.sum(leftovers.c.bytes), 0)).where(own(ctx, leftovers))
    if most is not None and ctx.db.execute(left).scalar_one() > most:
        raise Invalid(
            "This business has deleted so many files today that there is no room for more: try again tomorrow.",
            code="quota_exceeded",
        )


def remove_files(ctx: Context, sizes: Mapping[str, int]) -> None:
    """Delete locked attachments, given by id with their sizes, and note that their bytes are left."""
    _delete_with_bytes(ctx, sizes)
    for id in sizes:
        ctx.emit("attachment.deleted", Deleted(id))


def remove_some(ctx: Context) -> int:
    """Delete some attachments of a sandbox that is emptied, and note that their bytes are left; return how many."""
    some = sa.select(attachments.c.id, attachments.c.size).where(own(ctx, attachments)).limit(MOST_REMOVED)
    sizes = {row.id: row.size for row in ctx.db.execute(some.with_for_update())}
    if sizes:
        _delete_with_bytes(ctx, sizes)
    return len(sizes)


def _delete_with_bytes(ctx: Context, sizes: Mapping[str, int]) -> None:
    ids = [*sizes]
    ctx.db.execute(sa.update(used).where(own(ctx, used)).values(bytes=used.c.bytes - sum(sizes.values())))
    left = {"tenant_id": ctx.tenant_id, "since": ctx.app.now()}
    ctx.db.execute(sa.insert(leftovers), [{**left, "id": id, "bytes": size} for id, size in sizes.items()])
    ctx.db.execute(sa.delete(waiting).where(own(ctx, waiting), waiting.c.id.in_(ids)))
    ctx.db.execute(sa.delete(attachments).where(own(ctx, attachments), attachments.c.id.in_(ids)))


class MergedContact(Struct):
    """A contact into which another was merged.

    id: Its id.
    merged: The other, which is gone.
    """

    id: str
    merged: Deleted


def move_files(ctx: Context, contact: MergedContact) -> None:
    """Attach the files of a contact that was merged into another to the one that is left."""
    theirs = own(ctx, attachments) & (attachments.c.resource == contact.merged.id)
    ctx.db.execute(sa.update(attachments).where(theirs).values(resource=contact.id))


def remove_files_of(ctx: Context, record: Deleted) -> None:
    """Delete the attachments of a record that is deleted."""
    gone = sa.select(attachments.c.id, attachments.c.size).where(own(ctx, attachments))
    if rows := ctx.db.execute(gone.where(attachments.c.resource == record.id).with_for_update()).all():
        remove_files(ctx, {row.id: row.size for row in rows})


def leftover_files(app: App, now: Moment) -> sa.Select[Any]:
    """Select the notes that are a day old: their bytes are to be removed from the storage."""
    return sa.select(leftovers.c.tenant_id, leftovers.c.id).where(_is_over(now)).order_by(leftovers.c.since)


def _is_over(now: Moment) -> sa.ColumnElement[bool]:
    # Notes from so far in the future come from a wrong clock.
    return (leftovers.c.since <= now - GRACE) | (leftovers.c.since > now + GRACE)


def sweep_file(ctx: Context, id: str) -> None:
    """Remove bytes without an attachment, which no upload can take any more. Call it outside any transaction."""
    noted = own(ctx, leftovers) & (leftovers.c.id == id)
    with ctx.app.db.reading(ctx.tenant_id) as db:
        is_due = db.execute(sa.select(leftovers.c.id).where(noted, _is_over(ctx.now()))).first()
    if is_due:
        drop_file(ctx, id)


def orphaned_attachments(app: App, now: Moment) -> sa.Select[Any]:
    """Select attachments whose record is gone, of resources that emit no event when a record is deleted."""
    a = attachments.c
    owners = owners_by_prefix(app).items()
    silent = {prefix: owner.table.c for prefix, owner in owners if owner.table is not None and not owner.tells}
    parts = [
        sa.select(a.tenant_id, a.id).where(
            a.kind == prefix, ~sa.exists().where(c.tenant_id == a.tenant_id, c.id == a.resource)
        )
        for prefix, c in silent.items()
    ]
    found = sa.union_all(sa.select(a.tenant_id, a.id).where(sa.false()), *parts).subquery()
    # A cached plan would read every attachment: most belong to resources that emit the event.
    return sa.select(found.c.tenant_id, found.c.id).execution_options(**{Statement.PLANNED_ANEW: True})


def remove_orphan(ctx: Context, id: str) -> None:
    """Remove an attachment whose record is gone."""
    row = ctx.db.execute(
        sa.select(attachments).where(own(ctx, attachments), attachments.c.id == id).with_for_update()
    ).first()
    if row is not None:
        record = owners_by_prefix(ctx.app)[row.kind].table
        if record is None:
            return
        if ctx.db.execute(sa.select(record.c.id).where(own(ctx, record), record.c.id == row.resource)).first() is None:
            remove_files(ctx, {id: row.size})


def unstored_files(app: App, now: Moment) -> sa.Select[Any]:
    """Select the bytes in the database that are to be moved to the storage."""
    return sa.select(waiting.c.tenant_id, waiting.c.id).order_by(waiting.c.created_at)


def store_file(ctx: Context, id: str) -> None:
    """Move waiting bytes to the storage, outside any transaction. A crash in between is made good by the next run.

    Bytes whose attachment is deleted meanwhile were noted with it, and are removed a day later.
    """
    this = own(ctx, waiting) & (waiting.c.id == id)
    with ctx.app.db.reading(ctx.tenant_id) as db:
        content = db.execute(sa.select(waiting.c.content).where(this)).scalar()
    if content is not None:
        storage_of(ctx.app).put(storage_key(ctx.tenant_id, id), [bytes(content)])
        with ctx.app.db.writing(ctx.tenant_id) as db:
            db.execute(sa.delete(waiting).where(this))
