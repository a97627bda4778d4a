"""What other plugins may use of users: pages for people who are signed in, and who they are."""

from .drawing import day, field, moment, money, words
from .people import Business, invite, live_of, members, names
from .reading import checked
from .rules import Role
from .screens import Answer, Screen, address, mounted, to_sign_in
from .visits import Led, Sent, Shown, Visit

__all__ = [
    "Answer",
    "Business",
    "Led",
    "Role",
    "Screen",
    "Sent",
    "Shown",
    "Visit",
    "address",
    "checked",
    "day",
    "field",
    "invite",
    "live_of",
    "members",
    "moment",
    "money",
    "mounted",
    "names",
    "to_sign_in",
    "words",
]
