"""Redirect URIs: checks at registration, comparison with the registered ones, and added parameters. Pure functions."""

import re
from collections.abc import Iterable
from urllib.parse import SplitResult, urlencode, urlsplit

MOST = 2000  # characters
_PRINTABLE = re.compile(r"[\x21-\x7e]+")
_LOOPBACK = re.compile(r"(http://(?:127\.0\.0\.1|\[::1\]|localhost))(?::\d{1,5})?((?:[/?].*)?)")
# A scheme of a native app's own is a domain name in reverse (RFC 8252 section 7.1), so it is never `javascript`.
_PRIVATE = re.compile(r"[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+:/.*")


def uri_fault(uri: str) -> str | None:
    """Return the reason that a URI cannot be registered, or None."""
    if len(uri) > MOST:
        return f"must have at most {MOST:,} characters"
    if not _PRINTABLE.fullmatch(uri) or set(uri) & set('\\"<>^`{|}*'):
        return "must be a URI, without spaces and wildcards"
    if "#" in uri:
        return "must not have a fragment"
    if _PRIVATE.fullmatch(uri) or _LOOPBACK.fullmatch(uri):
        return None
    try:
        parts = urlsplit(uri)
        is_web = uri.startswith("https://") and bool(parts.hostname) and (parts.port or 1) > 0
    except ValueError:
        is_web = False
    if not is_web or "@" in parts.netloc:
        return "must begin with https://, http://127.0.0.1, http://[::1] or a scheme such as com.example.app:/"
    return None


def own_resource(uri: str, public_url: str) -> str | None:
    """Return the resource that a token is for (RFC 8707) in its plain form: `public_url` or below it, else None."""
    try:
        ours, parts = urlsplit(public_url), urlsplit(uri)
        same = _origin_of(ours) == _origin_of(parts)
    except ValueError:
        return None
    path = parts.path.rstrip("/")
    is_below = f"{path}/".startswith(f"{ours.path.rstrip('/')}/")
    if len(uri) > MOST or not _PRINTABLE.fullmatch(uri) or set("?#@%") & {*uri} or not same or not is_below:
        return None
    return f"{ours.scheme}://{ours.netloc}{path}" if {".", ".."}.isdisjoint(path.split("/")) else None


def _origin_of(parts: SplitResult) -> tuple[str, str | None, int | None]:
    return parts.scheme, parts.hostname, parts.port or {"https": 443, "http": 80}.get(parts.scheme)


def is_registered(uri: str, registered: Iterable[str]) -> bool:
    """Tell whether a URI is registered, character by character; on a loopback address any port matches (RFC 8252)."""
    return any(uri == each or _is_same_loopback(uri, each) for each in registered)


def _is_same_loopback(uri: str, registered: str) -> bool:
    one, other = (_LOOPBACK.fullmatch(each) if not uri_fault(each) else None for each in (uri, registered))
    return one is not None and other is not None and one.groups() == other.groups()


def with_parameters(uri: str, **parameters: str) -> str:
    """Return a redirect URI with the answer added to its query."""
    return f"{uri}{'&' if '?' in uri else '?'}{urlencode(parameters)}"


def uri_place(uri: str) -> str:
    """Return the place that a URI leads to, for people: a host, or `this device`."""
    if _LOOPBACK.fullmatch(uri) or not uri.startswith("https:"):
        return "this device"
    return urlsplit(uri).netloc


def uri_scheme(uri: str) -> str:
    """Return the scheme of a URI, with the colon."""
    return f"{uri.partition(':')[0]}:"
