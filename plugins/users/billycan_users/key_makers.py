"""API keys, connected apps and webhook endpoints, by the people who set them up. They can end with a person's role.

The plugins of apps and endpoints offer `set_up_by_people` and `end_set_up` in their `api`.
"""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from importlib import import_module
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Context, Forbidden, NotFound
from billycan.sql import tenants

from . import rules
from .people import live_of
from .rules import Role
from .tables import roles

_KEY = "key"
_SETTERS = {"apps": "app", "webhooks": "webhook endpoint"}  # things that people set up, by plugin
KINDS = (_KEY, *_SETTERS.values())
_ENDED = {_KEY: "revoked", "app": "disconnected", "webhook endpoint": "deleted"}


class SetUp(Struct, frozen=True):
    """Something that a person set up: a key, a connected app or a webhook endpoint.

    Setting it up needs all `scopes`. `made_by` is the person's id; `hint` tells keys of one name apart.
    """

    kind: str
    tenant_id: str
    id: str
    name: str
    hint: str
    scopes: Sequence[str]
    made_by: str


def list_by_maker(app: App, live_id: str) -> dict[str, list[SetUp]]:
    """Map people to the things that they set up in a business and its sandbox and that still work."""
    found: dict[str, list[SetUp]] = {}
    with app.db.reading() as db:
        made = [*_list_keys(db, app, live_id)]
        pair = _environments_of(db, live_id)
    for tenant_id in pair:
        ctx = Context(app, tenant_id, writes=False)
        with app.db.reading(tenant_id) as ctx.db:
            made += _list_others(ctx)
    for each in made:
        found.setdefault(each.made_by, []).append(each)
    return found


def revoke_beyond(
    db: sa.Connection, app: App, live_id: str, user_id: str, role: Role | None, by: str, keep: Collection[str] = ()
) -> list[SetUp]:
    """Revoke the keys of a person that their new role, or none, does not allow, except those with ids in `keep`.

    `by` is recorded as the one who revoked them. The caller bumps the epoch after the commit.
    """
    beyond = [
        key for key in _list_keys(db, app, live_id) if key.made_by == user_id and not may_make(app, role, key.scopes)
    ]
    beyond = [key for key in beyond if key.id not in keep]
    for tenant_id in {key.tenant_id for key in beyond}:
        app.keys.revoke_many(db, tenant_id, [key.id for key in beyond if key.tenant_id == tenant_id], app.now(), by)
    return beyond


def end_beyond(
    app: App,
    live_id: str,
    user_id: str,
    role: Role | None,
    keep: Collection[str],
    context_of: Callable[[str], Context],
) -> list[SetUp]:
    """End a person's connected apps and webhook endpoints as `revoke_beyond` does keys, once the role is changed.

    Each environment has a transaction of its own, in the context that `context_of` makes for the tenant.
    """
    ended: list[SetUp] = []
    with app.db.reading() as db:
        pair = _environments_of(db, live_id)
    for tenant_id in pair:
        ctx = context_of(tenant_id)
        with ctx.transaction():
            for made in _list_others(ctx):
                if made.made_by != user_id or made.id in keep or may_make(app, role, made.scopes):
                    continue
                try:
                    _api_of(made.kind).end_set_up(ctx, made.id)
                except NotFound:
                    continue  # its app has just ended, or somebody else ended it
                ended.append(made)
    return ended


def may_make(app: App, role: Role | None, wanted: Iterable[str]) -> bool:
    """Tell whether a role allows all of these scopes."""
    if role is None:
        return False
    held = rules.scopes_of_role(role, app)
    return all(scope in held or (":" in scope and scope.rpartition(":")[2] in held) for scope in wanted)


def check_role_allows(db: sa.Connection, app: App, tenant_id: str, user_id: str, wanted: Iterable[str]) -> None:
    """Raise Forbidden unless a person's role allows these scopes. The role stays until the commit.

    Otherwise a person who is removed at this moment would keep a key that nobody saw.
    """
    this = (roles.c.tenant_id == live_of(db, tenant_id)) & (roles.c.id == user_id)
    role = db.execute(sa.select(roles.c.role).where(this).with_for_update(read=True)).scalar()
    if not may_make(app, role, wanted):
        raise Forbidden("Your role in this business does not allow that: ask one of its owners.")


def describe_ended(ended: Sequence[SetUp]) -> str:
    """Return sentences that say what ended."""
    said = []
    for kind, how in _ENDED.items():
        names = [each.name for each in ended if each.kind == kind]
        if len(names) == 1:
            said.append(f" The {kind} “{names[0]}” is {how}.")
        elif names:
            said.append(f" {len(names)} {kind}s are {how}.")
    return "".join(said)


def _list_keys(db: sa.Connection, app: App, live_id: str) -> Iterator[SetUp]:
    for tenant_id in _environments_of(db, live_id):
        for key in app.keys.made_by_people(db, tenant_id, app.now()):
            yield SetUp(_KEY, tenant_id, key.id, key.name or "Unnamed", key.hint, key.scopes, key.made_by)


def _list_others(ctx: Context) -> list[SetUp]:
    """Return what people, or keys of theirs, set up in a tenant through other plugins."""
    makers = {key.id: key.made_by for key in ctx.app.keys.list(ctx)}
    found = []
    for plugin, kind in _SETTERS.items():
        if plugin in ctx.app.manifests:
            for id, name, scopes, by in _api_of(kind).set_up_by_people(ctx):
                found.append(SetUp(kind, ctx.tenant_id, id, name, "", scopes, makers.get(by, by) or ""))
    return found


def _api_of(kind: str) -> Any:
    """Return the `api` of the enabled plugin for this kind, which users does not require."""
    name = next(plugin for plugin, own in _SETTERS.items() if own == kind)
    return import_module(f"billycan_{name}.api")


def _environments_of(db: sa.Connection, live_id: str) -> tuple[str, str]:
    """Return the ids of a live tenant and its sandbox."""
    paired = db.execute(sa.select(tenants.c.paired_id).where(tenants.c.id == live_id)).scalar_one()
    return live_id, str(paired)
