"""Remote addresses as limits count them: each by itself, or by its network where there are too many of them."""

import socket
from contextlib import suppress
from functools import lru_cache

_MAPPED = bytes(10) + b"\xff\xff"  # the prefix of an IPv4 address on a dual-stack socket


def by_address(use: str, address: str) -> str:
    """Return the name under which requests of a remote address are counted for one use, such as `api` or `hosted`.

    Each use has its own allowance, so that no use can exhaust another's. An IPv6 address counts as its /64, the
    smallest block that a site is given (RFC 6177): a client that has one address there has all of them.
    """
    if not use.isidentifier():
        raise ValueError("a use is one word")
    return f"address:{use} {network(address)}"


def network(address: str) -> str:
    """Return the address under which a remote address is counted: itself, or the /64 of an IPv6 address."""
    return _counted_as(address)[0]


@lru_cache(4096)
def _counted_as(address: str) -> tuple[str, str]:
    """Return the name under which an address is counted, and its network; the text twice if it is no IP address."""
    bare = address.removesuffix("/64").partition("%")[0]
    # Some proxies add the port, and a client has many ports.
    if bare.startswith("["):
        bare = bare[1:].partition("]")[0]
    elif bare.count(":") == 1:
        bare = bare.partition(":")[0]
    packed = _pack_address(bare)
    if len(packed) == 4:
        return socket.inet_ntoa(packed), f"{packed[:3].hex()}/24"
    if packed:
        return socket.inet_ntop(socket.AF_INET6, packed[:8] + bytes(8)) + "/64", f"{packed[:6].hex()}/48"
    return address, address


def _pack_address(address: str) -> bytes:
    # Several times quicker than ipaddress, which matters in a flood.
    for family in (socket.AF_INET, socket.AF_INET6):
        with suppress(OSError, ValueError):
            return socket.inet_pton(family, address).removeprefix(_MAPPED)
    return b""


def crowd_of(key: str) -> tuple[str, str]:
    """Return the use and the network of a name that `by_address` made."""
    use, _, counted = key.removeprefix("address:").rpartition(" ")
    return use or "other", _counted_as(counted)[1]
