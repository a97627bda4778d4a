"""Apps as they are registered, changed and published, and their secrets."""

import hmac
import re
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa
from msgspec import Struct

from billycan import App, Conflict, Fault, Identity, Invalid, NotFound, new_id
from billycan.fields import Moment, Name, Url
from billycan_users.api import read_field

from . import uris
from .tables import apps, secrets

MOST_SECRETS, MOST_URIS, MOST_APPS = 2, 20, 50
_ID = re.compile(r"app_[0-9a-z]{1,40}")
_TURNS = re.compile(r"[\u202a-\u202e\u2066-\u2069]")
_WITHDRAWN = "withdrawn"
SECRET = "ocs_"  # noqa: S105 - what each begins with


class Edition(Struct, frozen=True):
    """An app's name, home page, redirect URIs and scopes."""

    name: str
    home_page: str
    redirect_uris: list[str]
    scopes: list[str]


class Registered(Struct, frozen=True, kw_only=True):
    """An app, as its own business sees it and, if it was published, as others do."""

    id: str
    business_id: str
    is_confidential: bool
    own: Edition
    published: Edition | None
    created_at: Moment
    address: str | None = None

    @property
    def client_id(self) -> str:
        """The name by which it asks: its id, or the address of the document in which it describes itself."""
        return self.address or self.id

    def edition(self, business_id: str) -> Edition | None:
        """Return the app's edition for a business, or None if the business may not connect it."""
        return self.own if business_id == self.business_id else self.published

    @property
    def is_outdated(self) -> bool:
        """True if other businesses still have an earlier edition."""
        return self.published is not None and self.published != self.own


# Built at import: msgspec crashes if two threads are the first to need it at once.
msgspec.json.Decoder(Edition)


def grantable_scopes(app: App) -> list[str]:
    """Return the scopes that apps may ask for in this deployment."""
    return sorted({e.route.scope for e in app.endpoints if e.route.scope} | {app.scope_of(name) for name in app.events})


def checked_edition(
    app: App, name: str, home_page: str, redirect_uris: Sequence[str], scopes: Sequence[str]
) -> Edition:
    """Make an edition from what somebody filled in. Raise Invalid with every fault."""
    faults = list[Fault]()
    given: dict[str, Any] = {}
    for member, kind, text in (("name", Name, name), ("home_page", Url, home_page)):
        try:
            given[member] = read_field(kind, member, text.strip())
        except Invalid as invalid:
            faults += invalid.details
        if _TURNS.search(text):
            faults.append(Fault(member, "invalid_value", "must not have characters that turn the direction of text"))
    if re.match(r"[^/]*//[^/?#]*@", home_page.strip()):
        faults.append(
            Fault("home_page", "invalid_value", "must not have an @ before its host, which hides where it leads")
        )
    wanted = list(dict.fromkeys(redirect_uris))
    if not 1 <= len(wanted) <= MOST_URIS:
        faults.append(Fault("redirect_uris", "required", f"must name 1 to {MOST_URIS} addresses"))
    faults += [
        Fault("redirect_uris", "invalid_value", f"{why}: {uri}") for uri in wanted if (why := uris.uri_fault(uri))
    ]
    known = grantable_scopes(app)
    if not scopes:
        faults.append(Fault("scopes", "required", "must name at least one thing that the app may ask for"))
    if unknown := sorted({*scopes} - {*known}):
        faults.append(Fault("scopes", "invalid_value", f"{unknown[0]} is not a scope: {', '.join(known)}"))
    if faults:
        raise Invalid.of(*faults)
    return Edition(**given, redirect_uris=wanted, scopes=sorted({*scopes}))


def find_app(db: sa.Connection, app_id: str) -> Registered | None:
    """Return an app of any business by its id, or None."""
    if not _ID.fullmatch(app_id):
        return None  # PostgreSQL refuses some texts
    row = db.execute(sa.select(apps).where(apps.c.id == app_id)).first()
    return read_app(row) if row else None


def list_apps_of_business(db: sa.Connection, business_id: str) -> list[Registered]:
    """List the apps that a business has registered, newest first; not those that describe themselves."""
    mine = (apps.c.business_id == business_id) & apps.c.address.is_(None)
    newest = sa.select(apps).where(mine).order_by(apps.c.created_at.desc(), apps.c.id)
    return [read_app(row) for row in db.execute(newest)]


def list_all_apps(db: sa.Connection) -> list[Registered]:
    """List all apps of the deployment, newest first."""
    return [read_app(row) for row in db.execute(sa.select(apps).order_by(apps.c.created_at.desc(), apps.c.id))]


def get_app(db: sa.Connection, app_id: str) -> Registered:
    """Return an app of any business by its id. Raise NotFound if there is none."""
    found = find_app(db, app_id)
    if found is None:
        raise NotFound(f"There is no app {app_id}.")
    return found


def lock_app(db: sa.Connection, app_id: str) -> Registered:
    """Lock an app until the commit and return it. Raise NotFound if there is none."""
    db.execute(sa.select(apps.c.id).where(apps.c.id == app_id).with_for_update(read=True))
    return get_app(db, app_id)


def register_app(
    db: sa.Connection, business_id: str, edition: Edition, now: Moment, *, is_confidential: bool
) -> tuple[str, str | None]:
    """Register an app of a business. Return its id, and the secret of an app that can keep one."""
    # Two people who register the last app at once take turns: the second counts after the first.
    db.execute(sa.select(apps.c.id).where(apps.c.business_id == business_id).with_for_update())
    if len(list_apps_of_business(db, business_id)) >= MOST_APPS:
        raise Conflict(f"A business has at most {MOST_APPS} apps.")
    app_id = new_id("app")
    values = {**msgspec.to_builtins(edition), "is_confidential": is_confidential}
    db.execute(sa.insert(apps).values(id=app_id, business_id=business_id, created_at=now, **values))
    return app_id, rotate_secret(db, app_id, now) if is_confidential else None


def change_app(db: sa.Connection, app_id: str, edition: Edition) -> None:
    """Change an app's edition: at once for its own business, for others when it is published again."""
    db.execute(sa.update(apps).where(apps.c.id == app_id).values(**msgspec.to_builtins(edition)))


def publish_app(db: sa.Connection, app_id: str, check_seen: Callable[[Edition], None]) -> Registered:
    """Let every business connect an app as it is now. `check_seen` raises if another edition was approved."""
    db.execute(sa.select(apps.c.id).where(apps.c.id == app_id).with_for_update())
    found = get_app(db, app_id)
    check_seen(found.own)
    db.execute(sa.update(apps).where(apps.c.id == app_id).values(published=msgspec.to_builtins(found.own)))
    return get_app(db, app_id)


def withdraw_app(db: sa.Connection, app_id: str) -> Registered:
    """Let only its own business connect an app. Businesses that have connected it stay connected."""
    get_app(db, app_id)
    known = db.execute(sa.select(apps.c.published).where(apps.c.id == app_id).with_for_update()).scalar_one()
    # The approved edition is kept: connected businesses know the app by that name.
    db.execute(sa.update(apps).where(apps.c.id == app_id).values(published=known and {**known, _WITHDRAWN: True}))
    return get_app(db, app_id)


def rotate_secret(db: sa.Connection, app_id: str, now: Moment) -> str:
    """Make a new secret, which cannot be shown again. The latest one stays valid, and older ones are refused."""
    found = db.execute(sa.select(apps.c.is_confidential).where(apps.c.id == app_id).with_for_update()).first()
    if found is None or not found.is_confidential:
        raise Conflict("A public app has no secret.")
    for old in [row.id for row in secrets_of(db, app_id)][MOST_SECRETS - 1 :]:
        db.execute(sa.delete(secrets).where(secrets.c.id == old))
    secret = Identity.Secret.new(SECRET)
    hint = f"{SECRET}…{secret[-4:]}"
    row = {
        "id": new_id("sec"),
        "app_id": app_id,
        "digest": Identity.Secret.digest(secret),
        "hint": hint,
        "created_at": now,
    }
    db.execute(sa.insert(secrets).values(**row))
    return secret


def forget_secret(db: sa.Connection, app_id: str, secret_id: str) -> None:
    """Refuse a secret from now on. Raise Conflict if it is the only one."""
    db.execute(sa.select(apps.c.id).where(apps.c.id == app_id).with_for_update())  # one secret always stays
    if len(secrets_of(db, app_id)) < MOST_SECRETS:
        raise Conflict("This is the app's only secret: make a new one first.")
    this = (secrets.c.app_id == app_id) & (secrets.c.id == secret_id)
    if not db.execute(sa.delete(secrets).where(this)).rowcount:
        raise NotFound


def secrets_of(db: sa.Connection, app_id: str) -> Sequence[Any]:
    """List an app's secrets without their values, newest first."""
    shown = [column for column in secrets.c if column is not secrets.c.digest]
    newest = (
        sa.select(*shown).where(secrets.c.app_id == app_id).order_by(secrets.c.created_at.desc(), secrets.c.id.desc())
    )
    return db.execute(newest).all()


def is_secret(db: sa.Connection, app_id: str, secret: str) -> bool:
    """Tell whether a text is one of the app's secrets."""
    if not Identity.Secret.is_well_formed(secret, SECRET):
        return False
    known = db.execute(sa.select(secrets.c.digest).where(secrets.c.app_id == app_id)).scalars()
    return any(hmac.compare_digest(bytes(each), Identity.Secret.digest(secret)) for each in known)


def read_app(row: Any) -> Registered:
    """Return a row as an app."""
    own = Edition(row.name, row.home_page, row.redirect_uris, row.scopes)
    is_published = row.published and _WITHDRAWN not in row.published
    return Registered(
        id=row.id,
        business_id=row.business_id,
        is_confidential=row.is_confidential,
        own=own,
        published=msgspec.convert(row.published, Edition) if is_published else None,
        created_at=row.created_at,
        address=row.address,
    )
