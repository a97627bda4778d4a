"""Users: people who sign in, their roles in each business, and the pages that let them in."""

from billycan import App, Code, Context, Identity, Manifest, hookimpl

from . import account, forgotten, members, passkeys, signing_in
from .current_role import find_identity
from .greeting import greeting
from .page_routes import mounted
from .settings import Settings
from .tables import answered, attempts, links, roles, sessions, shown_once, users
from .tables import passkeys as passkeys_table
from .templates import Assets

manifest = Manifest(
    name="users",
    settings=Settings,
    tables=(users, roles, sessions, links, passkeys_table, attempts, answered, shown_once),
    pages=(
        *mounted(*signing_in.screens, *forgotten.screens, *account.screens, *passkeys.screens, *members.screens),
        ("/dashboard/-/{name}", Assets),
    ),
    codes={
        "changed_meanwhile": Code(409, "What is approved has changed since it was shown: look at it again."),
        "person_removed": Code(401, "Whoever queued the work was removed from the business."),
    },
    offers=(Identity.Kind("usr", find_identity), Context.Emptied(stay=(roles,))),
)


@hookimpl
def startup(app: App) -> None:
    app.add_greeting(greeting)
