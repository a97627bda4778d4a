"""API keys: made once, shown once, kept as a digest; who holds one is an Identity."""

import binascii
import hashlib
import logging
import secrets
import string
from typing import TYPE_CHECKING, Any, Literal

import sqlalchemy as sa
from msgspec import Struct

from .db import ByCodePoint, Json, UTCDateTime, metadata, reason
from .fields import Moment
from .ids import new_id
from .problems import Unauthenticated
from .recent import Recent
from .statements import Statement
from .tenants import tenants

if TYPE_CHECKING:
    from .app import App

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
)

_ALPHABET = string.digits + string.ascii_uppercase + string.ascii_lowercase
_RANDOM, _CHECK = 32, 6  # 32 characters of base 62 hold 190 bits
_MOST_USED_SECONDS = 60
_MOST_NOTING_SECONDS = 0.1

log = logging.getLogger("billycan")


class Identity(Struct, frozen=True, kw_only=True):
    """Who is calling: a key, its tenant and environment, what it may do and how often."""

    id: str
    tenant_id: str
    environment: Literal["live", "sandbox"]
    name: str | None
    scopes: tuple[str, ...]
    per_minute: int
    per_second: int
    expires_at: Moment | None = None
    revoked_at: Moment | None = None

    def holds(self, scope: str) -> bool:
        """Whether this key may do what needs `scope`: it holds that one, or `read` or `write` for every resource."""
        return scope in self.scopes or scope.rpartition(":")[2] in self.scopes


def new_key(environment: Literal["live", "sandbox"]) -> str:
    """A new key: `svc_live_` or `svc_test_`, 190 random bits and a checksum."""
    start = "svc_live_" if environment == "live" else "svc_test_"
    start += "".join(secrets.choice(_ALPHABET) for _ in range(_RANDOM))
    return start + _checksum(start)


def well_formed(key: str) -> bool:
    """Whether `key` has the form and the checksum of a key, so that a mistyped one is refused without a look-up."""
    return (
        key.startswith(("svc_live_", "svc_test_"))
        and len(key) == 9 + _RANDOM + _CHECK
        and all(c in _ALPHABET for c in key[9:])
        and _checksum(key[:-_CHECK]) == key[-_CHECK:]
    )


def digest(key: str) -> bytes:
    # 190 random bits need no slow hash, and the look-up by digest compares nothing that timing could tell.
    return hashlib.sha256(key.encode()).digest()


def _checksum(start: str) -> str:
    number, text = binascii.crc32(start.encode()), ""
    for _ in range(_CHECK):
        number, rest = divmod(number, 62)
        text = _ALPHABET[rest] + text
    return text


def create(
    db: sa.Connection,
    tenant_id: str,
    scopes: list[str],
    now: Moment,
    *,
    name: str | None = None,
    expires_at: Moment | None = None,
    per_minute: int | None = None,
    per_second: int | None = None,
) -> tuple[str, str]:
    """Make a key for a tenant; returns its id and the key itself, which is not to be had again."""
    environment = db.execute(sa.select(tenants.c.environment).where(tenants.c.id == tenant_id)).scalar_one()
    id, key = new_id("key"), new_key(environment)
    db.execute(
        sa.insert(keys).values(
            id=id,
            tenant_id=tenant_id,
            digest=digest(key),
            hint=f"{key[:9]}…{key[-4:]}",
            name=name,
            scopes=scopes,
            per_minute=per_minute,
            per_second=per_second,
            created_at=now,
            expires_at=expires_at,
        )
    )
    return id, key


def revoke(db: sa.Connection, key_id: str, now: Moment) -> bool:
    """Refuse a key from now on; False where there is no such key. The caller bumps the epoch after the commit."""
    first = sa.func.coalesce(keys.c.revoked_at, sa.literal(now, UTCDateTime))
    found = db.execute(sa.update(keys).where(keys.c.id == key_id).values(revoked_at=first))
    return found.rowcount == 1


_BY_DIGEST = Statement(
    sa.select(keys, tenants.c.environment)
    .join(tenants, tenants.c.id == keys.c.tenant_id)
    .where(keys.c.digest == sa.bindparam("digest"))
)


class Keys:
    """Who holds which key, as requests need it."""

    def __init__(self, app: "App", recent: Recent[Identity | None]) -> None:
        self._app, self._recent = app, recent

    def identify(self, key: str) -> Identity:
        """Who holds `key`; raises Unauthenticated for one that is unknown, revoked or expired."""
        identity = self._recent.get(key, lambda: self._find(key)) if well_formed(key) else None
        if identity is None:
            raise _refused("invalid_api_key", "This API key does not exist: check that you copied all of it.")
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
        if refused or (used and (now - used).total_seconds() < _MOST_USED_SECONDS):
            return
        try:
            with self._app.db.noting(_MOST_NOTING_SECONDS) as db:
                this = (keys.c.tenant_id == row.tenant_id) & (keys.c.id == row.id)
                db.execute(sa.update(keys).where(this).values(last_used_at=now))
        except sa.exc.SQLAlchemyError as error:
            # Who only reads is served although nothing can be written, as on a full disk.
            log.warning("the use of %s could not be noted: %s", row.id, reason(error))


def _refused(code: str, message: str) -> Unauthenticated:
    return Unauthenticated(message, code=code)
