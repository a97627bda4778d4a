"""Apps that describe themselves: their client_id is the address of a document (Client ID Metadata Document).

Nobody registers such an app. The document is fetched when a person who is signed in is asked to let the app in, and
each business keeps the app as its person saw it.
"""

import re
from datetime import timedelta
from typing import Any
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Conflict, Context, Invalid, new_id
from billycan.fields import Moment

from . import app_records
from .app_records import MOST_APPS, Edition, Registered, checked_edition, grantable_scopes
from .tables import apps

_LASTS, _LASTS_AT_MOST, _MOST_KEPT = 300, 3600, 256
_ADDRESS = re.compile(r"https?://[\x21-\x7e]{1,1990}")
_MAX_AGE = re.compile(r"max-age=(\d{1,9})")
_SECRETS = {"client_secret", "client_secret_expires_at"}


class Unreadable(Exception):
    """A document that describes no app; the message says to the person why."""


class _Kept(Struct, frozen=True):
    edition: Edition
    until: Moment


_recent: "WeakKeyDictionary[App, dict[str, _Kept]]" = WeakKeyDictionary()


def is_address(client_id: str) -> bool:
    """Tell whether a client_id is the address of a document."""
    try:
        urlsplit(client_id)
    except ValueError:
        return False
    return _ADDRESS.fullmatch(client_id) is not None


def are_taken(app: App) -> bool:
    """Tell whether such apps may connect: where their documents can be fetched, and what they do can be held back."""
    return "webhooks" in app.manifests and bool(app.offered(Context.Guard))


def find_described(app: App, address: str, business_id: str) -> Registered:
    """Return an app as its document describes it now; at most an hour old. Raise Unreadable."""
    if not are_taken(app):
        raise Unreadable("Apps that describe themselves cannot connect here: the maker of this one has to register it.")
    if not is_address(address):
        raise Unreadable("The app's client_id is not an address.")
    kept = _recent.setdefault(app, {})
    if address not in kept or kept[address].until <= app.now():
        if len(kept) >= _MOST_KEPT:
            kept.clear()
        kept[address] = _fetch_edition(app, address, business_id)
    edition = kept[address].edition
    return Registered(
        id="",
        business_id="",
        is_confidential=False,
        own=edition,
        published=edition,
        created_at=app.now(),
        address=address,
    )


def keep_app(ctx: Context, business_id: str, described: Registered) -> Registered:
    """Store an app as a person of the business saw it, in the place of what was known of it."""
    mine = (apps.c.business_id == business_id) & apps.c.address.is_not(None)
    known = ctx.db.execute(sa.select(apps.c.id, apps.c.address).where(mine).with_for_update()).all()
    id = next((row.id for row in known if row.address == described.address), None)
    if id is None:
        if len(known) >= MOST_APPS:
            raise Conflict(f"At most {MOST_APPS} apps that describe themselves can be connected: disconnect one.")
        id = new_id("app")
        new = {"id": id, "business_id": business_id, "is_confidential": False, "created_at": ctx.app.now()}
        new |= {"address": described.address, **msgspec.to_builtins(described.own)}
        ctx.db.execute(sa.insert(apps).values(new))
    else:
        app_records.change_app(ctx.db, id, described.own)
    return app_records.get_app(ctx.db, id)


def forget_app(ctx: Context, app_id: str) -> None:
    """Delete an app that describes itself, unless it is still connected to the live business or its sandbox."""
    this = (apps.c.id == app_id) & apps.c.address.is_not(None)
    try:
        with ctx.db.begin_nested():
            ctx.db.execute(sa.delete(apps).where(this))
    except sa.exc.IntegrityError:
        pass


def find_any(db: sa.Connection, address: str) -> Registered | None:
    """Return one business's row of an app that describes itself: for the token endpoint, which asks only if there is
    one, and which grant is whose.
    """
    row = db.execute(sa.select(apps).where(apps.c.address == address).order_by(apps.c.id).limit(1)).first()
    return app_records.read_app(row) if row else None


def host_of(address: str) -> str:
    """Return the host at which an app describes itself, as people read it."""
    return urlsplit(address).netloc


def _fetch_edition(app: App, address: str, business_id: str) -> _Kept:
    from billycan_webhooks.api import fetch_document  # noqa: PLC0415 - a plugin that may be off

    parts = urlsplit(address)
    if parts.path in ("", "/") or {".", ".."} & {*parts.path.split("/")}:
        raise Unreadable("The app's client_id must be an address with a path, and without the parts . and .. in it.")
    found = fetch_document(app, address, business_id)
    if found.error == "blocked":
        raise Unreadable("The app's client_id cannot be fetched: it must be a public https address.")
    if found.error:
        raise Unreadable(f"The app's description at {parts.netloc} could not be read ({found.error}).")
    if "json" not in found.headers.get("content-type", ""):
        raise Unreadable(f"The app's description at {parts.netloc} is not JSON.")
    age = _MAX_AGE.search(found.headers.get("cache-control", ""))
    lasts = min(int(age[1]), _LASTS_AT_MOST) if age else _LASTS
    return _Kept(_read_edition(app, address, found.body), Moment.of(app.now() + timedelta(seconds=lasts)))


def _read_edition(app: App, address: str, body: str) -> Edition:
    """Return the edition that a document describes. Raise Unreadable."""
    wrong = f"The app's description at {host_of(address)} is wrong"
    try:
        said: Any = msgspec.json.decode(body)
    except (msgspec.DecodeError, RecursionError):
        raise Unreadable(f"{wrong}: it is not JSON.") from None
    if not isinstance(said, dict) or said.get("client_id") != address:
        raise Unreadable(f"{wrong}: its client_id is not the document's own address.")
    if said.keys() & _SECRETS or said.get("token_endpoint_auth_method", "none") != "none":
        raise Unreadable(f"{wrong}: such an app has no secret here, and its token_endpoint_auth_method must be none.")
    if "authorization_code" not in said.get("grant_types", ["authorization_code"]):
        raise Unreadable(f"{wrong}: its grant_types lack authorization_code.")
    name: Any = said.get("client_name")
    uris: Any = said.get("redirect_uris")
    scope: Any = said.get("scope", "")
    texts = [name, scope, *(uris if isinstance(uris, list) else [None])]
    if not all(isinstance(each, str) for each in texts):
        raise Unreadable(f"{wrong}: client_name and redirect_uris are required, and must be text.")
    there_are = grantable_scopes(app)
    scopes = [each for each in there_are if each in scope.split()] or there_are
    origin = f"{urlsplit(address).scheme}://{urlsplit(address).netloc}"
    try:
        return checked_edition(app, name, origin, uris, scopes)
    except Invalid as invalid:
        fault = invalid.details[0]
        raise Unreadable(f"{wrong}: {fault.param} {fault.message}.") from None
