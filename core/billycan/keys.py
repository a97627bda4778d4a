"""API keys, stored as digests only; the Identity that holds a key; and callers of queued work, looked up later."""

import binascii
import hashlib
import logging
import secrets
import string
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa
from msgspec import Struct

from .db import ByCodePoint, Json, UTCDateTime, metadata, reason
from .engines.statements import Statement
from .fields import Moment
from .problems import Unauthenticated
from .sharing.recent import Recent
from .tenants import tenants

if TYPE_CHECKING:
    from .app import App
from typing import TYPE_CHECKING

import msgspec

from .manifest import CallerKind
from .problems import Forbidden

if TYPE_CHECKING:
    from .app import App
    from .context import Context


keys = sa.Table(
    "core_keys",
    metadata,
    sa.Column("id", ByCodePoint, primary_key=True),
    sa.Column("tenant_id", ByCodePoint, sa.ForeignKey("core_tenants.id"), nullable=False, index=True),
    sa.Column("digest", sa.LargeBinary, nullable=False, unique=True),
    sa.Column("hint", sa.Text, nullable=False),
    sa.Column("name", sa.Text),
    sa.Column("scopes", Json, nullable=False),
    sa.Column("per_minute", sa.Integer),
    sa.Column("per_second", sa.Integer),
    sa.Column("created_at", UTCDateTime, nullable=False),
    sa.Column("expires_at", UTCDateTime),
    sa.Column("last_used_at", UTCDateTime),
    sa.Column("revoked_at", UTCDateTime),
    sa.Column("made_by", ByCodePoint),  # the person who created it; null for one created by a command
    sa.Column("revoked_by", ByCodePoint),
)

ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
RANDOM, CHECK = 32, 6  # 32 characters of base 62 hold 190 bits
_MOST_USED_SECONDS = 60
_MOST_NOTING_SECONDS = 0.1

log = logging.getLogger("billycan")


class Identity(Struct, frozen=True, kw_only=True):
    """The caller: a key, its tenant and environment, and what it may do and how often.

    `connection_id` is set for an app that somebody connected to the tenant; `app_id` and `app_name` tell which.
    """

    id: str
    tenant_id: str
    environment: Literal["live", "sandbox"]
    name: str | None
    scopes: tuple[str, ...]
    per_minute: int
    per_second: int
    expires_at: Moment | None = None
    revoked_at: Moment | None = None
    app_id: str | None = None
    app_name: str | None = None
    connection_id: str | None = None

    def holds(self, scope: str) -> bool:
        """Tell whether this key holds `scope`, or `read` or `write` for every resource."""
        return scope in self.scopes or scope.rpartition(":")[2] in self.scopes


STARTS = ("svc_live_", "svc_test_")


def new_secret(start: str) -> str:
    """Return a new secret: this start, 190 random bits and a checksum."""
    start += "".join(secrets.choice(ALPHABET) for _ in range(RANDOM))
    return start + checksum(start)


@lru_cache(4096)
def well_formed(secret: str, starts: tuple[str, ...] = STARTS) -> bool:
    """Tell whether a secret starts like this and has a correct checksum: a mistyped one needs no look-up."""
    start = next((start for start in starts if secret.startswith(start)), None)
    return (
        start is not None
        and len(secret) == len(start) + RANDOM + CHECK
        and all(c in ALPHABET for c in secret[len(start) :])
        and checksum(secret[:-CHECK]) == secret[-CHECK:]
    )


def digest(key: str) -> bytes:
    """Return what is stored of a secret."""
    # 190 random bits need no slow hash, and the look-up by digest compares nothing that timing could tell.
    return hashlib.sha256(key.encode()).digest()


def checksum(start: str) -> str:
    """Return the end of a key, which shows that a key was mistyped."""
    number, text = binascii.crc32(start.encode()), ""
    for _ in range(CHECK):
        number, rest = divmod(number, 62)
        text = ALPHABET[rest] + text
    return text


_BY_DIGEST = Statement(
    sa.select(keys, tenants.c.environment)
    .join(tenants, tenants.c.id == keys.c.tenant_id)
    .where(keys.c.digest == sa.bindparam("digest"))
)


_BY_ID = Statement(
    sa.select(keys, tenants.c.environment)
    .join(tenants, tenants.c.id == keys.c.tenant_id)
    .where(keys.c.tenant_id == sa.bindparam("tenant_id"), keys.c.id == sa.bindparam("id"))
)


class Keys:
    """Look-up of the holders of keys, for requests and queued work."""

    def __init__(self, app: "App", recent: Recent[Identity | None]) -> None:
        self._app, self._recent = app, recent

    def identify(self, key: str) -> Identity:
        """Return the holder of `key`; raise Unauthenticated if it is unknown, revoked or expired."""
        identity = self._recent.get(key, lambda: self._find(key)) if well_formed(key) else None
        if identity is None:
            raise _refused("invalid_api_key", "This API key does not exist: check that you copied all of it.")
        return self._valid(identity)

    def find(self, app: "App", tenant_id: str, id: str) -> Identity:
        """Return the key with this id as it is now; raise Unauthenticated if it is unknown, revoked or expired."""
        with self._app.db.reading(tenant_id) as db:
            row = _BY_ID.first(db, {"tenant_id": tenant_id, "id": id})
        if row is None:
            raise _refused("invalid_api_key", "This API key does not exist any more.")
        return self._valid(self._identity(row))

    def _valid(self, identity: Identity) -> Identity:
        if identity.revoked_at is not None:
            raise _refused("revoked_api_key", "This API key was revoked.")
        if identity.expires_at is not None and identity.expires_at <= self._app.now():
            raise _refused("expired_api_key", "This API key has expired.")
        return identity

    def _find(self, key: str) -> Identity | None:
        with self._app.db.reading(across="only the key says whose it is") as db:
            row = _BY_DIGEST.first(db, {"digest": digest(key)})
        if row is None:
            return None
        self._note_use(row)
        return self._identity(row)

    def _identity(self, row: sa.Row[Any]) -> Identity:
        return Identity(
            id=row.id,
            tenant_id=row.tenant_id,
            environment=row.environment,
            name=row.name,
            scopes=tuple(row.scopes),
            per_minute=row.per_minute or self._app.settings.per_minute,
            per_second=row.per_second or self._app.settings.per_second,
            expires_at=row.expires_at,
            revoked_at=row.revoked_at,
        )

    def _note_use(self, row: sa.Row[Any]) -> None:
        now = self._app.now()
        used = row.last_used_at
        refused = row.revoked_at or (row.expires_at and row.expires_at <= now)
        if refused or (used and abs((now - used).total_seconds()) < _MOST_USED_SECONDS):
            return
        try:
            with self._app.db.noting(_MOST_NOTING_SECONDS) as db:
                this = (keys.c.tenant_id == row.tenant_id) & (keys.c.id == row.id)
                db.execute(sa.update(keys).where(this).values(last_used_at=now))
        except sa.exc.SQLAlchemyError as error:
            # Callers that only read are served even if nothing can be written, as on a full disk.
            log.warning("the use of %s could not be noted: %s", row.id, reason(error))


def _refused(code: str, message: str) -> Unauthenticated:
    return Unauthenticated(message, code=code)


__all__ = ["Caller", "caller_of", "identity_now"]


class Caller(Struct, frozen=True):
    """The caller that queued something: the id of a key, person or connection, and the scopes it had then."""

    id: str
    scopes: tuple[str, ...]


# Known from the import on: msgspec crashes where two threads are the first to need it at once.
msgspec.json.Decoder(Caller)


def caller_of(ctx: "Context") -> Caller:
    """Return the caller of this request, for storing with what it queues; raise Forbidden if it has none."""
    if ctx.identity is None:
        raise Forbidden("Only a key, a person or a connected app can queue this.")
    return Caller(ctx.identity.id, ctx.identity.scopes)


def identity_now(app: "App", tenant_id: str, caller: Caller) -> "Identity":
    """Return the caller with the scopes that it held then and still holds; Unauthenticated if it has no access any
    more.

    It reads on a connection of its own, so it can be called inside and outside of a transaction.
    """
    prefix = caller.id.partition("_")[0]
    kinds = {each.prefix: each.find for _, each in app.offered(CallerKind)}
    find = app.keys.find if prefix == "key" else kinds.get(prefix)
    if find is None:
        raise Unauthenticated("The plugin that knew the caller is switched off.", code="invalid_api_key")
    identity = find(app, tenant_id, caller.id)
    then = msgspec.structs.replace(identity, scopes=caller.scopes)
    both = {scope for scope in then.scopes if identity.holds(scope)}
    both |= {scope for scope in identity.scopes if then.holds(scope)}
    return msgspec.structs.replace(identity, scopes=tuple(sorted(both)))
