"""The branding of a business's documents, and the page that serves its logo."""

import logging
from datetime import timedelta
from functools import partial

import falcon
import sqlalchemy as sa

from billycan import App, Context, NotFound, Problem, own
from billycan.paper import Paper

from .links import PER_MINUTE, PER_SECOND, link_url, read_link
from .schemas import Branding
from .settings import Settings
from .tables import branding

log = logging.getLogger("billycan.hosted")

LOGO_PATH = "/logo/"
LOGO_TYPES = ("image/png", "image/jpeg", "image/webp")
MOST_LOGO_BYTES = 1024 * 1024


def brand_of(ctx: Context) -> Paper.Brand:
    """Return the brand of the caller's business: its own choices, or the deployment's defaults."""
    chosen, default = load_branding(ctx), ctx.settings(Settings)
    id = chosen.logo_attachment_id if ctx.has("attachments") else None
    return Paper.Brand(
        accent=chosen.accent_colour or default.accent_colour,
        footer=chosen.footer or default.footer,
        logo=partial(_read_logo, id=id) if id else None,
    )


def logo_url(ctx: Context) -> str | None:
    """Return the address of the logo of the caller's business, valid for a day; None without a logo."""
    id = load_branding(ctx).logo_attachment_id if ctx.has("attachments") else None
    return link_url(ctx, LOGO_PATH, id, 1, ctx.now().date() + timedelta(days=1)) if id else None


def load_branding(ctx: Context, *, lock: bool = False) -> Branding:
    """Return the business's branding; all members are null if it never set any."""
    query = sa.select(branding).where(own(ctx, branding))
    row = ctx.db.execute(query.with_for_update() if lock else query).first()
    if row is None:
        return Branding(logo_attachment_id=None, accent_colour=None, footer=None, version=0, updated_at=None)
    return Branding(**{name: getattr(row, name) for name in Branding.__struct_fields__})


class LogoPage:
    """The page that serves a business's logo to readers of its documents."""

    is_entrance = False

    def __init__(self, app: App) -> None:
        self.app = app

    def on_get(self, req: falcon.Request, resp: falcon.Response, token: str) -> None:
        self.app.count_visit("hosted", req, PER_MINUTE, PER_SECOND)
        link = read_link(self.app, LOGO_PATH, token)
        if link is None or "attachments" not in self.app.manifests:
            raise NotFound
        from billycan_attachments import api as attachments  # noqa: PLC0415 - the plugin may be off

        self.app.take_share(req, link.tenant_id, is_visited=True)
        with self.app.db.reading(link.tenant_id) as db:
            ctx = Context(self.app, link.tenant_id, writes=False)
            ctx.db = db
            found = attachments.read_attachment(ctx, link.id)
        resp.data, resp.content_type = found.content, found.content_type
        resp.set_headers(
            {"Cache-Control": "private, max-age=86400", "Content-Security-Policy": "default-src 'none'; sandbox"}
        )

    def refuse(self, resp: falcon.Response, problem: Problem) -> None:
        """Write the error's title as plain text, since only pages request a logo."""
        resp.text, resp.content_type = problem.message, "text/plain; charset=utf-8"


def _read_logo(ctx: Context, *, id: str) -> bytes:
    """Return the bytes of a logo, or none if they cannot be read: a document without a logo is better than none."""
    from billycan_attachments import api as attachments  # noqa: PLC0415 - the plugin may be off

    try:
        return attachments.read_attachment(ctx, id).content
    except (NotFound, OSError) as error:
        log.warning("a document goes without its logo %s: %s", id, error)
        return b""
