"""Idempotency keys: the first answer of a request, kept in the transaction of its change and given again."""

import hashlib
from datetime import timedelta
from typing import Any

import msgspec
import sqlalchemy as sa

from .context import Context
from .db import ByCodePoint, Json, UTCDateTime, metadata, upserts
from .problems import Conflict, Invalid

answers = sa.Table(
    "core_idempotency",
    metadata,
    sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), primary_key=True),
    sa.Column("key", ByCodePoint, primary_key=True),
    sa.Column("request", sa.LargeBinary, nullable=False),
    sa.Column("status", sa.Integer, nullable=False),
    sa.Column("headers", Json, nullable=False),
    sa.Column("body", sa.LargeBinary, nullable=False),
    sa.Column("created_at", UTCDateTime, nullable=False, index=True),
)
KEPT = timedelta(hours=24)

_KEPT_ANSWER = sa.select(answers).where(
    answers.c.tenant_id == sa.bindparam("of_tenant"),
    answers.c.key == sa.bindparam("of_key"),
    answers.c.created_at > sa.bindparam("since"),
)


def _replace(row: Any) -> Any:
    replaced = {column.name: row.excluded[column.name] for column in answers.c if not column.primary_key}
    return row.on_conflict_do_update(index_elements=["tenant_id", "key"], set_=replaced)


_REMEMBER = upserts(answers, _replace)


class Answer(msgspec.Struct):
    """What was answered: status, headers of its own, body."""

    status: int
    headers: dict[str, str]
    body: bytes


def fingerprint(method: str, path: str, query: str, body: bytes) -> bytes:
    """What makes two requests the same one."""
    return hashlib.sha256(b"\n".join((method.encode(), path.encode(), query.encode(), body))).digest()


def replay(ctx: Context, key: str, request: bytes) -> Answer | None:
    """The stored answer of this key, or None for the first such request, which then holds the key's lock.

    On SQLite the writer's lock already makes a second request wait here and replay.
    """
    if ctx.db.dialect.name == "postgresql":
        number = int.from_bytes(hashlib.sha256(f"{ctx.tenant_id} {key}".encode()).digest()[:8], "big", signed=True)
        if not ctx.db.execute(sa.select(sa.func.pg_try_advisory_xact_lock(number))).scalar():
            raise Conflict(
                "A request with this Idempotency-Key is still running: try again shortly.",
                code="idempotency_in_progress",
                headers={"Retry-After": "1"},
            )
    row = ctx.db.execute(_KEPT_ANSWER, {"of_tenant": ctx.tenant_id, "of_key": key, "since": ctx.now() - KEPT}).first()
    if row is None:
        return None
    if row.request != request:
        raise Invalid(
            "This Idempotency-Key was used for another request: use a new one.", code="idempotency_key_reused"
        )
    return Answer(row.status, row.headers, row.body)


def remember(ctx: Context, key: str, request: bytes, answer: Answer) -> None:
    """Keep the answer with the change it reports."""
    values = {"request": request, "created_at": ctx.now(), **msgspec.structs.asdict(answer)}
    ctx.db.execute(_REMEMBER[ctx.db.dialect.name], {"tenant_id": ctx.tenant_id, "key": key, **values})


def forget_old(ctx: Context) -> None:
    """Delete the tenant's answers that are no longer given again."""
    ctx.db.execute(
        sa.delete(answers).where(answers.c.tenant_id == ctx.tenant_id, answers.c.created_at <= ctx.now() - KEPT)
    )
