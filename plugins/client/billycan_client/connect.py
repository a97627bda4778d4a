"""An app that businesses connect: the page where a person consents, the app's tokens, and a client that refreshes them.

    app = OAuthApp("https://api.example.com", "app_…", "ocs_…")
    begun = app.begin("https://app.example.com/cb", ["invoices:read"])     # store it per browser, redirect to begun.url
    tokens = app.finish(begun, "https://app.example.com/cb?code=…")        # the URL the browser came back to
    store = FileStore("tokens.json", tokens)
    for invoice in app.client(store).invoices.list(): ...

A refresh token works once. Threads and processes that share a `FileStore` wait for each other: one refreshes for all.
In a store of your own, `alone` must do the same, for example with a row lock in the database.
"""

import base64
import hashlib
import hmac
import os
import secrets
import sqlite3
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager
from pathlib import Path
from typing import Any, Protocol, TypeVar
from urllib.parse import parse_qs, urlencode, urlsplit

import httpx2
import msgspec
from msgspec import Struct

from .api import Billycan
from .decoding import decoder
from .errors import BillycanError, UnexpectedAnswer

T = TypeVar("T")

LONGEST_TURN_SECONDS = 120  # the longest wait for another process's refresh
EARLY_SECONDS = 60  # a token is refreshed before its end: a request takes time, and clocks differ


class Disconnected(BillycanError):
    """The business is no longer connected: somebody must consent again."""


class Tokens(Struct, frozen=True):
    """The tokens of a connected business; `expires_at`, in Unix seconds, is the end of the access token."""

    access_token: str
    refresh_token: str
    expires_at: float
    scope: str = ""

    def __repr__(self) -> str:
        return "Tokens(…)"


class _Issued(Struct):
    """An answer with tokens."""

    access_token: str
    refresh_token: str
    expires_in: float
    scope: str = ""


class _Refused(Struct):
    """An answer without tokens."""

    error: str = "unexpected_answer"
    error_description: str = "No tokens came."


class _Endpoints(Struct):
    """The addresses that a deployment publishes for apps."""

    issuer: str
    authorization_endpoint: str


class Begun(Struct, frozen=True):
    """A connection waiting for a person's consent: redirect them to `url`, and keep the rest for `finish`."""

    url: str
    state: str
    verifier: str
    redirect_uri: str


class Store(Protocol):
    """The place where tokens are stored."""

    def load(self) -> Tokens: ...

    def save(self, tokens: Tokens) -> None: ...

    def alone(self) -> AbstractContextManager[Any]:
        """Enter one at a time, among all threads and processes that share these tokens."""


class FileStore:
    """Tokens in a file that only this user may read; without `tokens`, those already in it."""

    def __init__(self, path: str | os.PathLike[str], tokens: Tokens | None = None) -> None:
        self.path, self._turn = Path(path), threading.Lock()
        if tokens:
            with self.alone():
                self.save(tokens)

    def load(self) -> Tokens:
        found: Tokens = decoder(Tokens).decode(_retry_while_open(self.path.read_bytes))
        return found

    def save(self, tokens: Tokens) -> None:
        # Write atomically: a process that dies half-way must not lose the tokens.
        new = self.path.with_name(f"{self.path.name}.new")
        new.unlink(missing_ok=True)
        with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(msgspec.json.encode(tokens))
            file.flush()
            os.fsync(file.fileno())
        _retry_while_open(lambda: new.replace(self.path))

    @contextmanager
    def alone(self) -> Iterator[None]:
        # SQLite's file lock works on every system, and ends with its process.
        lock = self.path.with_name(f"{self.path.name}.lock")
        with self._turn, closing(sqlite3.connect(lock, timeout=LONGEST_TURN_SECONDS, isolation_level=None)) as taken:
            taken.execute("BEGIN EXCLUSIVE")
            yield


class OAuthApp:
    """An app as registered at a deployment; without a secret, a public app."""

    def __init__(
        self,
        url: str,
        client_id: str,
        client_secret: str | None = None,
        *,
        transport: httpx2.BaseTransport | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        self.url, self.client_id, self._secret, self.now = url.rstrip("/"), client_id, client_secret, now
        self._transport = transport

    def begin(self, redirect_uri: str, scopes: Sequence[str]) -> Begun:
        """Start to connect a business, with a new state and verifier (PKCE)."""
        state, verifier = secrets.token_urlsafe(16), secrets.token_urlsafe(48)
        parameters = {
            "response_type": "code",
            "client_id": self.client_id,
            "redirect_uri": redirect_uri,
            "scope": " ".join(scopes),
            "state": state,
            "code_challenge": base64.urlsafe_b64encode(hashlib.sha256(verifier.encode()).digest())
            .rstrip(b"=")
            .decode(),
            "code_challenge_method": "S256",
        }
        return Begun(
            f"{self._endpoints().authorization_endpoint}?{urlencode(parameters)}", state, verifier, redirect_uri
        )

    def finish(self, begun: Begun, answered: str) -> Tokens:
        """Exchange the URL that the browser came back to for tokens. Raise BillycanError if it brings none."""
        given = {name: value for name, (value, *_) in parse_qs(urlsplit(answered).query).items()}
        if not hmac.compare_digest(given.get("state", "").encode(), begun.state.encode()):
            raise BillycanError("This answer is not to what was begun.", code="wrong_state")
        if given.get("iss") != self._endpoints().issuer:
            raise BillycanError("This answer is another server's.", code="wrong_issuer")
        if "code" not in given:
            raise BillycanError(given.get("error_description", "Not connected."), code=given.get("error", "no_code"))
        form = {"grant_type": "authorization_code", "code": given["code"], "redirect_uri": begun.redirect_uri}
        with httpx2.Client(transport=self._transport, timeout=30) as http:
            return self.read(http.send(self.asks({**form, "code_verifier": begun.verifier})))

    def client(self, store: Store, **more: Any) -> Billycan:
        """Return a client for the business that these tokens belong to; it refreshes them."""
        return Billycan(self.url, Refreshing(self, store), **{"transport": self._transport, **more})

    def asks(self, form: dict[str, str]) -> httpx2.Request:
        """Build a request for tokens."""
        who = {"client_id": self.client_id, **({"client_secret": self._secret} if self._secret else {})}
        return httpx2.Request("POST", f"{self.url}/oauth/token", data={**form, **who})

    def read(self, response: httpx2.Response) -> Tokens:
        """Return the tokens of an answer. Raise Disconnected if consent is gone, else BillycanError."""
        response.read()
        if response.status_code == 200:
            issued = _decode_response(response, _Issued)
            return Tokens(issued.access_token, issued.refresh_token, self.now() + issued.expires_in, issued.scope)
        try:
            refused = decoder(_Refused).decode(response.content)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            refused = _Refused()
        kind = Disconnected if refused.error == "invalid_grant" else BillycanError
        raise kind(refused.error_description, code=refused.error, status=response.status_code)

    def _endpoints(self) -> _Endpoints:
        with httpx2.Client(transport=self._transport, timeout=30) as http:
            return _decode_response(http.get(f"{self.url}/.well-known/oauth-authorization-server"), _Endpoints)


class Refreshing(httpx2.Auth):
    """Authentication by a store's access token, refreshed shortly before it expires or when the server refuses it."""

    def __init__(self, app: OAuthApp, store: Store) -> None:
        self.app, self.store = app, store

    def sync_auth_flow(self, request: httpx2.Request) -> Generator[httpx2.Request, httpx2.Response, None]:
        tokens = self.store.load()
        if tokens.expires_at - EARLY_SECONDS <= self.app.now():
            tokens = yield from self._refreshed(tokens)
        response = yield _with_token(request, tokens)
        if response.status_code == 401:
            yield _with_token(request, (yield from self._refreshed(tokens)))

    def _refreshed(self, old: Tokens) -> Generator[httpx2.Request, httpx2.Response, Tokens]:
        """Return newer tokens than these, which another thread or process may already have stored."""
        with self.store.alone():
            tokens = self.store.load()
            if tokens.access_token == old.access_token:
                request = self.app.asks({"grant_type": "refresh_token", "refresh_token": tokens.refresh_token})
                tokens = self.app.read((yield request))
                self.store.save(tokens)
            return tokens


def _decode_response(response: httpx2.Response, kind: type[T]) -> T:
    try:
        found: T = decoder(kind).decode(response.content if response.status_code == 200 else b"")
        return found
    except (msgspec.MsgspecError, UnicodeDecodeError):
        what = f"{response.request.method} {response.request.url} answered {response.status_code}"
        message = f"{what}, and not with what a billycan server does: is this its URL?"
        raise UnexpectedAnswer(message, code="unexpected_answer", status=response.status_code) from None


def _retry_while_open(act: Callable[[], T]) -> T:
    """Call `act`, and retry on Windows while another process has the file open."""
    for _ in range(100 if sys.platform == "win32" else 0):
        try:
            return act()
        except PermissionError:
            time.sleep(0.02)
    return act()


def _with_token(request: httpx2.Request, tokens: Tokens) -> httpx2.Request:
    request.headers["Authorization"] = f"Bearer {tokens.access_token}"
    return request
