"""The logo above an email: it travels within the message, so that nobody is asked for anything when that is opened."""

import base64
import hashlib
from typing import Literal

from msgspec import Struct

from billycan import Context
from billycan.paper import Paper, picture_size
from billycan.sql import upsert

from .tables import files

Kind = Literal["png", "jpeg"]
MOST_BYTES = 128 * 1024
_KINDS: dict[bytes, Kind] = {b"\x89PNG": "png", b"\xff\xd8": "jpeg"}
_WIDTH, _HEIGHT = 200, 64  # the room that it may take, in CSS pixels
_NAMED = 'src="cid:logo"'  # as the template has it, and as it is stored; a quote that somebody wrote is escaped


class Logo(Struct, frozen=True, kw_only=True):
    """A picture, and how large it is shown, in CSS pixels."""

    kind: Kind
    content: bytes
    width: int
    height: int


def read(ctx: Context, paper: Paper) -> bytes:
    """The bytes of the logo of the business whose document it is; none where it has none."""
    return paper.brand.logo(ctx) if paper.brand.logo else b""


def shown(content: bytes) -> Logo | None:
    """A logo as an email shows it; None for one that is too large, or WebP, which Outlook lacks."""
    kind = next((kind for start, kind in _KINDS.items() if content.startswith(start)), None)
    size = picture_size(content) if kind and len(content) <= MOST_BYTES else None
    if kind is None or size is None:
        return None
    scale = min(1, _WIDTH / size[0], _HEIGHT / size[1])
    width, height = (max(1, round(side * scale)) for side in size)
    return Logo(kind=kind, content=content, width=width, height=height)


def embedded(html: str, logo: Logo | None) -> str:
    """HTML that holds its logo, as for a preview."""
    if logo is None:
        return html
    return html.replace(_NAMED, f'src="data:image/{logo.kind};base64,{base64.b64encode(logo.content).decode()}"', 1)


def named(html: str, cid: str) -> str:
    """HTML that names its logo by a Content-ID, as a message has it."""
    return html.replace(_NAMED, f'src="cid:{cid}"', 1)


def is_named(html: str) -> bool:
    """Whether HTML shows a logo."""
    return _NAMED in html


def keep(ctx: Context, content: bytes) -> str | None:
    """The id of the file of a logo, which is stored once, however many emails show it."""
    if not content:
        return None
    id = f"mfl_{hashlib.sha256(content).hexdigest()[:26]}"
    kind = next((kind for start, kind in _KINDS.items() if content.startswith(start)), "webp")
    row = {"tenant_id": ctx.tenant_id, "id": id, "content": content, "content_type": f"image/{kind}"}
    ctx.db.execute(upsert(files, ctx.db).values(row).on_conflict_do_nothing())
    return id
