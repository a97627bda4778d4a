"""Access: businesses ask for access on a public page, and whoever runs the deployment lets them in."""

from pathlib import Path

from billycan import App, Manifest, hookimpl
from billycan_users.api import can_send

from . import asking, operating
from .settings import Settings
from .tables import requests

manifest = Manifest(
    name="access",
    requires=("users",),
    uses=("requests",),
    settings=Settings,
    tables=(requests,),
    migrations=Path(__file__).parent / "migrations",
    pages=(*asking.screens, *operating.screens),
)


@hookimpl
def startup(app: App) -> None:
    """Refuse to start where a sandbox is promised to whoever proves an address, and nobody can."""
    if app.settings_of(Settings).mode == "sandbox" and not can_send(app):
        said = 'enable the plugin mail and set mail.url, or set access.mode to "request"'
        raise ValueError(f'access.mode = "sandbox" needs mail: {said}')
