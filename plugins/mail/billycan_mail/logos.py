"""The logo above an email. It travels within the message, so that opening an email requests nothing from anywhere."""

import base64
import hashlib
from typing import Literal

from msgspec import Struct

from billycan import Context
from billycan.paper import Paper
from billycan.sql import upsert

from .tables import files

Kind = Literal["png", "jpeg"]
MOST_BYTES = 128 * 1024
_KINDS: dict[bytes, Kind] = {b"\x89PNG": "png", b"\xff\xd8": "jpeg"}
_WIDTH, _HEIGHT = 200, 64  # its maximum size in CSS pixels
_NAMED = 'src="cid:logo"'  # as in the template and as stored; a user's quotation mark is escaped


class Logo(Struct, frozen=True, kw_only=True):
    """A picture and its displayed size in CSS pixels."""

    kind: Kind
    content: bytes
    width: int
    height: int


def read_logo(ctx: Context, paper: Paper) -> bytes:
    """Return the bytes of the business's logo; empty if it has none."""
    return paper.brand.logo(ctx) if paper.brand.logo else b""


def logo_to_show(content: bytes) -> Logo | None:
    """Return a logo as an email shows it. Return None if it is too large, or WebP, which Outlook does not show."""
    kind = next((kind for start, kind in _KINDS.items() if content.startswith(start)), None)
    size = Paper.Picture(content).size if kind and len(content) <= MOST_BYTES else None
    if kind is None or size is None:
        return None
    scale = min(1, _WIDTH / size[0], _HEIGHT / size[1])
    width, height = (max(1, round(side * scale)) for side in size)
    return Logo(kind=kind, content=content, width=width, height=height)


def embed_logo(html: str, logo: Logo | None) -> str:
    """Return HTML that contains its logo, as in a preview."""
    if logo is None:
        return html
    return html.replace(_NAMED, f'src="data:image/{logo.kind};base64,{base64.b64encode(logo.content).decode()}"', 1)


def name_logo(html: str, cid: str) -> str:
    """Return HTML that refers to its logo by a Content-ID, as in a message."""
    return html.replace(_NAMED, f'src="cid:{cid}"', 1)


def shows_logo(html: str) -> bool:
    """Tell whether HTML shows a logo."""
    return _NAMED in html


def store_logo(ctx: Context, content: bytes) -> str | None:
    """Store a logo once for all emails that show it. Return the id of its file, or None if there is no logo."""
    if not content:
        return None
    id = f"mfl_{hashlib.sha256(content).hexdigest()[:26]}"
    kind = next((kind for start, kind in _KINDS.items() if content.startswith(start)), "webp")
    row = {"tenant_id": ctx.tenant_id, "id": id, "content": content, "content_type": f"image/{kind}"}
    ctx.db.execute(upsert(files, ctx.db).values(row).on_conflict_do_nothing())
    return id
