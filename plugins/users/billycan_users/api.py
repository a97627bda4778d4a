"""Users' functions for other plugins: pages for people who are signed in, their names and roles, and emails to them."""

from .emails import can_send, send
from .field_values import read_field
from .page_digest import ChangedMeanwhile, check_digest, digest_of
from .page_request import Led, Sent, Shown, Visit
from .page_routes import Answer, Screen, mounted, page_address, to_sign_in
from .people import Business, invite_person, list_members, live_of, names_of_people, settle
from .rules import Role
from .templates import day, field, moment, money, navigation, words

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
    "can_send",
    "check_digest",
    "day",
    "digest_of",
    "field",
    "invite_person",
    "list_members",
    "live_of",
    "moment",
    "money",
    "mounted",
    "names_of_people",
    "navigation",
    "page_address",
    "read_field",
    "send",
    "settle",
    "to_sign_in",
    "words",
]
