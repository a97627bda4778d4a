"""An app and the person who connects it, for tests: an OAuth client that sends what a test chooses."""

import base64
import hashlib
import json
import secrets
from collections.abc import Callable, Mapping
from datetime import timedelta
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import sqlalchemy as sa
import webtest
from msgspec.structs import replace

from billycan import App, Identity, new_id
from billycan.sql import tenants
from billycan.testing import Client
from billycan_users.testing import PASSWORD, Browser

from . import app_records, grants
from .app_records import Edition
from .tables import access_tokens, codes, connections

REDIRECT = "https://app.example.com/cb"
SCOPES = ("contacts:read", "contacts:write")


class OAuthApp:
    """A registered app of a client's business: `OAuthApp(client).connect()` is a Client with its token."""

    def __init__(
        self, client: Client, *scopes: str, is_public: bool = False, browser: Browser | None = None, **changes: Any
    ) -> None:
        self.client, self.app = client, client.app
        edition = Edition("Ledger Sync", "https://app.example.com", [REDIRECT], sorted(scopes or SCOPES))
        with self.app.db.writing() as db:
            self.edition = replace(edition, **changes)
            made = app_records.register_app(
                db, client.tenant_id, self.edition, self.app.now(), is_confidential=not is_public
            )
        self.id, self.secret = made
        self.web = webtest.TestApp(self.app.wsgi)
        self.verifier = secrets.token_urlsafe(48)
        self.browser = browser
        self.last: Any = None

    def asks(self, **changes: Any) -> str:
        """Return the path of the authorization endpoint with a valid request, or one with these changes."""
        hashed = hashlib.sha256(self.verifier.encode()).digest()
        asked = {
            "response_type": "code",
            "client_id": self.id,
            "redirect_uri": self.edition.redirect_uris[0],
            "scope": " ".join(self.edition.scopes),
            "state": "xyz",
            "code_challenge": base64.urlsafe_b64encode(hashed).rstrip(b"=").decode(),
            "code_challenge_method": "S256",
        }
        return "/oauth/authorize?" + urlencode({k: v for k, v in {**asked, **changes}.items() if v is not None})

    def person(self) -> Browser:
        """Return the browser of an owner of the business, signed in."""
        if self.browser is None:
            self.browser = Browser(self.app).join(self.client)
        return self.browser

    def consents(self, environment: str = "live", browser: Browser | None = None, **changes: Any) -> dict[str, str]:
        """Have a person let the app in, and return the parameters of the redirect."""
        browser = browser or self.person()
        scopes = changes.pop("scopes", None)
        page = browser.web.get(self.asks(**changes), status=200)
        form = next(form for form in page.forms.values() if "environment" in form.fields)
        form.set("environment", environment)
        for tick in form.fields["scope"] if scopes is not None else ():
            tick.checked = tick._value in scopes
        if "current_password" in form.fields:
            form.set("current_password", PASSWORD)
        answer = form.submit("decision", value="allow", status="*")
        assert answer.status_int == 303, answer.text
        return dict(parse_qsl(urlsplit(answer.headers["Location"]).query))

    def post(self, path: str, form: Any, status: int | None = None, **headers: str) -> Any:
        """Send a form and return the answer, which is also stored as `last`."""
        self.last = self.web.post(path, form, headers=headers, status="*")
        assert status in (None, self.last.status_int), f"{self.last.status}: {self.last.text}"
        return json.loads(self.last.body)

    def credentials(self) -> dict[str, str]:
        return {"client_id": self.id, **({"client_secret": self.secret} if self.secret else {})}

    def redeem(self, code: str, status: int | None = 200, **changes: Any) -> Any:
        """Exchange a code."""
        form = {
            "grant_type": "authorization_code",
            "code": code,
            "redirect_uri": self.edition.redirect_uris[0],
            "code_verifier": self.verifier,
            **self.credentials(),
            **changes,
        }
        return self.post("/oauth/token", {k: v for k, v in form.items() if v is not None}, status)

    def refresh(self, token: str, status: int | None = 200, **changes: Any) -> Any:
        """Exchange a refresh token."""
        form = {"grant_type": "refresh_token", "refresh_token": token, **self.credentials(), **changes}
        return self.post("/oauth/token", {k: v for k, v in form.items() if v is not None}, status)

    def tokens(self, environment: str = "live", **changes: Any) -> Any:
        """Connect, and get tokens."""
        return self.redeem(self.consents(environment, **changes)["code"])

    def connect(self, environment: str = "live", **changes: Any) -> "TokenClient":
        """Return a client that calls the API with an access token."""
        return TokenClient(self, environment, self.tokens(environment, **changes))


class TokenClient(Client):
    """A Client that calls with an access token; `key()` returns another app of the same tenant."""

    def __init__(self, oauth: OAuthApp, environment: str, tokens: Any) -> None:
        self.app, self.oauth, self.environment = oauth.app, oauth, environment
        self.tokens, self.secret = tokens, tokens["access_token"]
        self.headers = {"Authorization": f"Bearer {self.secret}"}
        self.web = webtest.TestApp(self.app.wsgi)
        me = self.get("/v1/me")["data"]
        self.key_id, self.tenant_id = me["id"], me["tenant"]["id"]

    def key(self, *scopes: str, **limits: Any) -> Client:
        return super().key(*scopes, **limits) if limits else self.another(self.environment, *scopes)

    def sandbox(self, *scopes: str) -> Client:
        return self.another("sandbox", *scopes)

    def another(self, environment: str, *scopes: str) -> Client:
        """Connect another app with these scopes, or with all."""
        return everything(self.oauth.client, *scopes, browser=self.oauth.browser).connect(environment)


def everything(client: Client, *scopes: str, browser: Browser | None = None) -> OAuthApp:
    """Return an app with these scopes; `read` and `write` stand for those of every resource. Default: all scopes."""
    there_are = app_records.grantable_scopes(client.app)
    wanted = scopes or ("read", "write")
    return OAuthApp(client, *(s for s in there_are if s in wanted or s.rpartition(":")[2] in wanted), browser=browser)


def enters_with(credential: str) -> Callable[[App], Client]:
    """Return a function that makes a business in an app, and a client with a key or an app's access token."""
    return Client if credential == "key" else lambda app: everything(Client(app)).connect()


_limits = dict[str, Mapping[str, Any]]()  # by connection, in tests with other limits


def give_token(
    client: Client, db: sa.Connection, tenant_id: str, scopes: tuple[str, ...], limits: Mapping[str, Any]
) -> tuple[str, str]:
    """Make an access token for a year, in place of `Client._create_key`. Return its connection's id and the token.

    One connection of a tenant has all tokens with the usual limits, as one business has all of its keys; `read` and
    `write` stand for those of every resource.
    """
    app, now = client.app, client.app.now()
    there_are = app_records.grantable_scopes(app)
    mine = sa.select(connections.c.id).where(connections.c.tenant_id == tenant_id)
    found = None if limits else db.execute(mine.where(connections.c.user_id == "usr_0")).scalar()
    connection_id = found or new_id("cnx")
    whose = {"tenant_id": tenant_id, "connection_id": connection_id}
    if not found:
        _limits[connection_id] = limits
        edition = Edition("Everything", "https://app.example.com", [REDIRECT], there_are)
        app_id, _ = app_records.register_app(db, tenant_id, edition, now, is_confidential=False)
        consented = {"user_id": "usr_1" if limits else "usr_0", "user_name": "Owner", "consented_at": now}
        row = {"tenant_id": tenant_id, "id": connection_id, "app_id": app_id, "scopes": there_are, "created_at": now}
        db.execute(sa.insert(connections).values(**row, **consented))
    granted = [scope for scope in there_are if scope in scopes or scope.rpartition(":")[2] in scopes]
    token = Identity.Secret.new(grants.ACCESS[environment_of(db, tenant_id)])
    lasts = {"scopes": granted, "expires_at": now + timedelta(days=365)}
    code_id, code = new_id("oac"), {"redirect_uri": REDIRECT, "challenge": "", "used_at": now}
    db.execute(
        sa.insert(codes).values(
            **whose, id=code_id, digest=Identity.Secret.digest(Identity.Secret.new(grants.CODE)), **code, **lasts
        )
    )
    db.execute(
        sa.insert(access_tokens).values(
            **whose, id=new_id("oat"), code_id=code_id, digest=Identity.Secret.digest(token), **lasts
        )
    )
    return connection_id, token


def environment_of(db: sa.Connection, tenant_id: str) -> str:
    return str(db.execute(sa.select(tenants.c.environment).where(tenants.c.id == tenant_id)).scalar_one())


def limited(find: Callable[[App, str], Identity | None]) -> Callable[[App, str], Identity | None]:
    """Return a function that identifies an access token, with the limits that `give_token` was given."""

    def found(app: App, token: str) -> Identity | None:
        identity = find(app, token)
        usual = {"per_minute": 100_000, "per_second": 100_000}
        given = _limits.get(identity.id) if identity else None
        return replace(identity, **{**usual, **given}) if identity and given is not None else identity

    return found
