"""Roles, second factors and the wait after wrong passwords: pure functions."""

import base64
import hmac
import secrets
import struct
from collections.abc import Mapping
from datetime import timedelta
from typing import TYPE_CHECKING, Literal, get_args

from billycan import Identity

if TYPE_CHECKING:
    from billycan import App

Role = Literal["owner", "office", "bookkeeper", "field", "developer", "viewer"]
ROLES: tuple[Role, ...] = get_args(Role)
WORDS = {
    "owner": "Everything, people and bank details included",
    "office": "All records and the settings of the business, but not keys, apps or people",
    "bookkeeper": "Invoices, expenses, contacts and reports",
    "field": "Assigned jobs and bookings, and the clients of these",
    "developer": "Records, keys, webhooks and requests",
    "viewer": "Records and the overview, without changing them",
}
# The roles that open a page that needs a role.
_OPENS: Mapping[Role, tuple[Role, ...]] = {
    "owner": ("owner",),
    "developer": ("owner", "developer"),
    "office": ("owner", "office", "developer"),
    "bookkeeper": ("owner", "office", "bookkeeper", "developer"),
    "viewer": ("owner", "office", "bookkeeper", "developer", "viewer"),
    "field": ROLES,
}
_ONLY_OWNERS = {"tenant:write", "users:write"}
_NOT_OFFICE = {"webhooks:read", "webhooks:write", "agents:write", "users:read", "users:write"}
_NOT_VIEWERS = {"webhooks:read", "users:read"}
# What a bookkeeper writes. They also read the business profile and its branding.
_MONEY = ("invoices", "expenses", "reports", "contacts", "items", "recurring", "reminders", "mail", "imports")

IDLE, LONGEST = timedelta(hours=12), timedelta(days=30)
FRESH = timedelta(minutes=15)  # how long a given password is not asked for again
_TRIES, _TRIES_OF_AN_ADDRESS, _LONGEST_WAIT = 4, 20, timedelta(minutes=15)  # an address may be shared by an office
_LETTERS_AT_ONCE, _LETTER_WAIT, _LONGEST_LETTER_WAIT = 3, timedelta(minutes=15), timedelta(hours=2)
_STEP_SECONDS = 30
_LETTERS = "abcdefghjkmnpqrstuvwxyz23456789"  # none that looks like another


def role_allows(role: str | None, needed: Role) -> bool:
    """Tell whether a role may do what needs the role `needed`."""
    return role in _OPENS[needed]


def scopes_of_role(role: str, app: "App") -> tuple[str, ...]:
    """Return the scopes that a key of this role would have, out of those of the deployment's routes."""
    known = known_scopes(app)
    if role == "owner":
        return "read", "write"
    if role == "office":
        return tuple(sorted(known - _NOT_OFFICE))
    if role == "developer":
        return "read", *sorted(scope for scope in known if scope.endswith(":write") and scope not in _ONLY_OWNERS)
    if role == "bookkeeper":
        wanted = {f"{plugin}:{does}" for plugin in _MONEY for does in ("read", "write")}
        return tuple(sorted(known & {*wanted, "tenant:read", "hosted:read"}))
    if role == "field":
        owns = [(each, app.scope_of(f"{prefix}_0")) for prefix, found in app.owned.items() for each in found]
        reads = {scope for _, scope in owns}
        writes = {f"{scope.removesuffix(':read')}:write" for each, scope in owns if each.writes}
        return *sorted(known & (reads | writes)), Identity.OWN
    return tuple(sorted(scope for scope in known if scope.endswith(":read") and scope not in _NOT_VIEWERS))


def known_scopes(app: "App") -> set[str]:
    """Return the scopes of this deployment's routes."""
    return {endpoint.route.scope for endpoint in app.endpoints if endpoint.route.scope}


def password_wait(failures: int, *, of_address: bool = False) -> timedelta:
    """Return how long an account or a network address waits after so many wrong passwords in a row."""
    beyond = failures - (_TRIES_OF_AN_ADDRESS if of_address else _TRIES)
    return min(timedelta(seconds=2 ** min(beyond, 20)), _LONGEST_WAIT) if beyond >= 0 else timedelta()


def letter_wait(letters: int) -> timedelta:
    """Return how long an email address waits for its next email after so many. Anybody may ask; it gets 18 a day."""
    beyond = letters - _LETTERS_AT_ONCE
    return min(_LETTER_WAIT * 2 ** min(beyond, 20), _LONGEST_LETTER_WAIT) if beyond >= 0 else timedelta()


def new_totp_secret() -> str:
    """Make a secret for an authenticator app: 160 bits, in base 32."""
    return base64.b32encode(secrets.token_bytes(20)).decode()


def totp_code(secret: str, step: int) -> str:
    """Return the six digits of a step (RFC 6238)."""
    mac = hmac.digest(base64.b32decode(secret), struct.pack(">Q", step), "sha1")
    offset = mac[-1] & 15
    return f"{(int.from_bytes(mac[offset : offset + 4]) & 0x7FFFFFFF) % 10**6:06}"


def totp_step(secret: str, code: str, seconds: float, last: int) -> int | None:
    """Return the step that has this code: the present one or a neighbour, if later than the last one used."""
    now = int(seconds // _STEP_SECONDS)
    steps = (step for step in (now - 1, now, now + 1) if step > last)
    return next((step for step in steps if hmac.compare_digest(totp_code(secret, step).encode(), code.encode())), None)


def new_recovery_code() -> str:
    """Make a recovery code: ten letters and digits in two groups, with 49 random bits."""
    letters = [secrets.choice(_LETTERS) for _ in range(10)]
    return f"{''.join(letters[:5])}-{''.join(letters[5:])}"
