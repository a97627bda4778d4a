"""Businesses and their keys: creating, listing and revoking them; and secrets of the same form for plugins."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from .db import ByCodePoint, UTCDateTime, upsert
from .fields import Moment, new_id
from .keys import STARTS, digest, keys, new_secret, well_formed
from .problems import Conflict, NotFound
from .tenants import Profile, registered_from_the_start, tenants

if TYPE_CHECKING:
    from .context import Context

__all__ = [
    "Profile",
    "create_key",
    "create_tenants",
    "digest",
    "keys_made",
    "list_keys",
    "new_secret",
    "revoke_keys",
    "revoke_own_key",
    "well_formed",
]


MOST_KEYS = 200  # working keys of a business and its sandbox together
MOST_ENDED = 1_000  # revoked or expired keys of a tenant that are kept for the list of keys


class Business(Struct):
    """A new business: its two tenants, and a key to each, which cannot be shown again."""

    tenant: str
    sandbox: str
    live_key: str
    test_key: str


def create_business(db: sa.Connection, profile: Profile, now: Moment) -> Business:
    """Create a business, its sandbox, and a key with read and write to each."""
    live, sandbox = create_tenants(db, profile, now)
    made = [create_key(db, tenant, ["read", "write"], now)[1] for tenant in (live, sandbox)]
    return Business(live, sandbox, *made)


def create_tenants(db: sa.Connection, profile: Profile, now: Moment) -> tuple[str, str]:
    """Create a business and its sandbox with the same profile; return the ids of both."""
    live, sandbox = new_id("ten"), new_id("ten")
    stored = msgspec.to_builtins(registered_from_the_start(profile))
    for id, paired_id, environment in ((live, sandbox, "live"), (sandbox, live, "sandbox")):
        db.execute(
            sa.insert(tenants).values(
                id=id,
                paired_id=paired_id,
                environment=environment,
                profile=stored,
                version=1,
                created_at=now,
                updated_at=now,
            )
        )
    return live, sandbox


def create_key(
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
    previous holder is refused from then on. The caller bumps the epoch after the commit. Raise Conflict if the business
    has 200 working keys already, those of its sandbox included.
    """
    tenant = db.execute(sa.select(tenants.c.environment, tenants.c.paired_id).where(tenants.c.id == tenant_id)).one()
    # Locked, so that two requests cannot both create the last key.
    live_id = tenant_id if tenant.environment == "live" else tenant.paired_id
    db.execute(sa.select(tenants.c.id).where(tenants.c.id == live_id).with_for_update())
    works = keys.c.revoked_at.is_(None) & (keys.c.expires_at.is_(None) | (keys.c.expires_at > now))
    others = sa.select(sa.func.count()).where(
        keys.c.tenant_id.in_((tenant_id, tenant.paired_id)), keys.c.id != (instead_of or "")
    )
    others = others.execution_options(billycan_across="a business and its sandbox have so many keys together")
    if db.execute(others.where(works)).scalar_one() >= MOST_KEYS:
        raise Conflict(
            f"A business has at most {MOST_KEYS} keys: revoke those that are no longer used.", code="too_many_keys"
        )
    _forget_oldest(db, tenant_id, now)
    id, key = instead_of or new_id("key"), new_key(tenant.environment)
    values: dict[str, Any] = {
        "tenant_id": tenant_id,
        "digest": digest(key),
        "hint": f"{key[:9]}…{key[-4:]}",
        "name": name,
        "scopes": scopes,
        "per_minute": per_minute,
        "per_second": per_second,
        "created_at": now,
        "expires_at": expires_at,
        "made_by": made_by,
    }
    row = upsert(keys, db).values(id=id, **values)
    if instead_of:
        anew = {**values, "last_used_at": None, "revoked_at": None, "revoked_by": None}
        row = row.on_conflict_do_update(index_elements=["id"], set_=anew, where=keys.c.tenant_id == tenant_id)
    db.execute(row)
    return id, key


def _forget_oldest(db: sa.Connection, tenant_id: str, now: Moment) -> None:
    """Delete the tenant's revoked and expired keys except the newest, so that they cannot fill the database."""
    of = keys.c.tenant_id == tenant_id
    ended = keys.c.revoked_at.is_not(None) | (keys.c.expires_at <= now)
    newest_first = (keys.c.created_at.desc(), keys.c.id)
    oldest = sa.select(keys.c.id).where(of, ended).order_by(*newest_first).offset(MOST_ENDED)
    db.execute(sa.delete(keys).where(of, keys.c.id.in_(oldest)))


def new_key(environment: Literal["live", "sandbox"]) -> str:
    """Return a new key: `svc_live_` or `svc_test_`, 190 random bits and a checksum."""
    return new_secret(STARTS[environment != "live"])


def revoke_key(db: sa.Connection, key_id: str, now: Moment) -> bool:
    """Refuse a key from now on; return False if there is no such key. The caller bumps the epoch after the commit."""
    found = db.execute(sa.update(keys).where(keys.c.id == key_id).values(_revoked(now, None)))
    return found.rowcount == 1


def revoke_own_key(ctx: "Context", key_id: str) -> None:
    """Refuse a key of the caller's business as soon as this is committed; raise NotFound if it has no such key."""
    by = ctx.identity.id if ctx.identity else None
    this = (keys.c.tenant_id == ctx.tenant_id) & (keys.c.id == key_id)
    if ctx.db.execute(sa.update(keys).where(this).values(_revoked(ctx.now(), by))).rowcount != 1:
        raise NotFound
    ctx.outdates = True


def revoke_keys(db: sa.Connection, tenant_id: str, key_ids: Sequence[str], now: Moment, by: str) -> None:
    """Refuse these keys of a tenant; `by` is the person who revokes them. The caller then bumps the epoch."""
    these = (keys.c.tenant_id == tenant_id) & keys.c.id.in_(key_ids)
    db.execute(sa.update(keys).where(these).values(_revoked(now, by)))


def _revoked(now: Moment, by: str | None) -> dict[str, Any]:
    """Return the columns of a revoked key; the time and person of an earlier revocation stay."""
    who = sa.case((keys.c.revoked_at.is_(None), sa.literal(by, ByCodePoint)), else_=keys.c.revoked_by)
    return {"revoked_at": sa.func.coalesce(keys.c.revoked_at, sa.literal(now, UTCDateTime)), "revoked_by": who}


def keys_made(db: sa.Connection, tenant_id: str, now: Moment) -> Sequence[sa.Row[Any]]:
    """Return the tenant's working keys that people made, newest first."""
    works = keys.c.revoked_at.is_(None) & (keys.c.expires_at.is_(None) | (keys.c.expires_at > now))
    shown = [keys.c[name] for name in ("id", "tenant_id", "name", "hint", "scopes", "made_by")]
    made = sa.select(*shown).where(keys.c.tenant_id == tenant_id, keys.c.made_by.is_not(None), works)
    return db.execute(made.order_by(keys.c.created_at.desc(), keys.c.id)).all()


def list_keys(ctx: "Context") -> Sequence[sa.Row[Any]]:
    """Return the keys of the caller's business without their secrets, newest first."""
    shown = [column for column in keys.c if column is not keys.c.digest]
    newest = (keys.c.created_at.desc(), keys.c.id)
    return ctx.db.execute(sa.select(*shown).where(keys.c.tenant_id == ctx.tenant_id).order_by(*newest)).all()
