"""Access: businesses request access on a public page, and the operator of the deployment approves them."""

from billycan import App, Manifest, hookimpl
from billycan_users.api import can_send

from . import operating, requesting
from .settings import Settings
from .tables import requests

manifest = Manifest(
    name="access",
    requires=("users",),
    uses=("requests",),
    settings=Settings,
    tables=(requests,),
    pages=(*requesting.screens, *operating.screens),
)


@hookimpl
def startup(app: App) -> None:
    """Refuse to start if a confirmed address is to get a sandbox, but no address can be confirmed."""
    if app.settings_of(Settings).mode == "sandbox" and not can_send(app):
        said = 'enable the plugin mail and set mail.url, or set access.mode to "request"'
        raise ValueError(f'access.mode = "sandbox" needs mail: {said}')
