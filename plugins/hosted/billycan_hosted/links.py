"""Signed links: each opens one document without a login, until its last day."""

import hashlib
import re
from datetime import date
from functools import cache

import msgspec
from itsdangerous import BadData, URLSafeSerializer

from billycan import App, Context

# The most links that an address may open.
PER_MINUTE, PER_SECOND = 100, 20
_TOKEN = re.compile(r"[A-Za-z0-9_.-]+")


class Link(msgspec.Struct, frozen=True, array_like=True):
    """The contents of a link: a tenant's document, the edition (a newer one revokes the link), and the last day."""

    tenant_id: str
    id: str
    edition: int
    last_day: date


# Built at import: msgspec crashes if two threads build it at once.
msgspec.json.Decoder(Link)


def link_url(ctx: Context, path: str, id: str, edition: int, last_day: date) -> str:
    """Return the absolute address of a document's page; `path` is the page's, such as `/q/`."""
    link = Link(ctx.tenant_id, id, edition, last_day)
    token = _build_serializer(path, *ctx.app.secrets).dumps(msgspec.to_builtins(link))
    return f"{ctx.app.public_url}{path}{token if isinstance(token, str) else token.decode()}"


def read_link(app: App, path: str, token: str) -> Link | None:
    """Return the link in a token; None if this deployment did not sign it for this path, or if it has expired."""
    # Decoding ignores foreign characters in base64, but a link has only one spelling.
    if not _TOKEN.fullmatch(token):
        return None
    try:
        link = msgspec.convert(_build_serializer(path, *app.secrets).loads(token), Link)
    except (BadData, ValueError):
        return None
    return link if link.last_day >= app.now().date() else None


@cache  # each row of a list has a link
def _build_serializer(path: str, *secrets: str) -> URLSafeSerializer:
    return URLSafeSerializer(secrets, salt=f"hosted {path}", signer_kwargs={"digest_method": hashlib.sha256})
