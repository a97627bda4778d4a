"""A document for readers: the same plain data for its page, its PDF and the email that brings it."""

from collections.abc import Callable
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from msgspec import Struct

from .pictures import picture_size, picture_turned

__all__ = [
    "Brand",
    "Column",
    "Key",
    "Notice",
    "Paper",
    "PaperLine",
    "Party",
    "Sum",
    "Tone",
    "picture_size",
    "picture_turned",
]

Tone = Literal["good", "warn", "bad"]
Pairs = tuple[tuple[str, str], ...]


class Party(Struct, frozen=True, kw_only=True):
    """The sender or recipient of a document, as printed; a part that is not known is empty.

    `abn` is written in groups: `47 555 222 000`.
    """

    name: str
    legal_name: str = ""
    abn: str = ""
    address: tuple[str, ...] = ()
    phone: str = ""
    email: str = ""


class Brand(Struct, frozen=True, kw_only=True):
    """The look of a business's documents.

    accent: A colour that can be read on white, as `#rrggbb`.
    footer: A few words at the foot of each page.
    logo: `logo(ctx)` reads the bytes of its PNG, JPEG or WebP file; None without one. A Paper without it is plain data,
      which msgspec encodes and decodes.
    """

    accent: str = "#0b6b5d"
    footer: str = ""
    logo: Callable[[Any], bytes] | None = None


class Column(Struct, frozen=True, kw_only=True):
    """A column of the table: its heading, with a `note` in small print.

    `kind` says what it holds: `words` may be long and take the room there is. `label` is what a value of it is called
    where it stands alone, as on a phone.
    """

    title: str
    note: str = ""
    label: str = ""
    kind: Literal["words", "short", "number"] = "number"


class PaperLine(Struct, frozen=True):
    """A row of the table: a text for each column, and `notes` in small print below its words."""

    cells: tuple[str, ...]
    notes: tuple[str, ...] = ()


class Sum(Struct, frozen=True):
    """A line of the totals; the `weight` of those that matter is `strong`, and of what is to be paid now `due`."""

    label: str
    amount: str
    weight: Literal["plain", "strong", "due"] = "plain"


class Notice(Struct, frozen=True):
    """A few words that stand out."""

    tone: Tone
    text: str


class Key(Struct, frozen=True):
    """The most important fact: `Amount due`, `$1,210.00`, `Due 5 December 2026`."""

    label: str
    value: str
    note: str = ""


class Paper(Struct, frozen=True, kw_only=True):
    """Everything that a document says, in the order of the page; all texts are plain and may hold any character.

    noun: What it is called within a sentence, such as `invoice`.
    title, number: Its title and number; "" for a document without a number.
    filename: What its file is called, without what follows the dot.
    dated: Its date of issue, in the business's time zone.
    is_draft: Whether it was neither sent nor issued yet.
    is_sandbox: Whether a sandbox made it: then it says `SANDBOX, not a tax invoice`, whatever shows it.
    mark: What is to be seen at first glance on each page of it, such as `DRAFT`, `VOID` or `PAID`; with the
      `mark_tone` good it does not make the document less than it is.
    badge, notice: What is so today; for a page, which is made anew, and not for a file, which is kept.
    seller, buyer: Who it is from and for.
    facts: Dates, references and the like.
    contract: Those of the facts that an email says too: how a progress claim stands to the whole contract.
    key: What matters most.
    subject, summary: What it is about.
    caption: Whether its amounts include GST.
    columns, lines: Its table.
    sums: The totals, and what was taken off them.
    remarks: What must be said of the totals, such as that they include GST.
    pay: How to pay; empty where there is nothing to pay.
    words: Notes and terms, each with its heading.
    client_id, email: The client and their email address, if it is known.
    url: The page where the client reads it, if there is one.
    total, amount_due, due_date: For reckoning; None where they do not apply. Where nothing can be owed, as in a quote,
      the `due_date` is the last day on which it is valid.
    brand: How it looks.
    """

    noun: str
    title: str
    filename: str
    dated: date
    seller: Party
    buyer: Party
    number: str = ""
    is_draft: bool = False
    is_sandbox: bool = False
    mark: str = ""
    mark_tone: Tone = "bad"
    badge: Notice | None = None
    notice: Notice | None = None
    facts: Pairs = ()
    contract: Pairs = ()
    key: Key | None = None
    subject: str = ""
    summary: str = ""
    caption: str = ""
    columns: tuple[Column, ...] = ()
    lines: tuple[PaperLine, ...] = ()
    sums: tuple[Sum, ...] = ()
    remarks: tuple[str, ...] = ()
    pay: Pairs = ()
    words: Pairs = ()
    client_id: str | None = None
    email: str = ""
    url: str | None = None
    total: Decimal | None = None
    amount_due: Decimal | None = None
    due_date: date | None = None
    brand: Brand = Brand()
