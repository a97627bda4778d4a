"""Archives made in turns: a thread writes the file, and runs only while the worker gives it a turn.

The file is of one moment, so one transaction reads all of it, however long that takes. Between its turns the thread
waits with that transaction open, and the worker does what is due to others.
"""

import logging
import secrets
import tempfile
import threading
import time
from collections.abc import Iterator
from datetime import timedelta
from typing import IO, Any
from weakref import WeakKeyDictionary

import sqlalchemy as sa

from billycan import App, Context, own
from billycan.fields import Moment
from billycan_attachments.api import put_stored, remove_stored

from .records import finish_archive
from .settings import Settings
from .tables import archives

log = logging.getLogger("billycan")

TURN_SECONDS = 0.3
MOST_AT_ONCE = 2  # of a worker: each has a connection, and a file on its disk
MOST_TRIES = 3
LEASE = timedelta(minutes=2)  # of which each turn begins anew
_AGAIN = timedelta(minutes=1)
_UNFINISHED_SECONDS = 1.0  # that a turn waits for a piece of work longer than itself, such as the disk
_PIECE_BYTES = 256 * 1024


class TooLarge(Exception):
    """The file would have more bytes than the setting allows."""


class Abandoned(Exception):
    """No turn came for as long as the lease lasts."""


class Making:
    """A file that a thread of its own makes, in turns."""

    def __init__(self, app: App, tenant_id: str, id: str, lease: str) -> None:
        self.lease, self.share = lease, 0
        self.result: dict[str, Any] = {}
        self.error: Exception | None = None
        self._app, self._tenant_id, self._id = app, tenant_id, id
        self._state, self._has_turn, self._is_done, self._over = threading.Condition(), False, False, 0.0
        self._thread = threading.Thread(target=self._make_file, daemon=True, name=f"archive {id}")

    def take_turn(self, seconds: float) -> bool:
        """Let the thread work for a while; return True if more is left."""
        with self._state:
            self._has_turn, self._over = True, time.monotonic() + seconds
            self._state.notify_all()
            if self._thread.ident is None:
                self._thread.start()
            self._state.wait_for(lambda: self._is_done or not self._has_turn, seconds + _UNFINISHED_SECONDS)
            return not self._is_done

    def _make_file(self) -> None:
        try:
            with tempfile.TemporaryFile(prefix="billycan-archive-") as file:
                most = self._app.settings_of(Settings).most_mib << 20

                def pause(done: int, parts: int) -> None:
                    if file.tell() > most:
                        raise TooLarge
                    self.share = 95 * done // max(parts, 1)
                    self._wait_for_turn()

                contents = self._app.write_business(self._tenant_id, file, pause)
                size = file.tell()
                put_stored(self._app, self._tenant_id, self._id, self._read_pieces(file))
            rows = sum(part.rows for part in contents.parts if part.table)
            self.result = {"rows": rows, "files": contents.files, "bytes": size}
        except Exception as error:  # noqa: BLE001 - raised where the turns are given
            self.error = error
        with self._state:
            self._is_done = True
            self._state.notify_all()

    def _read_pieces(self, file: IO[bytes]) -> Iterator[bytes]:
        file.seek(0)
        while piece := file.read(_PIECE_BYTES):
            self._wait_for_turn()
            yield piece

    def _wait_for_turn(self) -> None:
        """Wait for the next turn once this one is over."""
        if time.monotonic() < self._over:
            return
        with self._state:
            self._has_turn = False
            self._state.notify_all()
            if not self._state.wait_for(lambda: self._has_turn, LEASE.total_seconds()):
                raise Abandoned


_under_way: WeakKeyDictionary[App, dict[str, Making]] = WeakKeyDictionary()


def archives_to_make(app: App, now: Moment) -> sa.Select[Any]:
    """Select the archives that this worker makes already, and as many more as it can, oldest first."""
    c, mine = archives.c, _under_way.get(app, {})
    for id in [id for id, making in mine.items() if isinstance(making.error, Abandoned)]:
        del mine[id]  # another worker made it, or its business is not open
    due: sa.ColumnElement[bool] = c.id.in_([*mine])
    if len(mine) < MOST_AT_ONCE:
        due |= c.lease_until <= now
    return sa.select(c.tenant_id, c.id).where(c.finished_at.is_(None), due).order_by(c.created_at)


def make_archive(ctx: Context, id: str) -> bool:
    """Give an archive its turn; return True if more is left. Call it outside any transaction."""
    mine = _under_way.setdefault(ctx.app, {})
    if id not in mine and len(mine) >= MOST_AT_ONCE:
        return False
    making = mine.get(id) or Making(ctx.app, ctx.tenant_id, id, secrets.token_hex(8))
    if not _renew_lease(ctx, id, making, is_new=id not in mine):
        mine.pop(id, None)  # another worker has it: the thread ends for want of turns
        return False
    mine[id] = making
    if making.take_turn(TURN_SECONDS):
        return True
    del mine[id]
    _note_end(ctx, id, making)
    return False


def _renew_lease(ctx: Context, id: str, making: Making, *, is_new: bool) -> bool:
    """Keep others from making an archive for a while, and note how far it is; return False if one of them does."""
    with ctx.app.db.writing(ctx.tenant_id) as db:
        c, now = archives.c, ctx.app.shared_now(db)
        free = c.lease_until <= now if is_new else c.lease == making.lease
        this = sa.update(archives).where(own(ctx, archives), c.id == id, c.finished_at.is_(None), free)
        values = {"lease": making.lease, "lease_until": Moment.of(now + LEASE), "share": making.share}
        return db.execute(this.values(tries=c.tries + int(is_new), **values)).rowcount == 1


def _note_end(ctx: Context, id: str, making: Making) -> None:
    """Note that a file is stored, or why there is none; raise the error of one that is tried again."""
    unit = Context(ctx.app, ctx.tenant_id)
    if making.error is None:
        with unit.transaction():
            finish_archive(unit, id, making.lease, **making.result)
            is_there = unit.db.execute(sa.select(archives.c.id).where(own(unit, archives), archives.c.id == id)).first()
        if is_there is None:
            remove_stored(ctx.app, ctx.tenant_id, id)  # the business was deleted meanwhile
        return
    with unit.transaction():
        c, mine = archives.c, own(unit, archives) & (archives.c.id == id) & (archives.c.lease == making.lease)
        tries = unit.db.execute(sa.select(c.tries).where(mine)).scalar()
        if isinstance(making.error, TooLarge):
            finish_archive(unit, id, making.lease, fault="too_large")
        elif tries is not None and tries >= MOST_TRIES:
            finish_archive(unit, id, making.lease, fault="failed")
        else:
            again = Moment.of(ctx.app.shared_now(unit.db) + _AGAIN)
            unit.db.execute(sa.update(archives).where(mine).values(lease=None, lease_until=again))
    if isinstance(making.error, TooLarge):
        log.warning("the archive of %s would be larger than archives.most_mib allows", ctx.tenant_id)
    else:
        raise making.error


def archives_to_delete(app: App, now: Moment) -> sa.Select[Any]:
    """Select the archives that were kept for as long as they are, or that another took the place of."""
    c = archives.c
    return sa.select(c.tenant_id, c.id).where(c.expires_at <= now).order_by(c.expires_at)


def delete_archive(ctx: Context, id: str) -> None:
    """Remove an archive's file and then its row. Call it outside any transaction."""
    remove_stored(ctx.app, ctx.tenant_id, id)
    with ctx.app.db.writing(ctx.tenant_id) as db:
        db.execute(sa.delete(archives).where(own(ctx, archives), archives.c.id == id))
