"""Signed links: who may open which document, without a login, until when."""

import hashlib
import re
from datetime import date
from functools import cache

import msgspec
from itsdangerous import BadData, URLSafeSerializer

from billycan import App, Context

# How often an address may open what links lead to.
PER_MINUTE, PER_SECOND = 100, 20
_TOKEN = re.compile(r"[A-Za-z0-9_.-]+")


class Link(msgspec.Struct, frozen=True, array_like=True):
    """What a link says: a tenant's document, the edition of its link (a newer one revokes it), and its last day."""

    tenant_id: str
    id: str
    edition: int
    last_day: date


# Known from the import on: msgspec crashes where two threads are the first to need it at once.
msgspec.json.Decoder(Link)


def link_url(ctx: Context, path: str, id: str, edition: int, last_day: date) -> str:
    """The absolute address of a document's page; `path` is the page's, such as `/q/`."""
    link = Link(ctx.tenant_id, id, edition, last_day)
    token = _serializer(path, *ctx.app.secrets).dumps(msgspec.to_builtins(link))
    return f"{ctx.app.public_url}{path}{token if isinstance(token, str) else token.decode()}"


def read_link(app: App, path: str, token: str) -> Link | None:
    """What a token says; None where nobody here signed it for this path, or it has expired."""
    # base64 is read whatever else stands between its characters, and a link has one spelling.
    if not _TOKEN.fullmatch(token):
        return None
    try:
        link = msgspec.convert(_serializer(path, *app.secrets).loads(token), Link)
    except (BadData, ValueError):
        return None
    return link if link.last_day >= app.now().date() else None


@cache  # a page of a list has a link in each row
def _serializer(path: str, *secrets: str) -> URLSafeSerializer:
    return URLSafeSerializer(secrets, salt=f"hosted {path}", signer_kwargs={"digest_method": hashlib.sha256})
