"""The operations of those who run a deployment, on it and on businesses, by a command or on a page; and their log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa
from msgspec import Struct

from ..db import ByCodePoint, Json, UTCDateTime, metadata
from ..fields import Moment, new_id
from ..keys import keys
from ..manifest import Manifest
from ..problems import Conflict, NotFound
from ..sharing.folder import BOUNDS, BUCKETS, MICROSECONDS, STATUSES
from ..tenants import (
    clear_ceiling,
    end_read_only,
    open_again,
    pair_of,
    set_ceiling,
    set_standing,
    standings,
    start_read_only,
    tenants,
)
from ..working import worker

if TYPE_CHECKING:
    from ..app import App
    from .health import Finding

LONG_SECONDS = 0.5
KEPT = timedelta(days=730)
MOST_STUCK = 50  # entries of a queue that are shown
_ACROSS = "an operator sees and changes any business"

# Rows outlive the business that they tell of, so they do not refer to it.
operations = sa.Table(
    "core_operations",
    metadata,
    sa.Column("id", ByCodePoint, primary_key=True),
    sa.Column("at", UTCDateTime, nullable=False),
    sa.Column("by", sa.Text, nullable=False),
    sa.Column("did", sa.Text, nullable=False),
    sa.Column("business", ByCodePoint),  # the id of the live tenant
    sa.Column("name", sa.Text),  # the business's, at that time
    sa.Column("detail", Json, nullable=False),
    sa.Index("ix_core_operations_business", "business", "id"),
    info={"of_deployment": True},
)
_o = operations.c


class Operations:
    """The operations of an operator, each with its line in the log, and the figures of the console.

    `by` is who does it: a person's email address, or the user who runs a command. A business is named by its own id or
    its sandbox's. Each change applies at once on this host, and elsewhere within a second.
    """

    class Operation(Struct, frozen=True):
        """A line of the log: `did` is what was done, such as `business.suspended`."""

        id: str
        at: Moment
        by: str
        did: str
        business: str | None
        name: str | None
        detail: Mapping[str, Any]

    def __init__(self, app: App) -> None:
        self._app = app

    def suspend(self, tenant_id: str, by: str) -> None:
        """Let a business be read only. Raise NotFound, or Conflict while it is being moved or deleted."""
        self._set_standing(tenant_id, by, "business.suspended", {}, state="suspended")

    def close(self, tenant_id: str, by: str, days: int | None = None) -> Moment:
        """Let a business be read only, and be deleted after some days; return from when. Raise as `suspend` does."""
        after = self._app.settings.closed_days if days is None else days
        ends_at = Moment.of(self._app.now() + timedelta(days=after))
        self._set_standing(
            tenant_id, by, "business.closed", {"deleted_from": str(ends_at)}, state="closed", ends_at=ends_at
        )
        return ends_at

    def resume(self, tenant_id: str, by: str) -> None:
        """Let a business that was suspended or closed work again. It raises as `suspend` does."""
        self._set_standing(tenant_id, by, "business.resumed", {})

    def limit(self, tenant_id: str, by: str, per_minute: int | None = None, per_second: int | None = None) -> None:
        """Set how many requests a business may make: without numbers, as many as any. Raise NotFound."""
        with self._app.db.writing(across=_ACROSS) as db:
            live, _ = _find_pair(db, tenant_id)
            given = {"per_minute": per_minute, "per_second": per_second}
            if per_minute is None and per_second is None:
                clear_ceiling(db, live)
            else:
                now = self._app.ceilings.of(live)
                set_ceiling(db, live, per_minute or now.per_minute, per_second or now.per_second)
            self.note(db, by, "business.limited", live, {k: v for k, v in given.items() if v})
        self._app.epoch.bump()

    def start_read_only(self, reason: str, by: str, minutes: int | None = None) -> None:
        """Let nothing be changed in the deployment. What is under way is finished."""
        now = self._app.now()
        ends_at = Moment.of(now + timedelta(minutes=minutes)) if minutes else None
        with self._app.db.writing(across=_ACROSS) as db:
            start_read_only(db, reason, now, ends_at)
            self.note(
                db, by, "read_only.started", None, {"reason": reason, **({"minutes": minutes} if minutes else {})}
            )
        self._app.epoch.bump()

    def end_read_only(self, by: str) -> None:
        """Let the deployment be changed again."""
        with self._app.db.writing(across=_ACROSS) as db:
            end_read_only(db)
            self.note(db, by, "read_only.ended", None, {})
        self._app.epoch.bump()

    def note(self, db: sa.Connection, by: str, did: str, business: str | None, detail: Mapping[str, Any]) -> None:
        """Add a line to the log in the transaction of what was done, and forget those that are too old.

        `business` is the id of the live tenant, None for what concerns no single one.
        """
        profile = (
            db.execute(sa.select(tenants.c.profile).where(tenants.c.id == business)).scalar() if business else None
        )
        now, name = self._app.now(), profile["name"] if profile else None
        db.execute(sa.delete(operations).where(_o.at < now - KEPT))
        row = {"id": new_id("opn"), "at": now, "by": by, "did": did, "business": business, "name": name}
        db.execute(sa.insert(operations).values(**row, detail=dict(detail)))

    def recent(self, *, business: str = "", before: str = "", most: int = 50) -> list[Operation]:
        """Return lines of the log, the newest first: those of a business, and those before a line."""
        found = sa.select(operations).order_by(_o.id.desc()).limit(most)
        if business:
            found = found.where(_o.business == business)
        if before:
            found = found.where(_o.id < before)
        with self._app.db.reading() as db:
            return [self.Operation(*row) for row in db.execute(found)]

    def examine(self, *, deep: bool = False) -> Iterator[Finding]:
        """Yield what `billycan doctor` finds; without `deep` only what costs the same however much is stored."""
        from .health import examine_app  # noqa: PLC0415 - for operators, not for requests

        return examine_app(self._app, deep=deep)

    def count_answers(self) -> dict[str, int]:
        """Count this host's answers: all, those with a status of 500 or above, and those slower than half a second."""
        words = self._app.counts.whole()
        failed = (words[place] for place in range(BUCKETS) if place % STATUSES >= 500 - 100)
        quick = sum(words[BUCKETS : BUCKETS + BOUNDS.index(LONG_SECONDS) + 1])
        every = sum(words[BUCKETS:MICROSECONDS])
        return {"all": every, "failed": sum(failed), "slow": every - quick}

    def last_used(self, db: sa.Connection, ids: Sequence[str]) -> dict[str, Moment]:
        """Map the ids of tenants to the time when a key of theirs was last used, in one statement."""
        last = sa.func.max(keys.c.last_used_at, type_=UTCDateTime())
        found = sa.select(keys.c.tenant_id, last.label("last")).where(keys.c.tenant_id.in_(ids))
        return {row.tenant_id: row.last for row in db.execute(found.group_by(keys.c.tenant_id)) if row.last}

    def queues(self) -> dict[str, Manifest.Queue]:
        """Map the name of each queue, which is its plugin's, to what it tells of itself."""
        return {"core": _TIMED_WORK, **dict(self._app.offered(Manifest.Queue))}

    def act_on(self, queue: str, action: str, tenant_id: str, id: str, by: str) -> None:
        """Do to an entry of a queue what the queue offers. Raise NotFound for any other."""
        found = self.queues().get(queue)
        if found is None or action not in found.actions:
            raise NotFound
        found.actions[action](self._app, tenant_id, id)
        with self._app.db.writing(across=_ACROSS) as db:
            live = pair_of(db, tenant_id) if tenant_id else None
            self.note(db, by, f"queue.{action}", live[0] if live else None, {"queue": queue, "id": id})

    def _set_standing(self, tenant_id: str, by: str, did: str, detail: Mapping[str, Any], **standing: Any) -> None:
        with self._app.db.writing(across=_ACROSS) as db:
            ids = _find_pair(db, tenant_id)
            state = db.execute(sa.select(standings.c.state).where(standings.c.tenant_id == ids[0])).scalar()
            if state in ("arriving", "leaving"):
                raise Conflict(f"{tenant_id} is {state}: let that end first", code="business_moving")
            if standing:
                set_standing(db, ids, standing.pop("state"), self._app.now(), **standing)
            else:
                open_again(db, ids)
            self.note(db, by, did, ids[0], detail)
        self._app.epoch.bump()


def _find_pair(db: sa.Connection, tenant_id: str) -> tuple[str, str]:
    if (ids := pair_of(db, tenant_id)) is None:
        raise NotFound
    return ids


def _list_put_off(app: App, most: int) -> list[Manifest.Queue.Stuck]:
    """List records whose timed work failed, those that wait longest first."""
    c = worker.put_off.c
    with app.db.reading(across=_ACROSS) as db:
        rows = db.execute(sa.select(worker.put_off).order_by(c.failures.desc(), c.until).limit(most)).all()
    return [
        Manifest.Queue.Stuck(
            tenant_id=row.tenant_id,
            id=f"{row.task}/{row.id}",
            what=row.task,
            why=f"failed {row.failures} times: the log says why",
            due_at=row.until,
            actions=("try_now",),
        )
        for row in rows
    ]


def _count_put_off(app: App) -> dict[str, float]:
    with app.db.reading(across=_ACROSS) as db:
        found = worker.failing(db, app.shared_now(db))
        waits = db.execute(sa.select(sa.func.count()).select_from(worker.waiting)).scalar_one()
    return {"put_off": sum(found.values()), "waiting": waits}


def _try_now(app: App, tenant_id: str, id: str) -> None:
    task, _, record = id.partition("/")
    c = worker.put_off.c
    with app.db.writing(tenant_id) as db:
        this = (c.tenant_id == tenant_id) & (c.task == task) & (c.id == record)
        db.execute(sa.delete(worker.put_off).where(this))


_TIMED_WORK = Manifest.Queue(
    title="Timed work", count=_count_put_off, list_stuck=_list_put_off, actions={"try_now": _try_now}
)
