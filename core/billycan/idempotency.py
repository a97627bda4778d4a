"""Idempotency keys: a request's first answer, stored in the transaction of its change and returned again."""

import hashlib
import zlib
from collections.abc import Iterable
from datetime import timedelta
from typing import Any

import msgspec
import sqlalchemy as sa

from .context import ALONE, Context
from .db import ByCodePoint, Json, UTCDateTime, metadata, upserts
from .engines.statements import Statement, at_once
from .problems import Conflict, Forbidden, Invalid

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
    sa.Column("scopes", Json),  # scopes that the answer depends on; null for none
    sa.Index(
        "ix_core_idempotency_large",
        "tenant_id",
        "created_at",
        sqlite_where=sa.text("length(body) > 4096"),
        postgresql_where=sa.text("octet_length(body) > 4096"),
    ),
)
KEPT = timedelta(hours=24)
COMPRESSED_FROM = 1024  # bytes; compressing less is hardly worth the time
PACKED = b"\0"  # the first byte of a compressed body, and the whole of one that is gone

_KEPT_ANSWER = Statement(
    sa.select(answers).where(
        answers.c.tenant_id == sa.bindparam("of_tenant"),
        answers.c.key == sa.bindparam("of_key"),
        answers.c.created_at > sa.bindparam("since"),
    )
)
_LOCK = Statement(sa.select(sa.func.pg_try_advisory_xact_lock(sa.bindparam("number", type_=sa.BigInteger))))


def _build_replacement(row: Any) -> Any:
    replaced = {column.name: row.excluded[column.name] for column in answers.c if not column.primary_key}
    return row.on_conflict_do_update(index_elements=["tenant_id", "key"], set_=replaced)


_REMEMBER = Statement(**upserts(answers, _build_replacement))


class Answer(msgspec.Struct):
    """An answer: status, headers of its own, body; `replayed` if it was first given to an earlier request.

    A body that is sent as it is produced is in `pieces`.
    """

    status: int
    headers: dict[str, str]
    body: bytes
    replayed: bool = False
    pieces: Iterable[bytes] | None = None


def fingerprint_request(method: str, path: str, query: str, body: bytes) -> bytes:
    """Return a digest that is the same for equal requests only."""
    return hashlib.sha256(b"\n".join((method.encode(), path.encode(), query.encode(), body))).digest()


def replay_answer(ctx: Context, key: str, request: bytes) -> Answer | None:
    """Return the stored answer of this key, or None for the first such request, which then holds the key's lock.

    Raise Forbidden if the caller lacks a scope on which the answer depends, or does not act alone where that shows
    more: it could not have had that answer itself.
    On SQLite the writer's lock already makes a second request wait here and replay.
    """
    kept = {"of_tenant": ctx.tenant_id, "of_key": key, "since": ctx.app.now() - KEPT}
    if ctx.db.dialect.name == "postgresql":
        number = int.from_bytes(hashlib.sha256(f"{ctx.tenant_id} {key}".encode()).digest()[:8], "big", signed=True)
        # The answer is looked up after trying for the lock, without waiting for it.
        ((locked,),), found = at_once(ctx.db, (_LOCK, {"number": number}), (_KEPT_ANSWER, kept))
        if not locked:
            raise Conflict(
                "A request with this Idempotency-Key is still running: try again shortly.",
                code="idempotency_in_progress",
                headers={"Retry-After": "1"},
            )
        row = found[0] if found else None
    else:
        row = _KEPT_ANSWER.first(ctx.db, kept)
    if row is None:
        return None
    if row.request != request:
        raise Invalid(
            "This Idempotency-Key was used for another request: use a new one.", code="idempotency_key_reused"
        )
    for scope in row.scopes or ():
        if scope != ALONE:
            ctx.require(scope)
        elif not ctx.acts_alone:
            raise Forbidden("The first answer was for a caller without a policy: fetch the record instead.")
    if row.body == PACKED:
        raise Conflict(
            "The request with this Idempotency-Key was carried out, but its answer was too large to be kept so long:"
            " fetch the record instead.",
            code="idempotency_answer_gone",
        )
    return Answer(row.status, row.headers, _unpack_body(bytes(row.body)), replayed=True)


def store_answer(ctx: Context, key: str, request: bytes, answer: Answer) -> None:
    """Store the answer in the transaction of the change that it reports."""
    kept = {"status": answer.status, "headers": answer.headers, "body": _pack_body(answer.body)}
    kept["scopes"] = sorted(ctx.held) or None
    given = {"tenant_id": ctx.tenant_id, "key": key, "request": request, "created_at": ctx.app.now(), **kept}
    ctx.last_statements.append((_REMEMBER, given))


def _pack_body(body: bytes) -> bytes:
    if len(body) < COMPRESSED_FROM and not body.startswith(PACKED):
        return body
    return PACKED + zlib.compress(body, 1)


def _unpack_body(stored: bytes) -> bytes:
    return zlib.decompress(stored[1:]) if stored.startswith(PACKED) else stored
