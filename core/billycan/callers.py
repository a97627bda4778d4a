"""Callers of queued work: only their ids are stored, and their scopes are looked up each time the work continues.

Ending a key, a person's role or an app's connection, or removing scopes from it, therefore ends the work it queued.
"""

from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from .manifest import CallerKind
from .problems import Forbidden, Unauthenticated

if TYPE_CHECKING:
    from .app import App
    from .context import Context
    from .keys import Identity

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
