"""What other plugins may use of users: pages for people who are signed in, who these are, and letters to people."""

from .drawing import day, field, moment, money, words
from .letters import can_send, send
from .people import Business, invite, live_of, members, names
from .reading import checked
from .rules import Role
from .screens import Answer, Screen, address, mounted, to_sign_in
from .seen import ChangedMeanwhile, check_digest, digest_of
from .visits import Led, Sent, Shown, Visit

__all__ = [
    "Answer",
    "Business",
    "ChangedMeanwhile",
    "Led",
    "Role",
    "Screen",
    "Sent",
    "Shown",
    "Visit",
    "address",
    "can_send",
    "check_digest",
    "checked",
    "day",
    "digest_of",
    "field",
    "invite",
    "live_of",
    "members",
    "moment",
    "money",
    "mounted",
    "names",
    "send",
    "to_sign_in",
    "words",
]
