"""Structs that clients send and receive: a text to search for, and the records found."""

from datetime import date
from typing import Annotated

from msgspec import Meta, Struct

from billycan.fields import Amount, Text

MOST_PER_TYPE = 20


class SearchQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """A text to search for.

    q: The text, without which a search is refused: a number, a name, an email address, a phone number, or a part of any
      of these.
    types: The resources to search, such as `contacts,invoices`; by default, all that the key may read.
    per_type: The most records of each resource; default 5.
    """

    # Not required, so that scopes are checked first.
    q: Annotated[str, Text("A text to search for.", least=1, most=200, examples=["bakery"])] | None = None
    types: list[str] | None = None
    per_type: Annotated[int, Meta(ge=1, le=MOST_PER_TYPE)] = 5


class FoundRecord(Struct):
    """A record that was found, as it is told apart from others.

    type: What it is: the last part of the path of its list, such as `invoices`.
    id: Its id.
    title: What it is called: its number, its title or its name.
    subtitle: What else tells it apart, such as its client; null if there is nothing.
    status: Its status; null if it has none.
    amount: What it comes to; null if it has no amount.
    date: Its date, in the business's time zone; null if it has none.
    """

    type: str
    id: str
    title: str
    subtitle: str | None
    status: str | None
    amount: Amount | None
    date: date | None
