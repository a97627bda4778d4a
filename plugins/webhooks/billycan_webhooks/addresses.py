"""The rules for delivery addresses: which URLs are accepted, and which IP addresses the sender connects to."""

import ipaddress
import re
from collections.abc import Mapping
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network
from urllib.parse import SplitResult, quote, urlsplit

from msgspec import Struct

Address = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

MOST_URL = 2048
_HOST = re.compile(r"([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?\.)*[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+")
_INTERNAL = ("localhost", "internal", "local", "localdomain", "lan", "home.arpa", "intranet", "corp", "onion")

# `ipaddress.is_global` says True for NAT64, 6to4, multicast and more, and other things on other Pythons: hence our own
# lists, after the special-purpose registries of IANA (RFC 6890).
_PRIVATE: tuple[Network, ...] = (
    *map(IPv4Network, ("10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16")),
    *map(IPv6Network, ("::1/128", "fc00::/7")),
)
_NEVER_V4 = tuple(
    map(
        IPv4Network,
        (
            "0.0.0.0/8", "100.100.100.200/32", "168.63.129.16/32", "169.254.0.0/16", "192.0.0.0/24", "192.0.2.0/24",
            "192.31.196.0/24", "192.52.193.0/24", "192.88.99.0/24", "192.175.48.0/24", "198.18.0.0/15",
            "198.51.100.0/24", "203.0.113.0/24", "224.0.0.0/4", "240.0.0.0/4",
        ),
    )
)  # fmt: skip
_PUBLIC_V6 = IPv6Network("2000::/3")
_NEVER_V6 = tuple(
    map(
        IPv6Network,
        ("2001::/23", "2001:db8::/32", "2002::/16", "2620:4f:8000::/48", "3fff::/20", "fd00:ec2::/32", "fd20:ce::/32"),
    )
)  # the last two: the metadata services of AWS and Google
_NEVER: tuple[Network, ...] = (*_NEVER_V4, *_NEVER_V6)


class NotAllowed(Exception):
    """A URL or IP address that nothing may be delivered to. The message tells the endpoint's owner why."""


class Target(Struct, frozen=True):
    """A parsed URL. The address that was checked is the address that is connected to."""

    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """The Host header, without the scheme's default port."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == _PORTS[self.scheme] else f"{host}:{self.port}"


_PORTS = {"https": 443, "http": 80}


def request_headers(target: Target, headers: Mapping[str, str], length: int) -> dict[str, str]:
    """Return all headers of a request to `target`, in order; `length` is the size of its body in bytes."""
    return {"host": target.authority, "content-length": str(length), "accept-encoding": "identity", **headers}


def check_address(address: Address, private: bool) -> None:
    """Raise NotAllowed unless the address is on the public internet, or is private and `private` is true."""
    if any(address in network for network in _NEVER):
        raise NotAllowed("is a reserved address")
    if any(address in network for network in _PRIVATE):
        if not private:
            raise NotAllowed("is a private or loopback address")
    elif address.version == 6 and address not in _PUBLIC_V6:
        raise NotAllowed("is a reserved address")


@lru_cache(4096)
def parse_url(url: str, private: bool) -> Target:
    """Parse a URL. Raise NotAllowed if it can never be delivered to. Host names are looked up only at connection."""
    if len(url) > MOST_URL or re.search(r"[\x00-\x20\x7f\\]", url):
        raise NotAllowed("must be at most 2,048 characters, without spaces and backslashes")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise NotAllowed("is not a web address") from None
    if parts.scheme not in (("https", "http") if private else ("https",)):
        raise NotAllowed("must start with https://")
    if parts.fragment or "@" in parts.netloc or "#" in url:
        raise NotAllowed("must not contain a user, a password or a fragment")
    port = _PORTS[parts.scheme] if port is None else port
    if not private and port < 1024 and port not in _PORTS.values():
        raise NotAllowed("must use port 443, 80 or one from 1024 on")
    if port == 0:
        raise NotAllowed("must not use port 0")
    host = _host_to_look_up(parts, private)
    path = quote(parts.path or "/", safe="/:@!$&'()*+,;=%-._~") + (f"?{_bare_query(parts)}" if parts.query else "")
    return Target(parts.scheme, host, port, path)


def _bare_query(parts: SplitResult) -> str:
    return quote(parts.query, safe="/?:@!$&'()*+,;=%-._~[]")


def _host_to_look_up(parts: SplitResult, private: bool) -> str:
    """Return the host to look up: an IP address in its plain form, or a name that is not internal."""
    host = (parts.hostname or "").lower()
    if "[" in parts.netloc:
        try:
            six = IPv6Address(host)
        except ValueError:
            raise NotAllowed("has an address that cannot be read") from None
        if six.scope_id is not None:
            raise NotAllowed("must not name a network interface")
        check_address(six, private)
        return str(six)
    try:
        # Wide digits and ideographic dots become plain ones here, before anything is checked.
        host = host.encode("idna").decode().lower().removesuffix(".")
    except UnicodeError:
        raise NotAllowed("has a host name that cannot be read") from None
    if _NUMBER.fullmatch(host.rpartition(".")[2]):
        # 0x7f.1, 017700000001 and 2130706433 are all loopback to the C library.
        try:
            four = IPv4Address(host)
        except ValueError:
            raise NotAllowed("must write an address as four plain numbers") from None
        check_address(four, private)
        return host
    if len(host) > 253 or not _HOST.fullmatch(host):
        raise NotAllowed("has a host name that cannot be read")
    if not private and (any(f".{host}".endswith(f".{name}") for name in _INTERNAL) or "." not in host):
        raise NotAllowed("names an internal host")
    return host


def ip_address_of(host: str) -> Address | None:
    """Return the IP address that a host is, or None if it is a name."""
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
