"""A message as it travels: headers that nobody can add to, plain text, HTML and what is attached."""

import hashlib
import hmac
import re
from collections.abc import Mapping
from email.header import Header
from email.headerregistry import Address, HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime
from typing import Any

from msgspec import Struct

from billycan import App
from billycan.fields import Moment

from . import logos
from .settings import Settings, parse_sender

_PLAIN = re.compile(r"[A-Za-z0-9&'+! -]+")


class File(Struct, frozen=True):
    """What is attached."""

    filename: str
    content_type: str
    content: bytes


def build(
    app: App,
    *,
    id: str,
    at: Moment,
    subject: str,
    text: str,
    to: list[str],
    cc: list[str] | None = None,
    html: str = "",
    sender_name: str = "",
    reply_to: str | None = None,
    logo: File | None = None,
    file: File | None = None,
    headers: Mapping[str, str] | None = None,
) -> bytes:
    """The message, in 7-bit ASCII; the same `id` has the same Message-ID."""
    sender = of_sender(app)
    message = EmailMessage(policy=_POLICY)
    shown = line(sender_name) or sender.display_name
    message["From"] = _named(shown, sender.addr_spec)
    for name, named in (("To", to), ("Cc", cc)):
        if named:  # where those who were named are suppressed, the rest may be copies alone
            message[name] = [Address(addr_spec=address) for address in named]
    if reply_to:
        message["Reply-To"] = _named(shown, reply_to)
    message["Subject"] = line(subject)
    message["Date"] = format_datetime(at.replace(tzinfo=at.tzinfo))
    message["Message-ID"] = message_id(app, id)
    message["Auto-Submitted"] = "auto-generated"
    for name, value in (headers or {}).items():
        message[name] = value
    message.set_content(text)
    if html:
        _add_html(message, html, logo, f"logo.{message_id(app, id)[1:-1]}")
    if file:
        main, _, sub = file.content_type.partition("/")
        message.add_attachment(file.content, maintype=main, subtype=sub, filename=line(file.filename))
    return message.as_bytes()


def _add_html(message: Any, html: str, logo: File | None, cid: str) -> None:
    """Add HTML beside the plain text; the logo that it names becomes a part with this Content-ID."""
    if logo is None:
        message.add_alternative(html, subtype="html")
        return
    message.add_alternative(logos.named(html, cid), subtype="html")
    main, _, sub = logo.content_type.partition("/")
    about = {"cid": f"<{cid}>", "disposition": "inline", "filename": f"logo.{sub}"}
    message.get_payload(1).add_related(logo.content, maintype=main, subtype=sub, **about)


def of_sender(app: App) -> Address:
    """Whom mail comes from."""
    return parse_sender("sender", app.settings_of(Settings).sender or "nobody@localhost.invalid")


def message_id(app: App, id: str) -> str:
    """The Message-ID of an email or letter: a retry is the same message to whoever gets both."""
    return f"<{id}@{of_sender(app).domain}>"


def return_path(app: App, id: str) -> str:
    """Where reports on a message go: an address of its own, which nobody can guess, where the deployment has one."""
    bounces = app.settings_of(Settings).bounces
    if not bounces:
        return str(of_sender(app).addr_spec)
    where = parse_sender("bounces", bounces)
    return f"{where.username}+{id}.{_seal(app.secrets[-1], id)}@{where.domain}"


def of_return_path(app: App, address: str) -> str | None:
    """The id of the message whose return path an address is; None for any other."""
    id, dot, seal = address.partition("@")[0].rpartition("+")[2].rpartition(".")
    sealed = any(hmac.compare_digest(_seal(secret, id), seal.lower()) for secret in app.secrets if seal.isascii())
    return id if dot and sealed else None


def line(text: str) -> str:
    """A text in one line, without what could end a header.

    Nor does it have `=?`: the email package decodes encoded words (RFC 2047) in what it is given, line ends included.
    """
    return " ".join("".join(c if c.isprintable() else " " for c in text).split()).replace("=?", "= ?")


def _named(name: str, address: str) -> str:
    """A mailbox; a name that is not of plain words is one of encoded words (RFC 2047), which nothing ends too soon."""
    plain = _PLAIN.fullmatch(name)
    return f"{name if plain else Header(name, 'utf-8').encode(linesep='')} <{address}>" if name else address


class _AsItIs:
    """A header that is sent as it is given, in lines of an encoded word each.

    The email package drops the quotation marks of a long name that it folds, so that an address in the name counts as
    the sender's, and encodes a long link, so that no mail program finds it.
    """

    max_count = 1

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        kwds["decoded"], kwds["parse_tree"] = value, None

    def fold(self, *, policy: Any) -> str:
        value = str(self).replace("?= ", f"?={policy.linesep} ")
        return f"{self.name}: {value}{policy.linesep}"  # type: ignore[attr-defined]


def _header_factory() -> HeaderRegistry:
    registry = HeaderRegistry()
    for name in ("from", "reply-to", "list-unsubscribe"):
        registry.map_to_type(name, _AsItIs)  # type: ignore[arg-type]
    return registry


_POLICY = SMTP.clone(cte_type="7bit", header_factory=_header_factory())


def _seal(secret: str, id: str) -> str:
    return hmac.new(secret.encode(), f"return path {id}".encode(), hashlib.sha256).hexdigest()[:16]


def addresses(rows: Any, kind: str) -> list[str]:
    """The addresses of recipients of a kind, in their order."""
    return [row.address for row in rows if row.kind == kind]
