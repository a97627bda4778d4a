"""Users: the people who sign in, what each may do in which business, and the pages that let them in."""

from pathlib import Path

from billycan import Manifest

from . import account, members, signing_in
from .drawing import Assets
from .greeting import greeting
from .settings import Settings
from .tables import attempts, links, passkeys, roles, sessions, shown_once, users

manifest = Manifest(
    name="users",
    settings=Settings,
    tables=(users, roles, sessions, links, passkeys, attempts, shown_once),
    migrations=Path(__file__).parent / "migrations",
    pages=(
        *signing_in.screens,
        *account.screens,
        *members.screens,
        ("/dashboard/assets/{name}", Assets),
    ),
    greets=greeting,
)
