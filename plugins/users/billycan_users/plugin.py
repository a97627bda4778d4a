"""Users: people who sign in, their roles in each business, and the pages that let them in."""

from billycan import App, Context, Every, Identity, Manifest, Route, hookimpl

from . import account, forgotten, members, notifying, passkeys, signing_in, telling
from .current_role import find_identity
from .page_routes import mounted
from .serve_greeting import greet_owner
from .settings import Settings
from .tables import (
    answered,
    attempts,
    digests,
    links,
    notification_rules,
    roles,
    sessions,
    shown_once,
    untold,
    users,
)
from .tables import passkeys as passkeys_table
from .templates import Assets

manifest = Manifest(
    name="users",
    settings=Settings,
    tables=(
        *(users, roles, sessions, links, passkeys_table, attempts, answered, shown_once),
        *(notification_rules, untold, digests),
    ),
    routes=(
        Route("GET", "/v1/notification_rules", notifying.list_notification_rules, scope="users:read"),
        Route("GET", "/v1/notification_rules/{id}", notifying.get_notification_rule, scope="users:read"),
        Route("PATCH", "/v1/notification_rules/{id}", notifying.update_notification_rule, scope="users:write"),
    ),
    pages=(
        *mounted(*signing_in.screens, *forgotten.screens, *account.screens, *passkeys.screens, *members.screens),
        *mounted(*telling.screens),
        ("/dashboard/-/{name}", Assets),
    ),
    hears=dict.fromkeys(notifying.EVENTS, telling.note_events),
    tasks=(
        Every(seconds=2, due=telling.to_tell, run=telling.tell, real_time=True),
        Every(seconds=60, due=telling.digests_due, run=telling.send_digest, real_time=True),
    ),
    codes={
        "changed_meanwhile": (409, "What is approved has changed since it was shown: look at it again."),
        "person_removed": (401, "Whoever queued the work was removed from the business."),
    },
    offers=(Identity.Kind("usr", find_identity), Context.Emptied(stay=(roles, notification_rules))),
)


@hookimpl
def startup(app: App) -> None:
    app.add_greeting(greet_owner)
