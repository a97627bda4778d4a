"""API keys, stored as digests only; the Identity that holds a key; secrets like them; callers of queued work."""

import binascii
import hashlib
import logging
import secrets
import string
from collections.abc import Callable, Collection, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from .db import ByCodePoint, Json, UTCDateTime, metadata, reason, upsert
from .engines.statements import Statement
from .fields import Moment, NotNegative, Whole, new_id
from .problems import Conflict, NotFound, Unauthenticated
from .sharing.folder import Recent
from .tenants import Profile, Tenants, tenants

if TYPE_CHECKING:
    import falcon

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
    """The caller: a key, person or app, its tenant and environment, and what it may do and how often.

    id, tenant_id: Its id, and the business.
    environment: `live` or `sandbox`.
    name: What people call it.
    scopes: What it may do.
    per_minute, per_second: How many requests it may make.
    expires_at, revoked_at: When it ends, and when it was ended; None if it is not.
    app_id, app_name, connection_id: The app that somebody connected to the business, and the connection; None for
      others.
    """

    class Kind(Struct, frozen=True):
        """A kind of caller other than a key: `Identity.Kind("usr", find)`. Work it queued stops when the caller loses
        access.

        prefix: What begins their ids.
        find: `find(app, tenant_id, id)` returns the Identity that such a caller has at a tenant now, with all of its
          scopes, or raises Unauthenticated. Without it, what such a caller queues fails at its first step.
        starts: What begins the secrets that they send as an API key is sent, if they have any.
        identify: `identify(app, secret, req)` returns the Identity of such a secret, or raises Unauthenticated.
        """

        prefix: str
        find: "Callable[[App, str, str], Identity]"
        starts: tuple[str, ...] = ()
        identify: "Callable[[App, str, falcon.Request], Identity] | None" = None

    class Policy(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
        """Limits on what a key or connection does alone of all that its scopes allow.

        mode: `full`: all of it. `read_only`: it changes nothing. `propose`: a person approves each change. `limits`:
          the amounts below say what needs approval. `never`, `propose` and `contacts` hold in every mode.
        auto_below: The greatest amount of a change that needs no approval; null for any.
        per_day: The greatest amount of all changes of a day that need no approval; null for any.
        writes_per_hour: How many changes it may make within an hour; null for any number.
        never: Operations that are refused, such as `delete_*`.
        propose: Operations that a person approves each time, such as `pay_*`.
        contacts: The only contacts that its changes may concern; empty for all.
        """

        mode: Literal["full", "read_only", "propose", "limits"]
        auto_below: NotNegative | None = None
        per_day: NotNegative | None = None
        writes_per_hour: Annotated[int, Whole()] | None = None
        never: list[str] = []
        propose: list[str] = []
        contacts: list[str] = []

        @property
        def is_free(self) -> bool:
            """True if it lets its caller do all that its scopes allow."""
            return self.mode == "full" and not (self.never or self.propose or self.contacts)

    class Secret:
        """Random secrets of a plugin's own in the form of a key: its start, 190 random bits and a checksum."""

        @staticmethod
        def new(start: str) -> str:
            """Return a new secret that begins like this."""
            start += "".join(secrets.choice(ALPHABET) for _ in range(RANDOM))
            return start + checksum(start)

        @staticmethod
        @lru_cache(4096)
        def is_well_formed(secret: str, *starts: str) -> bool:
            """Tell whether a secret has one of these starts and a correct checksum: a mistyped one needs no look-up."""
            start = next((start for start in starts if secret.startswith(start)), None)
            return (
                start is not None
                and len(secret) == len(start) + RANDOM + CHECK
                and all(c in ALPHABET for c in secret[len(start) :])
                and checksum(secret[:-CHECK]) == secret[-CHECK:]
            )

        @staticmethod
        def digest(secret: str) -> bytes:
            """Return what is stored of a secret."""
            # 190 random bits need no slow hash, and the look-up by digest compares nothing that timing could tell.
            return hashlib.sha256(secret.encode()).digest()

    # Beside other scopes: of the records that those allow, only the caller's own.
    OWN: ClassVar[str] = "own"

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

    @property
    def sees_only_own(self) -> bool:
        """True for a caller limited to records of its own, such as a person whose role is `field`."""
        return self.OWN in self.scopes

    def holds(self, scope: str) -> bool:
        """Tell whether this key holds `scope`, or `read` or `write` for every resource."""
        return scope in self.scopes or scope.rpartition(":")[2] in self.scopes

    @staticmethod
    def later(app: "App", tenant_id: str, id: str, scopes: Collection[str]) -> "Identity":
        """Return the Identity that a caller has now, with the scopes held both then and now: for what it queued.

        Store `ctx.identity.id` and `ctx.identity.scopes` with that. Raise Unauthenticated for a key that was revoked or
        has expired, a person who was removed, or an app that was disconnected. It reads on a connection of its own, so
        it can be called inside and outside of a transaction.
        """
        prefix = id.partition("_")[0]
        kinds = {each.prefix: each.find for _, each in app.offered(Identity.Kind)}
        find = app.keys.find if prefix == "key" else kinds.get(prefix)
        if find is None:
            raise Unauthenticated("The plugin that knew the caller is switched off.", code="invalid_api_key")
        identity = find(app, tenant_id, id)
        then = msgspec.structs.replace(identity, scopes=tuple(scopes))
        both = {scope for scope in then.scopes if identity.holds(scope)}
        both |= {scope for scope in identity.scopes if then.holds(scope)}
        both |= {Identity.OWN} & {*identity.scopes, *then.scopes}
        return msgspec.structs.replace(identity, scopes=tuple(sorted(both)))


STARTS = ("svc_live_", "svc_test_")


def checksum(start: str) -> str:
    """Return the end of a secret, which shows that it was mistyped."""
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


MOST_KEYS = 200  # working keys of a business and its sandbox together
MOST_ENDED = 1_000  # revoked or expired keys of a tenant that are kept for the list of keys


_NOW = sa.bindparam("now", type_=UTCDateTime())
_THIS = tenants.c.id == sa.bindparam("id")
_TENANT = Statement(sa.select(tenants.c.environment, tenants.c.paired_id).where(_THIS))
_LOCK_TENANT = Statement(sa.select(tenants.c.id).where(_THIS).with_for_update())
_COUNT_OTHERS = Statement(
    sa.select(sa.func.count())
    .where(
        keys.c.tenant_id.in_((sa.bindparam("tenant_id"), sa.bindparam("paired_id"))),
        keys.c.id != sa.bindparam("id"),
        keys.c.revoked_at.is_(None) & (keys.c.expires_at.is_(None) | (keys.c.expires_at > _NOW)),
    )
    .execution_options(billycan_across="a business and its sandbox have so many keys together")
)
_OF_TENANT = keys.c.tenant_id == sa.bindparam("tenant_id")
# The revoked and expired ones except the newest, so that they cannot fill the database.
_FORGET_OLDEST = Statement(
    sa.delete(keys).where(
        _OF_TENANT,
        keys.c.id.in_(
            sa.select(keys.c.id)
            .where(_OF_TENANT, keys.c.revoked_at.is_not(None) | (keys.c.expires_at <= _NOW))
            .order_by(keys.c.created_at.desc(), keys.c.id)
            .offset(sa.bindparam("kept", type_=sa.Integer()))
        ),
    )
)
_ADD = Statement(sa.insert(keys))


class Keys:
    """The keys of businesses: making, listing and revoking them, and looking up who holds one."""

    def __init__(self, app: "App", recent: Recent[Identity | None]) -> None:
        self._app, self._recent = app, recent

    def identify(self, key: str) -> Identity:
        """Return the holder of `key`; raise Unauthenticated if it is unknown, revoked or expired."""
        identity = (
            self._recent.get(key, lambda: self._find_key(key)) if Identity.Secret.is_well_formed(key, *STARTS) else None
        )
        if identity is None:
            raise _refuse_key("invalid_api_key", "This API key does not exist: check that you copied all of it.")
        return self._check_valid(identity)

    def find(self, app: "App", tenant_id: str, id: str) -> Identity:
        """Return the key with this id as it is now; raise Unauthenticated if it is unknown, revoked or expired."""
        with self._app.db.reading(tenant_id) as db:
            row = _BY_ID.first(db, {"tenant_id": tenant_id, "id": id})
        if row is None:
            raise _refuse_key("invalid_api_key", "This API key does not exist any more.")
        return self._check_valid(self._identity_of(row))

    @staticmethod
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
        made_by: str | None = None,
        instead_of: str | None = None,
    ) -> tuple[str, str]:
        """Create a key for a tenant; return its id and the key itself, which cannot be shown again.

        `made_by` is the person who creates it. `instead_of` is an id for a key of which there is one at a time: its
        previous holder is refused from then on. The caller bumps the epoch after the commit. Raise Conflict if the
        business has 200 working keys already, those of its sandbox included.
        """
        tenant = _TENANT.one(db, {"id": tenant_id})
        # Locked, so that two requests cannot both create the last key.
        _LOCK_TENANT.run(db, {"id": tenant_id if tenant.environment == "live" else tenant.paired_id})
        business = {"tenant_id": tenant_id, "paired_id": tenant.paired_id}
        if _COUNT_OTHERS.one(db, {**business, "id": instead_of or "", "now": now})[0] >= MOST_KEYS:
            raise Conflict(
                f"A business has at most {MOST_KEYS} keys: revoke those that are no longer used.", code="too_many_keys"
            )
        _FORGET_OLDEST.run(db, {"tenant_id": tenant_id, "now": now, "kept": MOST_ENDED})
        id, key = instead_of or new_id("key"), new_key(tenant.environment)
        values: dict[str, Any] = {
            "tenant_id": tenant_id,
            "digest": Identity.Secret.digest(key),
            "hint": f"{key[:9]}…{key[-4:]}",
            "name": name,
            "scopes": scopes,
            "per_minute": per_minute,
            "per_second": per_second,
            "created_at": now,
            "expires_at": expires_at,
            "made_by": made_by,
        }
        if instead_of:
            anew = {**values, "last_used_at": None, "revoked_at": None, "revoked_by": None}
            row = upsert(keys, db).values(id=id, **values)
            row = row.on_conflict_do_update(index_elements=["id"], set_=anew, where=keys.c.tenant_id == tenant_id)
            db.execute(row)
        else:
            _ADD.run(db, {"id": id, **values})
        return id, key

    @staticmethod
    def list(ctx: "Context") -> Sequence[sa.Row[Any]]:
        """Return the keys of the caller's business without their secrets, newest first."""
        shown = [column for column in keys.c if column is not keys.c.digest]
        newest = (keys.c.created_at.desc(), keys.c.id)
        return ctx.db.execute(sa.select(*shown).where(keys.c.tenant_id == ctx.tenant_id).order_by(*newest)).all()

    @staticmethod
    def made_by_people(db: sa.Connection, tenant_id: str, now: Moment) -> Sequence[sa.Row[Any]]:
        """Return the tenant's working keys that people made, newest first."""
        works = keys.c.revoked_at.is_(None) & (keys.c.expires_at.is_(None) | (keys.c.expires_at > now))
        shown = [keys.c[name] for name in ("id", "tenant_id", "name", "hint", "scopes", "made_by")]
        made = sa.select(*shown).where(keys.c.tenant_id == tenant_id, keys.c.made_by.is_not(None), works)
        return db.execute(made.order_by(keys.c.created_at.desc(), keys.c.id)).all()

    @staticmethod
    def revoke(db: sa.Connection, key_id: str, now: Moment) -> bool:
        """Refuse a key from now on; return False if there is none. The caller bumps the epoch after the commit."""
        found = db.execute(sa.update(keys).where(keys.c.id == key_id).values(_revocation_columns(now, None)))
        return found.rowcount == 1

    @staticmethod
    def revoke_many(db: sa.Connection, tenant_id: str, key_ids: Sequence[str], now: Moment, by: str) -> None:
        """Refuse these keys of a tenant; `by` is the person who revokes them. The caller then bumps the epoch."""
        these = (keys.c.tenant_id == tenant_id) & keys.c.id.in_(key_ids)
        db.execute(sa.update(keys).where(these).values(_revocation_columns(now, by)))

    @staticmethod
    def revoke_own(ctx: "Context", key_id: str) -> None:
        """Refuse a key of the caller's business as soon as this is committed; raise NotFound if it has no such key."""
        by = ctx.identity.id if ctx.identity else None
        this = (keys.c.tenant_id == ctx.tenant_id) & (keys.c.id == key_id)
        if ctx.db.execute(sa.update(keys).where(this).values(_revocation_columns(ctx.app.now(), by))).rowcount != 1:
            raise NotFound
        ctx.outdates = True

    def _check_valid(self, identity: Identity) -> Identity:
        if identity.revoked_at is not None:
            raise _refuse_key("revoked_api_key", "This API key was revoked.")
        if identity.expires_at is not None and identity.expires_at <= self._app.now():
            raise _refuse_key("expired_api_key", "This API key has expired.")
        return identity

    def _find_key(self, key: str) -> Identity | None:
        with self._app.db.reading(across="only the key says whose it is") as db:
            row = _BY_DIGEST.first(db, {"digest": Identity.Secret.digest(key)})
        if row is None:
            return None
        self._note_use(row)
        return self._identity_of(row)

    def _identity_of(self, row: sa.Row[Any]) -> Identity:
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


def _revocation_columns(now: Moment, by: str | None) -> dict[str, Any]:
    """Return the columns of a revoked key; the time and person of an earlier revocation stay."""
    who = sa.case((keys.c.revoked_at.is_(None), sa.literal(by, ByCodePoint)), else_=keys.c.revoked_by)
    return {"revoked_at": sa.func.coalesce(keys.c.revoked_at, sa.literal(now, UTCDateTime)), "revoked_by": who}


def new_key(environment: Literal["live", "sandbox"]) -> str:
    """Return a new key: `svc_live_` or `svc_test_`, 190 random bits and a checksum."""
    return Identity.Secret.new(STARTS[environment != "live"])


def _refuse_key(code: str, message: str) -> Unauthenticated:
    return Unauthenticated(message, code=code)


class Business(Struct):
    """A new business: its two tenants, and a key to each, which cannot be shown again."""

    tenant: str
    sandbox: str
    live_key: str
    test_key: str


def create_business(db: sa.Connection, profile: Profile, now: Moment) -> Business:
    """Create a business, its sandbox, and a key with read and write to each."""
    live, sandbox = Tenants.create(db, profile, now)
    made = [Keys.create(db, tenant, ["read", "write"], now)[1] for tenant in (live, sandbox)]
    return Business(live, sandbox, *made)
