"""Hosted pages: what a business's clients open behind a signed link, and how its documents look."""

from pathlib import Path

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
    migrations=Path(__file__).parent / "migrations",
    routes=(
        Route("GET", "/v1/branding", get_branding, scope="hosted:read"),
        Route("PATCH", "/v1/branding", update_branding, scope="hosted:write"),
    ),
    pages=(("/logo/{token}", LogoPage),),
    hears={"attachment.deleted": forget_logo},
    examples=Path(__file__).parent / "examples.json",
)
