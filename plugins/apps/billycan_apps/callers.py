"""Identities of apps that call the API with an access token."""

import logging
import weakref
from typing import Any

import falcon
import sqlalchemy as sa

from billycan import App, Identity, Unauthenticated
from billycan.fields import Moment
from billycan.sql import Statement, tenants

from .connecting import app_name
from .grants import ACCESS
from .tables import access_tokens, apps, connections

STARTS = tuple(ACCESS.values())
_NOTED_SECONDS, _MOST_NOTING_SECONDS = 60, 0.1
_recent: "weakref.WeakKeyDictionary[App, Any]" = weakref.WeakKeyDictionary()

log = logging.getLogger("billycan.apps")

_BY_DIGEST = Statement(
    sa.select(
        access_tokens.c.tenant_id,
        access_tokens.c.connection_id,
        access_tokens.c.scopes,
        access_tokens.c.expires_at,
        access_tokens.c.resource,
        connections.c.scopes.label("granted"),
        connections.c.last_used_at,
        connections.c.app_id,
        apps.c.name,
        apps.c.published,
        tenants.c.environment,
    )
    .select_from(
        access_tokens.join(
            connections,
            (connections.c.tenant_id == access_tokens.c.tenant_id)
            & (connections.c.id == access_tokens.c.connection_id),
        )
        .join(apps, apps.c.id == connections.c.app_id)
        .join(tenants, tenants.c.id == access_tokens.c.tenant_id)
    )
    .where(access_tokens.c.digest == sa.bindparam("digest"))
)
_BY_ID = Statement(
    sa.select(
        connections.c.id.label("connection_id"),
        connections.c.tenant_id,
        connections.c.scopes.label("granted"),
        connections.c.held_at,
        connections.c.app_id,
        apps.c.name,
        apps.c.published,
        tenants.c.environment,
    )
    .select_from(
        connections.join(apps, apps.c.id == connections.c.app_id).join(tenants, tenants.c.id == connections.c.tenant_id)
    )
    .where(connections.c.tenant_id == sa.bindparam("tenant_id"), connections.c.id == sa.bindparam("id"))
)


class Caller(Identity, frozen=True, kw_only=True):
    """A connected app.

    resource: The only resource that its access token opens; None if it opens all.
    """

    resource: str | None = None


def identify(app: App, token: str, req: falcon.Request) -> Identity:
    """Return the identity of an access token; raise Unauthenticated for a bad one."""
    recent = _recent.setdefault(app, app.recent())
    identity: Caller | None = (
        recent.get(token, lambda: _identity_of_token(app, token))
        if Identity.Secret.is_well_formed(token, *STARTS)
        else None
    )
    if identity is None:
        raise _refuse_token("invalid_api_key", "This access token does not exist, or was revoked.")
    if identity.expires_at is not None and identity.expires_at <= app.now():
        raise _refuse_token("expired_api_key", "This access token has expired: refresh it.")
    if identity.resource is not None and not _is_for(app, identity.resource, req.path):
        raise _refuse_token("invalid_api_key", f"This access token is for {identity.resource} alone.")
    return identity


def _is_for(app: App, resource: str, path: str) -> bool:
    """Tell whether a path belongs to the resource that a token is for."""
    wanted = resource.removeprefix(app.public_url)
    return f"{path}/".startswith(f"{wanted}/")


def find_identity(app: App, tenant_id: str, id: str) -> Identity:
    """Return the present identity of a connected app. Raise Unauthenticated if it was disconnected or is on hold."""
    with app.db.reading(tenant_id) as db:
        row = _BY_ID.first(db, {"tenant_id": tenant_id, "id": id})
    if row is None:
        raise _refuse_token("app_disconnected", "The app was disconnected.")
    if row.held_at is not None:
        raise _refuse_token("app_disconnected", "The app is on hold until somebody connects it again.")
    return _build_identity(app, row, tuple(row.granted), None)


def _identity_of_token(app: App, token: str) -> Caller | None:
    with app.db.reading(across="only the access token says whose it is") as db:
        row = _BY_DIGEST.first(db, {"digest": Identity.Secret.digest(token)})
    if row is None:
        return None
    _note_use(app, row)
    scopes = tuple(scope for scope in row.scopes if scope in row.granted)
    return _build_identity(app, row, scopes, Moment.of(row.expires_at), row.resource)


def _build_identity(
    app: App, row: Any, scopes: tuple[str, ...], expires_at: Moment | None, resource: str | None = None
) -> Caller:
    name = app_name(row)
    return Caller(
        id=row.connection_id,
        tenant_id=row.tenant_id,
        environment=row.environment,
        name=name,
        scopes=scopes,
        per_minute=app.settings.per_minute,
        per_second=app.settings.per_second,
        expires_at=expires_at,
        app_id=row.app_id,
        app_name=name,
        connection_id=row.connection_id,
        resource=resource,
    )


def _note_use(app: App, row: Any) -> None:
    now = app.now()
    if row.expires_at <= now or (row.last_used_at and (now - row.last_used_at).total_seconds() < _NOTED_SECONDS):
        return
    try:
        with app.db.noting(_MOST_NOTING_SECONDS) as db:
            this = (connections.c.tenant_id == row.tenant_id) & (connections.c.id == row.connection_id)
            db.execute(sa.update(connections).where(this).values(last_used_at=now))
    except sa.exc.SQLAlchemyError as error:
        # A call that only reads is served even if nothing can be written, as on a full disk.
        log.warning("the use of %s could not be noted: %s", row.connection_id, type(error).__name__)


def _refuse_token(code: str, message: str) -> Unauthenticated:
    return Unauthenticated(message, code=code, challenge='Bearer error="invalid_token"')
