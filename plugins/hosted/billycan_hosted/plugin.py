"""Hosted pages: documents that a business's clients open by a signed link, and the look of its documents."""

from billycan import Manifest, Route

from .branding import LogoPage
from .handlers import forget_logo, get_branding, update_branding
from .settings import Settings
from .tables import branding

manifest = Manifest(
    name="hosted",
    requires=("documents",),
    uses=("attachments", "pdf"),
    settings=Settings,
    tables=(branding,),
    routes=(
        Route("GET", "/v1/branding", get_branding, scope="hosted:read"),
        Route("PATCH", "/v1/branding", update_branding, scope="hosted:write"),
    ),
    pages=(("/logo/{token}", LogoPage),),
    hears={"attachment.deleted": forget_logo},
)
