"""Codes and tokens: what each grants, and what its second use ends.

Every change of a connection's tokens holds the lock of its row, so that any number of requests with the same code or
token have one outcome.
"""

import base64
import hashlib
import hmac
import re
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta
from typing import Any

import msgspec
import sqlalchemy as sa
from cryptography.fernet import Fernet
from msgspec import Struct

from billycan import App, Context, Identity, NotFound, Row, new_id, own
from billycan.fields import Moment
from billycan.sql import at_most, tenants
from billycan.web import encode

from . import connecting
from .tables import access_tokens, apps, codes, refresh_tokens

CODE, REFRESH = "oac_", "ort_"
ACCESS = {"live": "oat_live_", "sandbox": "oat_test_"}
CODE_LASTS, ACCESS_LASTS, REFRESH_LASTS = timedelta(seconds=60), timedelta(minutes=30), timedelta(days=90)
GRACE = timedelta(seconds=60)  # for repeating a refresh whose answer was lost
MOST_USED = 5000  # used refresh tokens recognised for each consent, more than an app needs in 90 days
_MOST_AT_ONCE = 1_000  # deleted in one transaction
_VERIFIER = re.compile(r"[A-Za-z0-9._~-]{43,128}")
_ACROSS = "only the code or the token says whose it is"


class Beyond(Exception):
    """The app asks for more scopes than were granted."""


class OfAnother(Exception):
    """The app asks for tokens for a resource other than the one that the person approved."""


class Pair(Struct, frozen=True):
    """The tokens that a code or a refresh token gives."""

    access_token: str
    refresh_token: str
    expires_at: datetime
    scopes: list[str]


def new_code(
    ctx: Context, connection_id: str, redirect_uri: str, challenge: str, scopes: Sequence[str], resource: str | None
) -> str:
    """Make a code for a connection. It works once, and only for this redirect URI and challenge."""
    code = Identity.Secret.new(CODE)
    ctx.db.execute(
        sa.insert(codes).values(
            tenant_id=ctx.tenant_id,
            id=new_id("oac"),
            connection_id=connection_id,
            digest=Identity.Secret.digest(code),
            redirect_uri=redirect_uri,
            challenge=challenge,
            scopes=sorted(scopes),
            expires_at=ctx.app.now() + CODE_LASTS,
            resource=resource,
        )
    )
    return code


def redeem_code(
    app: App, client_id: str, code: str, redirect_uri: str, verifier: str, resource: str | None = None
) -> Pair | None:
    """Return the tokens for a code, or None if it gives none. Its second use ends the tokens of the first.

    The access token is for the code's `resource` alone, or for the one given if the code has none. Raise OfAnother.
    """
    found = _find_row(app, codes, code, CODE)
    if found is None:
        return None
    ctx = Context(app, found.tenant_id)
    with ctx.transaction():
        connection = _lock_connection(ctx, found.connection_id, client_id)
        row = _read_again(ctx, codes, found.id)
        if connection is None or row is None:
            return None
        if row.used_at is not None:
            connecting.end_tokens_of_code(ctx, row.id)
            return None
        is_right = redirect_uri == row.redirect_uri and matches_challenge(verifier, row.challenge)
        if not is_right or row.expires_at <= ctx.app.now():
            return None
        resource = _one_resource(row, resource)
        ctx.db.execute(sa.update(codes).where(own(ctx, codes), codes.c.id == row.id).values(used_at=ctx.app.now()))
        return _issue_tokens(ctx, connection, row, resource=resource)


def renew_tokens(
    app: App, client_id: str, token: str, scopes: Sequence[str] | None = None, resource: str | None = None
) -> Pair | None:
    """Return the next tokens for a refresh token, within the grace the same ones again. Return None if it gives none.

    `scopes` may ask for less than was granted, for the access token; raises Beyond if they ask for more, and OfAnother
    for another `resource`. A token that
    was used before the grace began was stolen, from the caller or by the caller: the connection is held.
    """
    found = _find_row(app, refresh_tokens, token, REFRESH)
    if found is None:
        return None
    ctx = Context(app, found.tenant_id)
    with ctx.transaction():
        connection = _lock_connection(ctx, found.connection_id, client_id)
        row = _read_again(ctx, refresh_tokens, found.id)
        if connection is None or row is None or row.expires_at <= ctx.app.now():
            return None
        if row.used_at is not None and row.used_at + GRACE < ctx.app.now():
            connecting.hold_connection(ctx, connection.id)
            return None
        if row.used_at is not None:
            return _open_pair(token, row.sealed)
        code = _read_again(
            ctx, codes, row.code_id, lock=True
        )  # it stays until what it gives now is there to end with it
        if code is None:  # the app has just ended
            return None
        if not {*(scopes or ())} <= {*code.scopes}:
            raise Beyond
        pair = _issue_tokens(ctx, connection, code, scopes, resource=_one_resource(code, resource))
        this = own(ctx, refresh_tokens) & (refresh_tokens.c.id == row.id)
        used = {"used_at": ctx.app.now(), "sealed": _answer_cipher(token).encrypt(encode(pair))}
        ctx.db.execute(sa.update(refresh_tokens).where(this).values(used))
        return pair


def revoke_tokens(app: App, client_id: str, token: str) -> None:
    """End an access token, or a refresh token with all tokens of its code. Do nothing if it is not this app's."""
    for table, starts in ((access_tokens, (*ACCESS.values(),)), (refresh_tokens, (REFRESH,))):
        found = _find_row(app, table, token, *starts)
        if found is None:
            continue
        ctx = Context(app, found.tenant_id)
        with ctx.transaction():
            if _lock_connection(ctx, found.connection_id, client_id) is None:
                return
            if table is refresh_tokens:
                connecting.end_tokens_of_code(ctx, found.code_id)
            else:
                ctx.db.execute(sa.delete(table).where(own(ctx, table), table.c.id == found.id))
            ctx.outdates = True


def with_old(db: sa.Connection, now: Moment) -> Iterable[str]:
    """Return the tenants of which `forget_old` would delete something."""
    tokens = refresh_tokens.c
    expired = [
        sa.select(table.c.tenant_id).where(table.c.expires_at <= now) for table in (access_tokens, refresh_tokens)
    ]
    used = sa.select(tokens.tenant_id).where(tokens.used_at.is_not(None)).group_by(tokens.tenant_id, tokens.code_id)
    over = sa.select(codes.c.tenant_id).where(_is_over(now))
    return db.execute(sa.union(*expired, used.having(sa.func.count() > MOST_USED), over)).scalars()


def forget_old(ctx: Context) -> bool:
    """Delete what has expired, and used refresh tokens beyond those still recognised. True if more may be left."""
    now = ctx.now()
    for table in (access_tokens, refresh_tokens):
        old = own(ctx, table) & (table.c.expires_at <= now)
        if ctx.db.execute(sa.delete(table).where(at_most(_MOST_AT_ONCE, table, old))).rowcount == _MOST_AT_ONCE:
            return True
    tokens = refresh_tokens.c
    nth = sa.func.row_number().over(partition_by=tokens.code_id, order_by=(tokens.used_at.desc(), tokens.id.desc()))
    mine = own(ctx, refresh_tokens) & tokens.used_at.is_not(None)
    used = sa.select(tokens.id, nth.label("nth")).where(mine).subquery()
    beyond = ctx.db.execute(sa.select(used.c.id).where(used.c.nth > MOST_USED).limit(_MOST_AT_ONCE)).scalars().all()
    gone = ctx.db.execute(sa.delete(refresh_tokens).where(own(ctx, refresh_tokens), tokens.id.in_(beyond))).rowcount
    these = at_most(_MOST_AT_ONCE, codes, own(ctx, codes), _is_over(now))
    codes_gone = ctx.db.execute(sa.delete(codes).where(these)).rowcount
    return _MOST_AT_ONCE in (gone, codes_gone)


def _is_over(now: Moment) -> sa.ColumnElement[bool]:
    """The condition that a code is over. A used one stays while any token does, so that a second use can end them."""
    tokens = refresh_tokens.c
    going = sa.exists().where(tokens.tenant_id == codes.c.tenant_id, tokens.code_id == codes.c.id)
    return (codes.c.expires_at <= now - ACCESS_LASTS) & ~going


def answered_tokens(app: App, now: Moment) -> sa.Select[tuple[str, str]]:
    """Select the refresh tokens whose stored answer nobody can ask for again, oldest first."""
    tokens = refresh_tokens.c
    past = sa.select(tokens.tenant_id, tokens.id).where(tokens.sealed.is_not(None), tokens.used_at < now - GRACE)
    return past.order_by(tokens.used_at)


def forget_answer(ctx: Context, id: str) -> None:
    """Delete the answer to a refresh token."""
    this = own(ctx, refresh_tokens) & (refresh_tokens.c.id == id)
    ctx.db.execute(sa.update(refresh_tokens).where(this).values(sealed=None))


def matches_challenge(verifier: str, challenge: str) -> bool:
    """Tell whether a verifier matches the challenge (RFC 7636 section 4.6, S256)."""
    hashed = base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest()).rstrip(b"=")
    return _VERIFIER.fullmatch(verifier) is not None and hmac.compare_digest(hashed, challenge.encode())


def _find_row(app: App, table: sa.Table, secret: str, *starts: str) -> Row | None:
    """Return the row of a secret of any tenant, as it was a moment ago."""
    if not Identity.Secret.is_well_formed(secret, *starts):
        return None
    with app.db.reading(across=_ACROSS) as db:
        return db.execute(sa.select(table).where(table.c.digest == Identity.Secret.digest(secret))).first()


def _lock_connection(ctx: Context, connection_id: str, client_id: str) -> Row | None:
    """Lock the connection. Return None if it is gone or another app's."""
    try:
        connection = connecting.lock_connection(ctx, connection_id)
    except NotFound:
        return None
    if connection.app_id == client_id:
        return connection
    # Each business has its own row of an app that describes itself.
    address = sa.select(apps.c.address).where(apps.c.id == connection.app_id)
    return connection if ctx.db.execute(address).scalar_one() == client_id else None


def _read_again(ctx: Context, table: sa.Table, id: str, *, lock: bool = False) -> Row | None:
    """Read a row again after its connection was locked."""
    found = sa.select(table).where(own(ctx, table), table.c.id == id)
    return ctx.db.execute(found.with_for_update() if lock else found).first()


def _one_resource(code: Row, asked: str | None) -> str | None:
    """Return the resource that tokens of a code are for alone; the app may say which if the code does not."""
    if code.resource is not None and asked not in (None, code.resource):
        raise OfAnother
    return code.resource or asked


def _issue_tokens(
    ctx: Context, connection: Row, code: Row, asked: Sequence[str] | None = None, *, resource: str | None
) -> Pair:
    """Issue new tokens of a code, with its scopes that the connection still has."""
    environment = ctx.db.execute(sa.select(tenants.c.environment).where(tenants.c.id == ctx.tenant_id)).scalar_one()
    granted = [scope for scope in code.scopes if scope in connection.scopes and (asked is None or scope in asked)]
    pair = Pair(
        Identity.Secret.new(ACCESS[environment]), Identity.Secret.new(REFRESH), ctx.app.now() + ACCESS_LASTS, granted
    )
    whose: dict[str, Any] = {"tenant_id": ctx.tenant_id, "connection_id": connection.id, "code_id": code.id}
    access = {
        "id": new_id("oat"),
        "digest": Identity.Secret.digest(pair.access_token),
        "scopes": granted,
        "expires_at": pair.expires_at,
        "resource": resource,
    }
    ctx.db.execute(sa.insert(access_tokens).values(**whose, **access))
    expires_at = ctx.app.now() + REFRESH_LASTS
    lasts = {"id": new_id("ort"), "digest": Identity.Secret.digest(pair.refresh_token), "expires_at": expires_at}
    ctx.db.execute(sa.insert(refresh_tokens).values(**whose, **lasts))
    return pair


def _answer_cipher(token: str) -> Fernet:
    """Return the cipher of the answer to a refresh token: reading it needs the token itself."""
    return Fernet(base64.urlsafe_b64encode(hmac.digest(token.encode(), b"the next pair", "sha256")))


def _open_pair(token: str, sealed: bytes) -> Pair:
    return _PAIR.decode(_answer_cipher(token).decrypt(bytes(sealed)))


_PAIR = msgspec.json.Decoder(Pair)
