"""The connection to the mail server: its certificate is checked, and it takes one message after another."""

import re
import smtplib
import socket
import ssl
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Literal
from urllib.parse import unquote, urlsplit

from msgspec import Struct

from .settings import Settings

MOST_SAID = 500  # characters stored of a server's answer
_PORTS = {"smtp": 25, "smtp+starttls": 587, "smtps": 465}

_POLICY = re.compile(r"5\d\d 5\.7\.")

Fate = Literal["sent", "failed", "later"]
_LATER: tuple[Fate, str] = ("later", "")


class Unreachable(Exception):
    """The server cannot be reached or refuses the sign-in; the message is not at fault."""


class Outcome(Struct, frozen=True, kw_only=True):
    """The outcome of an attempt: the fate of each recipient, and the server's words.

    `error` is None if the message was sent to everybody. Otherwise it is `refused` (permanently), `address_refused` for
    some addresses, `deferred` (for now), `unreachable`, or `unknown`: the connection was lost after the message and
    before the server's answer.
    """

    fates: Mapping[str, tuple[Fate, str]]
    error: str | None
    detail: str | None
    is_uncertain: bool = False
    bad: frozenset[str] = frozenset()  # addresses refused permanently, rather than the message


class Relay:
    """A connection to the server. An error that breaks it is raised, and closes it."""

    def __init__(self, settings: Settings) -> None:
        assert settings.url is not None  # noqa: S101 - nobody connects to nothing
        self._seconds = settings.message_seconds
        self._smtp = _connect_relay(settings.url, settings.timeout_seconds)

    def send(self, sender: str, to: Sequence[str], message: bytes) -> Outcome:
        """Offer a message to the server. Every recipient has a fate in the outcome, whatever happens."""
        fates: dict[str, tuple[Fate, str]] = {}
        after_text = False
        try:
            with self._limit_time():
                code, said = _check_answer(self._smtp.mail(sender))
                if code != 250:
                    return self._refused_outcome(to, code, said)
                for address in to:
                    fates[address] = _fate_of(*_check_answer(self._smtp.rcpt(address)))
                accepted = [address for address, (fate, _) in fates.items() if fate == "sent"]
                if not accepted:
                    self._reset_session()
                    return _of_recipients(fates)
                after_text = True
                code, said = _check_answer(self._smtp.data(message))
        except smtplib.SMTPDataError as error:  # the server refused the text, so it has not got the message
            return self._refused_outcome(accepted, error.smtp_code, _as_bytes(error.smtp_error), fates)
        except (OSError, smtplib.SMTPException) as error:
            self.close()
            lost = {address: _LATER for address in to if fates.get(address, ("sent", ""))[0] == "sent"}
            return Outcome(
                fates={**fates, **lost},
                error="unknown" if after_text else "unreachable",
                detail=_as_one_line(str(error) or type(error).__name__),
                is_uncertain=after_text,
                bad=_addresses_at_fault(fates),
            )
        # The first digit decides (RFC 5321): after any 2yz the server has the message.
        return _of_recipients(fates) if 200 <= code < 300 else self._refused_outcome(accepted, code, said, fates)

    def close(self) -> None:
        with suppress(OSError, smtplib.SMTPException):
            self._smtp.quit()
        self._smtp.close()

    def _refused_outcome(
        self, to: Sequence[str], code: int, said: bytes, fates: Mapping[str, tuple[Fate, str]] | None = None
    ) -> Outcome:
        """Return the outcome if the server refused the message itself, not an address."""
        self._reset_session()
        fate, text = _fate_of(code, said)
        fate = "later" if fate == "sent" else fate  # neither a success nor a refusal
        error = "refused" if fate == "failed" else "deferred"
        known = fates or {}
        return Outcome(
            fates={**known, **dict.fromkeys(to, (fate, text))}, error=error, detail=text, bad=_addresses_at_fault(known)
        )

    def _reset_session(self) -> None:
        try:
            self._smtp.rset()
        except (OSError, smtplib.SMTPException):
            self.close()

    @contextmanager
    def _limit_time(self) -> Iterator[None]:
        """Break the connection if a message takes too long, for instance from a server that answers byte by byte."""
        timer = threading.Timer(self._seconds, self._break_connection)
        timer.daemon = True
        timer.start()
        try:
            yield
        finally:
            timer.cancel()

    def _break_connection(self) -> None:
        with suppress(OSError, AttributeError):
            self._smtp.sock.shutdown(socket.SHUT_RDWR)  # type: ignore[union-attr]

    @property
    def is_open(self) -> bool:
        return self._smtp.sock is not None


def _check_answer(answer: tuple[int, bytes]) -> tuple[int, bytes]:
    """Return a complete answer. One that is cut off, or not of this protocol, counts as a lost connection."""
    if answer[0] < 0:
        raise smtplib.SMTPServerDisconnected("the server's answer was cut off")
    return answer


def _connect_relay(url: str, seconds: float) -> smtplib.SMTP:
    parts = urlsplit(url)
    host, port = parts.hostname or "", parts.port or _PORTS[parts.scheme]
    tls = ssl.create_default_context()
    smtp: smtplib.SMTP | None = None
    try:
        if parts.scheme == "smtps":
            smtp = smtplib.SMTP_SSL(host, port, timeout=seconds, context=tls)
        else:
            smtp = smtplib.SMTP(host, port, timeout=seconds)
        if parts.scheme == "smtp+starttls":
            smtp.starttls(context=tls)
        smtp.ehlo_or_helo_if_needed()
        if parts.username:
            smtp.login(unquote(parts.username), unquote(parts.password or ""))
    except (OSError, smtplib.SMTPException) as error:
        if smtp:
            smtp.close()
        raise Unreachable(_as_one_line(f"{host}:{port}: {_cause_of(error)}")) from None
    return smtp


def _cause_of(error: Exception) -> str:
    """Return the reason that a connection failed, without the server's words at sign-in, which may quote a password."""
    if isinstance(error, smtplib.SMTPAuthenticationError):
        return "it does not accept the user and password of mail.url"
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return "it offers no STARTTLS, or no way to sign in"
    # Some of smtplib's own errors are OSErrors.
    return type(error).__name__ if isinstance(error, smtplib.SMTPException) else str(error)


def _of_recipients(fates: Mapping[str, tuple[Fate, str]]) -> Outcome:
    """Return the outcome of a message that the server took for the recipients it accepted."""
    for fate, error in (("later", "deferred"), ("failed", "address_refused")):
        if said := next((text for each, text in fates.values() if each == fate), None):
            return Outcome(fates=fates, error=error, detail=said, bad=_addresses_at_fault(fates))
    return Outcome(fates=fates, error=None, detail=None)


def _addresses_at_fault(fates: Mapping[str, tuple[Fate, str]]) -> frozenset[str]:
    """Return the addresses that are at fault, not those refused by policy (RFC 3463, 5.7), such as for the sender."""
    return frozenset(a for a, (fate, said) in fates.items() if fate == "failed" and not _POLICY.match(said))


def _fate_of(code: int, said: bytes) -> tuple[Fate, str]:
    text = _as_one_line(f"{code} {said.decode('utf-8', 'replace')}")
    if code in (250, 251):
        return "sent", text
    return ("failed", text) if 500 <= code < 600 else ("later", text)


def _as_one_line(text: str) -> str:
    """Return the server's words as one line of printable characters."""
    return "".join(c if c.isprintable() else " " for c in text)[:MOST_SAID].strip()


def _as_bytes(said: bytes | str) -> bytes:
    return said if isinstance(said, bytes) else said.encode("utf-8", "replace")
