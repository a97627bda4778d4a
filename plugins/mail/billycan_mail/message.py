"""A message in its wire format: headers that no text can break out of, plain text, HTML and attachments."""

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
    """An attached file."""

    filename: str
    content_type: str
    content: bytes


def build_message(
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
    """Build the message in 7-bit ASCII. The same `id` always gives the same Message-ID."""
    sender = sender_address(app)
    message = EmailMessage(policy=_POLICY)
    shown = one_line(sender_name) or sender.display_name
    message["From"] = _write_mailbox(shown, sender.addr_spec)
    for name, named in (("To", to), ("Cc", cc)):
        if named:  # if all recipients in `to` are suppressed, only copies are left
            message[name] = [Address(addr_spec=address) for address in named]
    if reply_to:
        message["Reply-To"] = _write_mailbox(shown, reply_to)
    message["Subject"] = one_line(subject)
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
        message.add_attachment(file.content, maintype=main, subtype=sub, filename=one_line(file.filename))
    return message.as_bytes()


def _add_html(message: Any, html: str, logo: File | None, cid: str) -> None:
    """Add HTML beside the plain text, with its logo as a part that has this Content-ID."""
    if logo is None:
        message.add_alternative(html, subtype="html")
        return
    message.add_alternative(logos.name_logo(html, cid), subtype="html")
    main, _, sub = logo.content_type.partition("/")
    about = {"cid": f"<{cid}>", "disposition": "inline", "filename": f"logo.{sub}"}
    message.get_payload(1).add_related(logo.content, maintype=main, subtype=sub, **about)


def sender_address(app: App) -> Address:
    """Return the address that mail comes from."""
    return parse_sender("sender", app.settings_of(Settings).sender or "nobody@localhost.invalid")


def message_id(app: App, id: str) -> str:
    """Return the Message-ID of an email or letter. A retry has the same one, so that a recipient sees one message."""
    return f"<{id}@{sender_address(app).domain}>"


def return_path_of(app: App, id: str) -> str:
    """Return the address for reports on a message: unguessable and its own, if the deployment receives bounces."""
    bounces = app.settings_of(Settings).bounces
    if not bounces:
        return str(sender_address(app).addr_spec)
    where = parse_sender("bounces", bounces)
    return f"{where.username}+{id}.{_seal_id(app.secrets[-1], id)}@{where.domain}"


def id_of_return_path(app: App, address: str) -> str | None:
    """Return the id of the message that has this return path, or None if none of ours does."""
    id, dot, seal = address.partition("@")[0].rpartition("+")[2].rpartition(".")
    sealed = any(hmac.compare_digest(_seal_id(secret, id), seal.lower()) for secret in app.secrets if seal.isascii())
    return id if dot and sealed else None


def one_line(text: str) -> str:
    """Return a text as one line, without anything that could end a header.

    It also has no `=?`: the email package decodes encoded words (RFC 2047) in its input, including line ends.
    """
    return " ".join("".join(c if c.isprintable() else " " for c in text).split()).replace("=?", "= ?")


def _write_mailbox(name: str, address: str) -> str:
    """Return a mailbox. A name that is not plain words is written as encoded words (RFC 2047), which cannot break."""
    plain = _PLAIN.fullmatch(name)
    return f"{name if plain else Header(name, 'utf-8').encode(linesep='')} <{address}>" if name else address


class _VerbatimHeader:
    """A header that is sent exactly as given, in lines of one encoded word each.

    The email package drops the quotation marks of a long name that it folds, so that an address in the name would count
    as the sender's. It also encodes a long link, which no mail program would recognise then.
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
        registry.map_to_type(name, _VerbatimHeader)  # type: ignore[arg-type]
    return registry


_POLICY = SMTP.clone(cte_type="7bit", header_factory=_header_factory())


def _seal_id(secret: str, id: str) -> str:
    return hmac.new(secret.encode(), f"return path {id}".encode(), hashlib.sha256).hexdigest()[:16]


def addresses_of_kind(rows: Any, kind: str) -> list[str]:
    """Return the addresses of the recipients of a kind, in order."""
    return [row.address for row in rows if row.kind == kind]
