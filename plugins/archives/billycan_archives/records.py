"""Archives as stored and as shown, from the request to the day on which the file is deleted."""

from datetime import timedelta
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Conflict, Context, Row, new_id, own
from billycan.fields import Moment

from .tables import archives

KEPT = timedelta(days=7)


class Archive(Struct, kw_only=True):
    """A file with everything of a business and its sandbox.

    id: Its id.
    created_at: When an owner asked for it.
    finished_at: When it was made.
    expires_at: When it is deleted.
    """

    id: str
    created_at: Moment
    finished_at: Moment
    expires_at: Moment


def queue_archive(ctx: Context, asked_by: str) -> None:
    """Have an archive of a live business made. Raise Conflict while another is."""
    now = ctx.app.now()
    row = {"tenant_id": ctx.tenant_id, "id": new_id("arc"), "asked_by": asked_by, "created_at": now}
    if newest_archive(ctx, finished=False) is None:
        try:
            with ctx.db.begin_nested():
                ctx.db.execute(sa.insert(archives).values(**row, share=0, tries=0, lease_until=now))
            return
        except sa.exc.IntegrityError:
            pass  # somebody asked at the same time
    raise Conflict("A file with everything is being made already: wait for it.", code="archive_under_way")


def newest_archive(ctx: Context, *, finished: bool) -> Row | None:
    """Return the archive that is being made, or else the last one that was and is not deleted yet."""
    c = archives.c
    mine = own(ctx, archives) & (c.finished_at.is_not(None) if finished else c.finished_at.is_(None))
    return ctx.db.execute(sa.select(archives).where(mine).order_by(c.created_at.desc()).limit(1)).one_or_none()


def finish_archive(ctx: Context, id: str, lease: str, **result: Any) -> None:
    """Note what became of an archive that this lease is for; from now on it takes the place of earlier ones."""
    c, now = archives.c, ctx.app.now()
    values = {"finished_at": now, "expires_at": Moment.of(now + KEPT), "share": 100, "lease": None, **result}
    mine = own(ctx, archives) & (c.id == id) & (c.lease == lease)
    row = ctx.db.execute(sa.update(archives).where(mine).values(values).returning(archives)).one_or_none()
    if row is None:
        return  # another worker has it since
    others = own(ctx, archives) & (c.id != id) & (c.expires_at > now)
    if row.fault is None:
        ctx.db.execute(sa.update(archives).where(others).values(expires_at=now))
        ctx.emit("archive.ready", Archive(**{name: getattr(row, name) for name in Archive.__struct_fields__}))


def can_be_sent(app: App, row: Row | None) -> bool:
    """Tell whether there is a file to download."""
    return row is not None and row.finished_at is not None and row.fault is None and row.expires_at > app.now()
