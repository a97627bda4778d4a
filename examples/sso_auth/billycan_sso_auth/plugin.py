"""Single sign-on: signed tokens of an identity provider are accepted beside API keys."""

from typing import Annotated, Any, Literal

import falcon
import jwt
import msgspec
import sqlalchemy as sa
from msgspec import Meta, Struct

from billycan import App, Identity, Manifest, Unauthenticated, hookimpl
from billycan.sql import tenants

INVALID, EXPIRED = "invalid_token", "expired_token"


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The identity provider whose tokens are accepted; all but the last two must be set."""

    issuer: str = ""
    audience: str = ""
    key: str = ""
    algorithm: Literal["RS256", "ES256", "HS256"] = "RS256"
    tenant_claim: Annotated[str, Meta(min_length=1)] = "tenant_id"

    def __repr__(self) -> str:
        return "Settings(…)"  # With HS256 the key is a secret.


class Claims(Struct):
    """The claims that a token must have, besides its issuer and audience."""

    sub: Annotated[str, Meta(min_length=1, max_length=200)]
    exp: float
    nbf: float = 0
    scope: str = ""


manifest = Manifest(
    name="sso_auth",
    settings=Settings,
    codes={
        INVALID: (401, "The token was not issued for this API by the identity provider it trusts, or was changed."),
        EXPIRED: (401, "The token has expired: sign in again."),
    },
)


@hookimpl
def startup(app: App) -> None:
    """Refuse to start with settings that accept no token, or any."""
    settings = app.settings_of(Settings)
    if missing := [name for name in ("issuer", "audience", "key") if not getattr(settings, name)]:
        raise ValueError(f"set BILLYCAN_SSO_AUTH__{missing[0].upper()}")
    symmetric = settings.algorithm == "HS256"
    if symmetric != ("-----BEGIN" not in settings.key) or (symmetric and len(settings.key.encode()) < 32):
        form = "a secret of at least 32 bytes" if symmetric else "a public key in PEM"
        raise ValueError(f"BILLYCAN_SSO_AUTH__KEY must be {form} for {settings.algorithm}")


@hookimpl
def authenticate(app: App, req: falcon.Request) -> Identity | None:
    """Return the holder of a signed token; None for anything else, which core checks."""
    scheme, _, token = (req.get_header("Authorization") or "").partition(" ")
    if scheme.lower() != "bearer" or token.count(".") != 2:
        return None
    settings, now = app.settings_of(Settings), app.now()
    try:
        said = jwt.decode(
            token.strip(),
            settings.key,
            # Never the algorithm in the token's header: a public key could then be used as a secret.
            algorithms=[settings.algorithm],
            issuer=settings.issuer,
            audience=settings.audience,
            # The times are checked below, with the app's clock.
            options={"require": ["iss", "aud"], "verify_exp": False, "verify_nbf": False, "verify_iat": False},
        )
        claims = msgspec.convert(said, Claims)
    except (jwt.PyJWTError, msgspec.ValidationError):
        raise Unauthenticated("This token is not one for this API.", code=INVALID) from None
    if not claims.nbf <= now.timestamp():
        raise Unauthenticated("This token is not valid yet.", code=INVALID)
    if not now.timestamp() < claims.exp:
        raise Unauthenticated("This token has expired: sign in again.", code=EXPIRED)
    return Identity(
        id=f"sso:{claims.sub}",
        tenant_id=(tenant := _tenant(app, said.get(settings.tenant_claim))).id,
        environment=tenant.environment,
        name=claims.sub,
        scopes=tuple(claims.scope.split()),
        per_minute=app.settings.per_minute,
        per_second=app.settings.per_second,
    )


def _tenant(app: App, id: Any) -> Any:
    row = None
    if isinstance(id, str) and id.isascii() and id.isprintable():
        with app.db.reading() as db:
            row = db.execute(sa.select(tenants.c.id, tenants.c.environment).where(tenants.c.id == id)).first()
    if row is None:
        raise Unauthenticated("This token names no business of this API.", code=INVALID)
    return row
