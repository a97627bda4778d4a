"""The chain: each entry's hash covers its contents and the hash of the entry before."""

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Event, UTCDateTime, new_id, new_table, own
from billycan.fields import Moment
from billycan.sql import counters
from billycan.web import encode

START = "0" * 64
CHECKPOINT = "audit.checkpointed"

audit = new_table(
    "audit",
    sa.Column("sequence", sa.BigInteger, nullable=False),
    sa.Column("event", sa.Text, nullable=False),
    sa.Column("data", sa.Text, nullable=False),
    sa.Column("key_id", sa.Text),
    sa.Column("behalf", sa.Text),  # the app, and the proposal and who approved it, as the log of events has them
    sa.Column("request_id", sa.Text, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False),
    sa.Column("previous_hash", sa.Text, nullable=False),
    sa.Column("hash", sa.Text, nullable=False),
    sa.UniqueConstraint("tenant_id", "sequence"),
)
HASHED = sorted(column.name for column in audit.c if column.name != "hash")


def append_event(ctx: Context, event: Event) -> None:
    """Add the entry of an event that the caller's transaction emits."""
    caller = ctx.identity
    behalf = {**({"app_id": caller.app_id} if caller and caller.app_id else {}), **ctx.approval}
    append_entry(ctx, event.name, bytes(event.data).decode(), event.created_at, caller.id if caller else None, behalf)


def append_entry(
    ctx: Context, event: str, data: str, created_at: Moment, key_id: str | None, behalf: Mapping[str, Any]
) -> None:
    """Add an entry to the tenant's chain; concurrent writers wait, since the counter's row stays locked."""
    sequence = ctx.advance_counter("audit")
    before = sa.select(audit.c.hash).where(own(ctx, audit), audit.c.sequence == sequence - 1)
    entry = {
        "tenant_id": ctx.tenant_id,
        "id": new_id("aud"),
        "sequence": sequence,
        "event": event,
        "data": data,
        "key_id": key_id,
        "behalf": encode(behalf).decode() if behalf else None,
        "request_id": ctx.request_id,
        "created_at": created_at,
        "previous_hash": ctx.db.execute(before).scalar() or START,
    }
    ctx.db.execute(sa.insert(audit).values(**entry, hash=digest(entry)))


class Checkpoint(Struct, kw_only=True):
    """The latest entry of a chain, sent once a day to whoever keeps a copy of its hash elsewhere."""

    id: str
    sequence: int
    hash: str
    created_at: Moment


def emit_checkpoint(ctx: Context) -> bool:
    """Tell the latest entry of a business's chain, unless that is an earlier checkpoint."""
    latest = sa.select(audit).where(own(ctx, audit)).order_by(audit.c.sequence.desc()).limit(1)
    row = ctx.db.execute(latest).first()
    if row is not None and row.event != CHECKPOINT:
        ctx.emit(CHECKPOINT, Checkpoint(id=row.id, sequence=row.sequence, hash=row.hash, created_at=row.created_at))
    return False


def with_news(db: sa.Connection, now: Moment) -> Iterable[str]:
    """Name the businesses whose latest entry is no checkpoint."""
    is_latest = (audit.c.tenant_id == counters.c.tenant_id) & (audit.c.sequence == counters.c.number)
    latest = sa.select(counters.c.tenant_id).join(audit, is_latest)
    return db.execute(latest.where(counters.c.name == "audit", audit.c.event != CHECKPOINT)).scalars()


def digest(entry: Any) -> str:
    """Return the SHA-256 of a JSON array of an entry's members but a null `behalf`, in the order of their names."""
    names = [name for name in HASHED if name != "behalf" or entry[name] is not None]
    return hashlib.sha256(encode([entry[name] for name in names])).hexdigest()


def count_entries(db: sa.Connection) -> list[Any]:
    """Count the entries of each tenant that has any."""
    mine = sa.select(counters.c.tenant_id, counters.c.number).where(counters.c.name == "audit")
    return list(db.execute(mine.order_by(counters.c.tenant_id)))


def find_faults(
    db: sa.Connection, tenant_id: str, entries: int, kept: Mapping[int, str] | None = None
) -> Iterator[str]:
    """Yield the faults of a tenant's chain of so many entries, from its first broken link on.

    `kept` maps the sequences of checkpoints to the hashes that were told.
    """
    before, last = START, 0
    rows = sa.select(audit).where(audit.c.tenant_id == tenant_id).order_by(audit.c.sequence)
    for row in db.execute(rows).mappings():
        if row["sequence"] != last + 1:
            yield f"BROKEN: entry {last + 1} is missing"
        if row["previous_hash"] != before:
            yield f"BROKEN: entry {row['sequence']} ({row['id']}) does not follow the one before it"
        if row["hash"] != digest(row):
            yield f"BROKEN: entry {row['sequence']} ({row['id']}) is not what was written"
        if kept and kept.get(row["sequence"], row["hash"]) != row["hash"]:
            yield f"BROKEN: entry {row['sequence']} ({row['id']}) does not match its checkpoint"
        before, last = row["hash"], row["sequence"]
    if last < entries:
        yield f"BROKEN: entry {last + 1} is missing"
