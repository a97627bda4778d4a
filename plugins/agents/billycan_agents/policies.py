"""Policies of keys and connections: what each may do alone, known for a second and locked to count."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Context, Forbidden, Identity, Route, hookimpl, own
from billycan.sql import Statement, upsert

from .tables import policies

TENANT = "/v1/tenant"  # whoever changes the bank account there changes where money goes
Call = Context.Guard.Call
Watched = Callable[[Any], None] | None  # called with the answer before the commit
_OWN = "agents"  # the plugin's place in a context's memo
_THIS = (policies.c.tenant_id == sa.bindparam("of_tenant"), policies.c.id == sa.bindparam("of_id"))
_FIND = Statement(sa.select(policies.c.policy, policies.c.frozen_at).where(*_THIS))
_LOCK = Statement(sa.select(policies.c.policy, policies.c.frozen_at).where(*_THIS).with_for_update())
msgspec.json.Decoder(Identity.Policy)  # so that it is known before two threads need it at once
_recent: "WeakKeyDictionary[App, Any]" = WeakKeyDictionary()


class Kept(Struct, frozen=True):
    """A policy as it is kept, and whether its key or connection is frozen."""

    policy: Identity.Policy
    is_frozen: bool


def find_policy(ctx: Context) -> Kept | None:
    """Return the policy of the caller, at most a second old; None for people, and for what has no policy."""
    identity = ctx.identity
    if identity is None or not identity.id.startswith(("key_", "cnx_")):
        return None
    known: dict[str, Kept | None] = ctx.memo.setdefault(_OWN, {})
    if identity.id not in known:
        recent = _recent.setdefault(ctx.app, ctx.app.recent())
        (known[identity.id],) = recent.get(identity.id, lambda: (_load(ctx, identity.id),))
    return known[identity.id]


def authorize_by(check: Callable[[Context, Route, Kept], None]) -> Callable[[Context, Route], None]:
    """Return the hook `authorize` that calls `check` for callers that have a policy, and nothing for others."""

    @hookimpl
    def authorize(ctx: Context, route: Route) -> None:
        kept = find_policy(ctx)
        if kept is not None:
            check(ctx, route, kept)

    return authorize


def watch_by(watch: Callable[[Context, Call, Kept | None], Watched]) -> Callable[[Context, Call], Watched]:
    """Return the function of a `Context.Guard` that calls `watch` for callers that a policy limits, and for changes of
    the profile.
    """

    def watch_if_limited(ctx: Context, call: Call) -> Watched:
        kept = find_policy(ctx)
        is_limited = kept is not None and not kept.policy.is_free
        return watch(ctx, call, kept) if is_limited or call.route.path == TENANT else None

    return watch_if_limited


def own_policy(ctx: Context) -> Identity.Policy | None:
    """Return the policy of the caller, as /v1/me shows it."""
    kept = find_policy(ctx)
    return kept.policy if kept else None


def lock_policy(ctx: Context, caller_id: str) -> Kept | None:
    """Lock the policy of a caller until the transaction ends, and return it as it is now."""
    row = _LOCK.first(ctx.db, {"of_tenant": ctx.tenant_id, "of_id": caller_id})
    return _kept(row) if row else None


def refuse_frozen(kept: Kept | None) -> None:
    """Raise Forbidden for a caller that an owner has frozen."""
    if kept is not None and kept.is_frozen:
        text = "An owner of the business has frozen this key: it may read and change nothing until that is undone."
        raise Forbidden(text, code="frozen")


def refuse_if_frozen(app: App, identity: Identity) -> None:
    """Refuse as above what is no call of the API."""
    refuse_frozen(find_policy(Context(app, identity.tenant_id, identity, writes=False)))


def list_policies(ctx: Context) -> Mapping[str, Kept]:
    """Map the keys and connections that have a policy to it."""
    return {row.id: _kept(row) for row in ctx.db.execute(sa.select(policies).where(own(ctx, policies)))}


def set_policy(ctx: Context, caller_id: str, policy: Identity.Policy) -> None:
    """Set the policy of a key or connection, from the next request on."""
    _store(ctx, caller_id, policy=msgspec.to_builtins(policy, builtin_types=()))


def freeze(ctx: Context, caller_id: str, *, is_frozen: bool) -> None:
    """Refuse every request of a key or connection from now on, or no longer."""
    _store(ctx, caller_id, frozen_at=ctx.app.now() if is_frozen else None)


def _store(ctx: Context, caller_id: str, **values: Any) -> None:
    assert ctx.identity is not None  # noqa: S101 - a person sets it
    given = {**values, "changed_by": ctx.identity.id, "updated_at": ctx.app.now()}
    at_first = policy_at_first(ctx, ctx.db, caller_id)  # which a freeze alone does not end
    policy = at_first.policy if at_first else Identity.Policy(mode="full")
    new = {"policy": msgspec.to_builtins(policy), "frozen_at": None, **given}
    row = upsert(policies, ctx.db).values(tenant_id=ctx.tenant_id, id=caller_id, **new)
    ctx.db.execute(row.on_conflict_do_update(index_elements=["tenant_id", "id"], set_=given))
    ctx.outdates = True


def matches(name: str, patterns: Sequence[str]) -> bool:
    """Tell whether an operation is one of these, of which `*` at the end stands for anything."""
    return any(name == each or (each.endswith("*") and name.startswith(each.removesuffix("*"))) for each in patterns)


def _load(ctx: Context, caller_id: str) -> Kept | None:
    if hasattr(ctx, "db"):
        return _find(ctx, ctx.db, caller_id)
    with ctx.app.db.reading(ctx.tenant_id) as db:
        return _find(ctx, db, caller_id)


def _find(ctx: Context, db: sa.Connection, caller_id: str) -> Kept | None:
    row = _FIND.first(db, {"of_tenant": ctx.tenant_id, "of_id": caller_id})
    return _kept(row) if row else policy_at_first(ctx, db, caller_id)


def policy_at_first(ctx: Context, db: sa.Connection, caller_id: str) -> Kept | None:
    """Return the policy of a caller for which nobody has set one: a person approves each change of an app that
    describes itself.
    """
    if not caller_id.startswith("cnx_") or not ctx.has("apps"):
        return None
    from billycan_apps.api import describes_itself  # noqa: PLC0415 - a plugin that may be off

    is_stranger = describes_itself(db, ctx.tenant_id, caller_id)
    return Kept(Identity.Policy(mode="propose"), is_frozen=False) if is_stranger else None


def _kept(row: Any) -> Kept:
    return Kept(msgspec.convert(row.policy, Identity.Policy, strict=False), row.frozen_at is not None)
