"""The pages of a business's own apps, and of the apps that are connected to it."""

from typing import Any

import sqlalchemy as sa

from billycan import App, NotFound
from billycan_users.api import Answer, Led, Screen, Shown, Visit, live_of, mounted

from . import app_records, app_removal, connecting, protocol
from .app_records import Edition, Registered, grantable_scopes
from .wording import describe_allowed

_APPS, _CONNECTIONS = "/dashboard/apps", "/dashboard/connections"


def list_apps(visit: Visit) -> Answer:
    with visit.app.db.reading() as db:
        found = app_records.list_apps_of_business(db, live_of(db, visit.tenant_id))
    return Shown("apps/apps.html", {"apps": found, **_fill_form(visit.app)})


def make_app(visit: Visit) -> Answer:
    """Register an app. The secret of an app that can keep one is shown once, on the app's page."""
    app, is_confidential = visit.app, visit.form.get("kind") != "public"
    edition = _edition_of_form(visit)
    with app.db.writing() as db:
        business_id = live_of(db, visit.tenant_id)
        id, secret = app_records.register_app(db, business_id, edition, app.now(), is_confidential=is_confidential)
    return visit.reveal(f"{_APPS}/{id}", secret) if secret else Led(f"{_APPS}/{id}", "The app is registered.")


def show_app(visit: Visit, id: str) -> Answer:
    with visit.app.db.reading() as db:
        app = _find_own_app(visit, db, id)
        values = {"each": app, "secrets": app_records.secrets_of(db, id), **_fill_form(visit.app)}
    addresses = [
        ("Authorization", protocol.AUTHORIZE),
        ("Token", protocol.TOKEN),
        ("Revocation", protocol.REVOKE),
        ("All of it, for libraries", protocol.DESCRIPTION),
    ]
    return Shown("apps/app.html", {**values, "url": visit.app.public_url, "addresses": addresses})


def change_app(visit: Visit, id: str) -> Answer:
    edition = _edition_of_form(visit)
    with visit.app.db.writing() as db:
        _find_own_app(visit, db, id)
        app_records.change_app(db, id, edition)
    return Led(f"{_APPS}/{id}", "The app is changed.")


def rotate_secret(visit: Visit, id: str) -> Answer:
    with visit.app.db.writing() as db:
        _find_own_app(visit, db, id)
        secret = app_records.rotate_secret(db, id, visit.app.now())
    return visit.reveal(f"{_APPS}/{id}", secret)


def forget_secret(visit: Visit, id: str) -> Answer:
    with visit.app.db.writing() as db:
        _find_own_app(visit, db, id)
        app_records.forget_secret(db, id, visit.form.get("secret", ""))
    return Led(f"{_APPS}/{id}", "The secret is refused from now on.")


def delete_app(visit: Visit, id: str) -> Answer:
    with visit.app.db.reading() as db:
        _find_own_app(visit, db, id)
    app_removal.delete_app(visit.app, id)
    return Led(_APPS, "The app is deleted, and refused everywhere from now on.")


def _find_own_app(visit: Visit, db: sa.Connection, id: str) -> Registered:
    found = app_records.find_app(db, id)
    if found is None or found.business_id != live_of(db, visit.tenant_id):
        raise NotFound
    return found


def _edition_of_form(visit: Visit) -> Edition:
    form = visit.form
    uris = form.get("redirect_uris", "").split()
    return app_records.checked_edition(
        visit.app, form.get("name", ""), form.get("home_page", ""), uris, form.get("scopes", "").split()
    )


def _fill_form(app: App) -> dict[str, Any]:
    return {"there_are": describe_allowed(app, grantable_scopes(app))}


def list_connections(visit: Visit) -> Answer:
    with visit.reading() as ctx:
        business_id = live_of(ctx.db, ctx.tenant_id)
        found = [
            (row, _home_page(row, business_id), connecting.app_name(row), describe_allowed(visit.app, row.scopes))
            for row in connecting.list_connected(ctx)
        ]
    return Shown("apps/connections.html", {"connections": found})


def _home_page(row: sa.Row[Any], business_id: str) -> str:
    """Return an app's home page; empty for other businesses until it is published."""
    if row.business_id == business_id:
        return str(row.home_page)
    return str(row.published["home_page"]) if row.published else ""


def disconnect(visit: Visit, id: str) -> Answer:
    with visit.writing() as ctx:
        connecting.end_connection(ctx, id)
    return Led(_CONNECTIONS, "The app is disconnected: it is refused from now on.")


_ONE = f"{_APPS}/{{id}}"
_OWN: dict[str, Any] = {"role": "developer", "proof": True}

screens = mounted(
    Screen(_APPS, list_apps, make_app, nav="Apps", group="Developers", **_OWN),
    Screen(_ONE, show_app, change_app, **_OWN),
    Screen(f"{_ONE}/rotate", post=rotate_secret, on=_ONE, **_OWN),
    Screen(f"{_ONE}/forget", post=forget_secret, on=_ONE, **_OWN),
    Screen(f"{_ONE}/delete", post=delete_app, on=_ONE, **_OWN),
    Screen(_CONNECTIONS, list_connections, role="developer", nav="Connected apps", group="Business"),
    Screen(f"{_CONNECTIONS}/{{id}}/disconnect", post=disconnect, on=_CONNECTIONS, **_OWN),
)
