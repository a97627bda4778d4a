"""Connections of apps to tenants: made by consent, held after a theft, ended at once."""

import re
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from msgspec import Struct

from billycan import Context, Named, NotFound, Row, new_id, own
from billycan.fields import Moment
from billycan.sql import upsert

from . import app_hold, self_described
from .app_records import Registered
from .tables import access_tokens, apps, codes, connections, refresh_tokens

_ID = re.compile(r"cnx_[0-9a-z]{1,40}")


class Connection(Struct, kw_only=True):
    """An app that somebody connected to the business.

    id: Its id.
    app: The app.
    scopes: What the app may do.
    connected_by: Who consented last.
    connected_at: When it was connected first.
    """

    id: str
    app: Named
    scopes: list[str]
    connected_by: Named
    connected_at: Moment


def connect_app(ctx: Context, app: Registered, name: str, scopes: Sequence[str]) -> str:
    """Connect an app with these scopes, or replace the scopes of a connected app. Return the connection's id.

    A connection that was on hold, for instance after a theft, works again.
    """
    assert ctx.identity is not None  # noqa: S101 - a person consents
    this = own(ctx, connections) & (connections.c.app_id == app.id)
    given: dict[str, Any] = {
        "scopes": sorted(scopes),
        "user_id": ctx.identity.id,
        "user_name": ctx.identity.name or "",
        "consented_at": ctx.app.now(),
        "held_at": None,
    }
    new = {"tenant_id": ctx.tenant_id, "id": new_id("cnx"), "app_id": app.id, "created_at": ctx.app.now(), **given}
    either = upsert(connections, ctx.db).values(new)  # two people may consent at once
    ctx.db.execute(either.on_conflict_do_update(index_elements=["tenant_id", "app_id"], set_=given))
    id = str(ctx.db.execute(sa.select(connections.c.id).where(this)).scalar_one())
    ctx.outdates = True
    app_hold.follow_consent(ctx, id, given["scopes"])
    ctx.emit("app.connected", _show_connection(lock_connection(ctx, id), name))
    return id


def lock_connection(ctx: Context, connection_id: str) -> Row:
    """Lock a connection: every change of its tokens waits for this lock. Raise NotFound if it is gone."""
    this = own(ctx, connections) & (connections.c.id == connection_id)
    locked = sa.select(connections).where(this).with_for_update()
    row = ctx.db.execute(locked).first() if _ID.fullmatch(connection_id) else None
    if row is None:
        raise NotFound
    return row


def hold_connection(ctx: Context, connection_id: str) -> None:
    """End every token of a locked connection and hold its endpoints, until somebody consents again."""
    _end_tokens(ctx, connection_id)
    this = own(ctx, connections) & (connections.c.id == connection_id)
    ctx.db.execute(sa.update(connections).where(this).values(held_at=ctx.app.now()))
    app_hold.follow_consent(ctx, connection_id, [])


def end_tokens_of_code(ctx: Context, code_id: str) -> None:
    """End the tokens that a code gave."""
    for table in (access_tokens, refresh_tokens):
        ctx.db.execute(sa.delete(table).where(own(ctx, table), table.c.code_id == code_id))
    ctx.outdates = True


def end_connection(ctx: Context, connection_id: str) -> None:
    """End a connection with its tokens and endpoints. Raise NotFound if the tenant has no such connection."""
    row = lock_connection(ctx, connection_id)
    app = ctx.db.execute(sa.select(apps.c.name, apps.c.published).where(apps.c.id == row.app_id)).one()
    _end_tokens(ctx, connection_id)
    app_hold.delete_endpoints(ctx, connection_id)
    ctx.db.execute(sa.delete(connections).where(own(ctx, connections), connections.c.id == connection_id))
    self_described.forget_app(ctx, row.app_id)
    ctx.emit("app.disconnected", _show_connection(row, app_name(app)))


def list_connected(ctx: Context) -> Sequence[Row]:
    """List the tenant's connections, newest first, with the app's name and home page."""
    shown = sa.select(connections, apps.c.name, apps.c.home_page, apps.c.published, apps.c.business_id)
    found = shown.join_from(connections, apps, apps.c.id == connections.c.app_id).where(own(ctx, connections))
    return ctx.db.execute(found.order_by(connections.c.created_at.desc(), connections.c.id)).all()


def app_name(app: Any) -> str:
    """Return an app's name as published: businesses other than its own have not agreed to a newer one."""
    return str(app.published["name"] if app.published else app.name)


def _end_tokens(ctx: Context, connection_id: str) -> None:
    ctx.db.execute(sa.delete(codes).where(own(ctx, codes), codes.c.connection_id == connection_id))  # with their tokens
    ctx.outdates = True


def _show_connection(row: Row, name: str) -> Connection:
    return Connection(
        id=row.id,
        app=Named(row.app_id, name),
        scopes=row.scopes,
        connected_by=Named(row.user_id, row.user_name),
        connected_at=row.created_at,
    )
