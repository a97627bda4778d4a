"""The standing of businesses that are not simply open: suspended, closed, on their way in from a file, or out."""

from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa
from msgspec import Struct

from .db import ByCodePoint, Json, UTCDateTime, metadata
from .fields import Moment
from .problems import Forbidden
from .sharing.folder import Recent
from .tenants import tenants

if TYPE_CHECKING:
    from .app import App

State = Literal["suspended", "closed", "arriving", "leaving"]

# Only businesses that are not open have rows: one for the business and one for its sandbox.
standings = sa.Table(
    "core_standings",
    metadata,
    sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
    sa.Column("state", sa.Text, nullable=False),
    sa.Column("since", UTCDateTime, nullable=False),
    sa.Column("ends_at", UTCDateTime),  # from when a closed business is deleted
    sa.Column("progress", Json),  # how far the file of one that arrives has been read
    info={"stays": True},
)
_ACROSS = "every request looks for the standing of its business"


class Standing(Struct, frozen=True):
    """The state of a business and since when; `ends_at` is when a closed one is deleted."""

    state: State
    since: Moment
    ends_at: Moment | None


class Standings:
    """The standing of each business, which it shares with its sandbox."""

    def __init__(self, app: "App", recent: Recent[dict[str, Standing]]) -> None:
        self._app, self._recent = app, recent

    def of(self, tenant_id: str) -> Standing | None:
        """Return how a business stands, at most a second ago; None if it is open."""
        return self._recent.get("", self._load).get(tenant_id)

    def check_known(self, tenant_id: str) -> None:
        """Raise Forbidden for a business of which only a part is there, since it arrives from a file or is deleted."""
        standing = self.of(tenant_id)
        if standing and standing.state in ("arriving", "leaving"):
            raise Forbidden(_MESSAGES[standing.state], code="business_moving")

    def check_open(self, tenant_id: str) -> None:
        """Raise Forbidden for a write to a business that is suspended or closed."""
        if standing := self.of(tenant_id):
            raise Forbidden(_MESSAGES[standing.state], code=_CODES[standing.state])

    def _load(self) -> dict[str, Standing]:
        with self._app.db.reading(across=_ACROSS) as db:
            return {row.tenant_id: Standing(row.state, row.since, row.ends_at) for row in db.execute(_ALL)}


_ALL = sa.select(standings.c.tenant_id, standings.c.state, standings.c.since, standings.c.ends_at)
_MOVING = "This business is being moved or deleted: nothing of it can be read or changed meanwhile."
_MESSAGES = {
    "suspended": "This business is suspended: it can be read, but not changed. Ask whoever runs this service.",
    "closed": "This business is closed and will be deleted: it can be read, but not changed.",
    "arriving": _MOVING,
    "leaving": _MOVING,
}
_CODES = {
    "suspended": "business_suspended",
    "closed": "business_closed",
    "arriving": "business_moving",
    "leaving": "business_moving",
}


def stand(
    db: sa.Connection,
    ids: tuple[str, ...],
    state: State,
    now: Moment,
    *,
    ends_at: datetime | None = None,
    progress: Any = None,
) -> None:
    """Give a business and its sandbox a standing in place of any other. The caller then bumps the epoch."""
    open_again(db, ids)
    ends = None if ends_at is None else Moment.of(ends_at)
    values = {"state": state, "since": now, "ends_at": ends, "progress": progress}
    db.execute(sa.insert(standings), [{"tenant_id": id, **values} for id in ids])


def open_again(db: sa.Connection, ids: tuple[str, ...]) -> None:
    """Let a business and its sandbox be open again. The caller then bumps the epoch."""
    db.execute(sa.delete(standings).where(standings.c.tenant_id.in_(ids)))


def pair_of(db: sa.Connection, tenant_id: str) -> tuple[str, str] | None:
    """Return the ids of a business and of its sandbox, by either; None if there is no such business."""
    found = sa.select(tenants.c.id, tenants.c.paired_id, tenants.c.environment).where(tenants.c.id == tenant_id)
    row = db.execute(found).first()
    if row is None:
        return None
    return (row.id, row.paired_id) if row.environment == "live" else (row.paired_id, row.id)
