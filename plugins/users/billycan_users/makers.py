"""The keys that people made, and what becomes of them when their makers may do less."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sqlalchemy as sa

from billycan import App, Forbidden
from billycan.businesses import keys_made, revoke_keys
from billycan.sql import tenants

from . import rules
from .people import live_of
from .rules import Role
from .tables import roles


def keys_by_maker(db: sa.Connection, app: App, live_id: str) -> dict[str, list[Any]]:
    """The keys of a business and its sandbox that work, by the person who made them."""
    found: dict[str, list[Any]] = {}
    for key in _made(db, app, live_id):
        found.setdefault(key.made_by, []).append(key)
    return found


def revoke_beyond(db: sa.Connection, app: App, live_id: str, user_id: str, role: Role | None, by: str) -> list[str]:
    """Revoke what somebody made and may not make with that role, or with none; the names of these keys.

    `by` is who says so. The caller bumps the epoch after the commit.
    """
    beyond = [key for key in _made(db, app, live_id) if key.made_by == user_id and not may_make(app, role, key.scopes)]
    for tenant_id in {key.tenant_id for key in beyond}:
        revoke_keys(db, tenant_id, [key.id for key in beyond if key.tenant_id == tenant_id], app.now(), by)
    return [key.name or key.hint for key in beyond]


def may_make(app: App, role: Role | None, wanted: Iterable[str]) -> bool:
    """Whether what a key holds is within what a role may do."""
    if role is None:
        return False
    held = rules.scopes(role, rules.known(app))
    return all(scope in held or (":" in scope and scope.rpartition(":")[2] in held) for scope in wanted)


def check(db: sa.Connection, app: App, tenant_id: str, user_id: str, wanted: Iterable[str]) -> None:
    """Raise Forbidden unless somebody's role allows a key that holds this; the role stays until the commit.

    Otherwise one who is removed at this moment would keep a key that nobody saw.
    """
    this = (roles.c.tenant_id == live_of(db, tenant_id)) & (roles.c.id == user_id)
    role = db.execute(sa.select(roles.c.role).where(this).with_for_update(read=True)).scalar()
    if not may_make(app, role, wanted):
        raise Forbidden("Your role in this business does not allow that: ask one of its owners.")


def told(names: Sequence[str]) -> str:
    """What is said of keys that were revoked."""
    if not names:
        return ""
    return f" The key “{names[0]}” is revoked." if len(names) == 1 else f" {len(names)} keys are revoked."


def _made(db: sa.Connection, app: App, live_id: str) -> Iterator[Any]:
    paired = db.execute(sa.select(tenants.c.paired_id).where(tenants.c.id == live_id)).scalar_one()
    for tenant_id in (live_id, paired):
        yield from keys_made(db, tenant_id, app.now())
