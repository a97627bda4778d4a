"""The logo above an email: it travels within the message, so that nobody is asked for anything when that is opened."""

import base64
import re
from typing import Literal

from msgspec import Struct

from billycan import Context
from billycan.paper import Paper, picture_size

Kind = Literal["png", "jpeg"]
MOST_BYTES = 128 * 1024
_KINDS: dict[bytes, Kind] = {b"\x89PNG": "png", b"\xff\xd8": "jpeg"}
_WIDTH, _HEIGHT = 200, 64  # the room that it may take, in CSS pixels
_NAMED = 'src="cid:logo"'
_WITHIN = re.compile(r'src="data:image/(png|jpeg);base64,([A-Za-z0-9+/=]+)"')


class Logo(Struct, frozen=True, kw_only=True):
    """A picture, and how large it is shown, in CSS pixels."""

    kind: Kind
    content: bytes
    width: int
    height: int


def logo_of(ctx: Context, paper: Paper) -> Logo | None:
    """The logo of the business whose document it is; None for one that is too large, or WebP, which Outlook lacks."""
    content = paper.brand.logo(ctx) if paper.brand.logo else b""
    kind = next((kind for start, kind in _KINDS.items() if content.startswith(start)), None)
    size = picture_size(content) if kind and len(content) <= MOST_BYTES else None
    if kind is None or size is None:
        return None
    scale = min(1, _WIDTH / size[0], _HEIGHT / size[1])
    width, height = (max(1, round(side * scale)) for side in size)
    return Logo(kind=kind, content=content, width=width, height=height)


def put_in(html: str, logo: Logo | None) -> str:
    """HTML that holds its logo, as an email is stored and previewed."""
    if logo is None:
        return html
    return html.replace(_NAMED, f'src="data:image/{logo.kind};base64,{base64.b64encode(logo.content).decode()}"', 1)


def take_out(html: str, cid: str) -> tuple[str, tuple[str, bytes] | None]:
    """HTML that names its logo by a Content-ID, as a message has it, and the logo: `png` or `jpeg`, and its bytes."""
    found = _WITHIN.search(html)
    if found is None:
        return html, None
    return f'{html[: found.start()]}src="cid:{cid}"{html[found.end() :]}', (found[1], base64.b64decode(found[2]))
