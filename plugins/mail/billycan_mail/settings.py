"""Settings of mail, which a deployment may change."""

from email.errors import MessageError
from email.headerregistry import Address
from typing import Annotated
from urllib.parse import urlsplit

from msgspec import Meta, Struct

LEAST_MARGIN_SECONDS = 30
MOST_LEASE_SECONDS = 3600


class Settings(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Settings of the plugin `mail`.

    url: The server that takes mail: `smtp+starttls://user:password@host:587`, `smtps://…` or, within a private
      network, `smtp://…`. Without it nothing is sent.
    sender: Whom mail comes from: `mail@example.com`, or `Billycan <mail@example.com>`.
    bounces: Where reports on mail that could not be delivered go, such as `bounces@example.com`; each message has an
      address of its own, `bounces+…@example.com`.
    retry_offsets: When a message is tried again, in seconds after the first attempt.
    timeout_seconds: How long the server is waited for, at each step.
    message_seconds: How long a message may take in all.
    lease_seconds: After how long a message whose process died is sent again.
    per_day: To how many addresses a business may write in 24 hours.
    keep_days: For how many days messages are kept.
    """

    url: str | None = None
    sender: str | None = None
    bounces: str | None = None
    retry_offsets: tuple[Annotated[int, Meta(ge=1, le=2_592_000)], ...] = (550, 7_150, 86_350)
    timeout_seconds: Annotated[float, Meta(ge=0.1, le=300)] = 30.0
    message_seconds: Annotated[float, Meta(ge=0.1, le=600)] = 120.0
    lease_seconds: Annotated[float, Meta(ge=1, le=MOST_LEASE_SECONDS)] = 300.0
    per_day: Annotated[int, Meta(ge=1, le=1_000_000)] = 500
    keep_days: Annotated[int, Meta(ge=1, le=3650)] = 2_555

    def __post_init__(self) -> None:
        if self.lease_seconds < self.message_seconds + LEAST_MARGIN_SECONDS:
            raise ValueError(
                f"lease_seconds: must be at least message_seconds + {LEAST_MARGIN_SECONDS}, or two might send at once"
            )
        if list(self.retry_offsets) != sorted(set(self.retry_offsets)):
            raise ValueError("retry_offsets: must increase, because each is counted from the first attempt")
        if self.url is not None:
            check_url(self.url)
            if self.sender is None:
                raise ValueError("sender: is required where url is set, such as mail@example.com")
        for name, text in (("sender", self.sender), ("bounces", self.bounces)):
            if text is not None:
                parse_sender(name, text)

    def __repr__(self) -> str:
        return "Settings(…)"  # the password stays out of tracebacks and logs


def check_url(url: str) -> None:
    """Raise ValueError if the URL names no server, or would send a password in the clear."""
    parts = urlsplit(url)
    if parts.scheme not in ("smtp", "smtp+starttls", "smtps") or not parts.hostname:
        raise ValueError("url: must be smtp+starttls://user:password@host:587, smtps://… or smtp://…")
    try:
        _ = parts.port
    except ValueError:
        raise ValueError("url: its port must be a number") from None
    if parts.path not in ("", "/") or parts.query or parts.fragment:
        raise ValueError("url: must end after the port; write special characters of a password as %40 and the like")
    if parts.scheme == "smtp" and parts.password and parts.hostname not in ("localhost", "127.0.0.1", "::1"):
        raise ValueError("url: smtp:// would send the password unprotected: use smtp+starttls:// or smtps://")


def parse_sender(name: str, text: str) -> Address:
    """Parse the address in a setting, with or without a display name."""
    shown, angle, rest = text.rpartition("<")
    try:
        if any(not character.isprintable() for character in text):
            raise ValueError("a control character")
        found = Address(shown.strip().strip('"'), addr_spec=rest.removesuffix(">").strip() if angle else text.strip())
    except (ValueError, IndexError, MessageError):
        raise ValueError(f"{name}: must be an address such as mail@example.com") from None
    if not found.username or "." not in found.domain or not found.addr_spec.isascii():
        raise ValueError(f"{name}: must be an address such as mail@example.com")
    return found
