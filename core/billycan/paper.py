"""A document for readers: the same plain data for its page, its PDF and the email that brings it; its pictures."""

import zlib
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from typing import Any, Literal

from msgspec import Struct

__all__ = ["Paper"]

Tone = Literal["good", "warn", "bad"]
Pairs = tuple[tuple[str, str], ...]


class Paper(Struct, frozen=True, kw_only=True):
    """Everything that a document says, in the order of the page; all texts are plain and may hold any character.

    noun: What it is called within a sentence, such as `invoice`.
    title, number: Its title and number; "" for a document without a number.
    filename: What its file is called, without what follows the dot.
    dated: Its date of issue, in the business's time zone.
    is_draft: Whether it was neither sent nor issued yet.
    is_sandbox: Whether a sandbox made it: then it says `SANDBOX, not a tax invoice`, whatever shows it.
    mark: What is to be seen at first glance on each page of it, such as `DRAFT`, `VOID` or `PAID`.
    mark_tone: `good`, `warn` or `bad`; with `good` the mark does not make the document less than it is.
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

    class Party(Struct, frozen=True, kw_only=True):
        """The sender or recipient of a document, as printed; a part that is not known is empty.

        name, legal_name: What it is called, and what the law calls it.
        abn: Its ABN, in groups: `47 555 222 000`.
        address: The lines of its address.
        phone, email: How to reach it.
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
        logo: `logo(ctx)` reads the bytes of its PNG, JPEG or WebP file; None without one. A Paper without it is plain
          data, which msgspec encodes and decodes.
        """

        accent: str = "#0b6b5d"
        footer: str = ""
        logo: Callable[[Any], bytes] | None = None

    class Facts(Struct, frozen=True):
        """Further facts of documents, which a plugin such as `custom_fields` offers.

        of: `of(ctx, id)` returns those of the record with this id.
        """

        of: Callable[[Any, str], Pairs]

    class Column(Struct, frozen=True, kw_only=True):
        """A column of the table.

        title, note: Its heading, and what stands below that in small print.
        label: What a value of it is called where it stands alone, as on a phone.
        kind: What it holds: `words` may be long and take the room there is.
        """

        title: str
        note: str = ""
        label: str = ""
        kind: Literal["words", "short", "number"] = "number"

    class Line(Struct, frozen=True):
        """A row of the table.

        cells: A text for each column.
        notes: What stands in small print below its words.
        """

        cells: tuple[str, ...]
        notes: tuple[str, ...] = ()

    class Sum(Struct, frozen=True):
        """A line of the totals.

        label, amount: What it is, and how much.
        weight: `strong` for those that matter, `due` for what is to be paid now.
        """

        label: str
        amount: str
        weight: Literal["plain", "strong", "due"] = "plain"

    class Notice(Struct, frozen=True):
        """A few words that stand out.

        tone: `good`, `warn` or `bad`.
        text: The words.
        """

        tone: Tone
        text: str

    class Key(Struct, frozen=True):
        """The most important fact: `Amount due`, `$1,210.00`, `Due 5 December 2026`.

        label, value, note: Those three.
        """

        label: str
        value: str
        note: str = ""

    class Picture(Struct, frozen=True):
        """A file with a logo.

        content: Its bytes.
        """

        content: bytes

        @property
        def size(self) -> tuple[int, int] | None:
            """The width and height that a PNG, JPEG or WebP file claims, in pixels; None if it cannot be told."""
            if self.content.startswith(b"\x89PNG"):
                size = _measure_png(self.content)
            elif self.content.startswith(b"\xff\xd8"):
                size = _measure_jpeg(self.content)
            else:
                size = _measure_webp(self.content)
            return size if all(size) else None

        @property
        def is_turned(self) -> bool:
            """True for a JPEG that is to be shown turned or mirrored (EXIF), which not every viewer does."""
            if not self.content.startswith(b"\xff\xd8"):
                return False
            found = (
                self.content[at + 4 : at + 2 + _read_number(self.content[at + 2 : at + 4])]
                for kind, at in _jpeg_segments(self.content)
                if kind == 0xE1
            )
            return any(_is_turned(part[6:]) for part in found if part.startswith(b"Exif\0\0"))

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
    lines: tuple[Line, ...] = ()
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


_ORIENTATION = 0x0112  # the tag of EXIF
_MOST_PROFILE_BYTES = 4 * 1024 * 1024  # of a colour profile, which is packed in a PNG


def _read_number(part: bytes, order: Literal["big", "little"] = "big") -> int:
    return int.from_bytes(part, order)


def _measure_png(content: bytes) -> tuple[int, int]:
    """Return the size; nothing if its colour profiles would fill the memory or keep the processor busy."""
    at, left = 8, _MOST_PROFILE_BYTES
    while (kind := content[at + 4 : at + 8]) not in (b"IDAT", b""):
        length = _read_number(content[at : at + 4])
        if kind == b"iCCP":
            packed = content[at + 8 : at + 8 + length].partition(b"\0")[2][1:]
            try:
                left -= len(zlib.decompressobj().decompress(packed, left + 1))
            except zlib.error:
                return 0, 0
            if left < 0:
                return 0, 0
        at += 12 + length
    return _read_number(content[16:20]), _read_number(content[20:24])


def _measure_jpeg(content: bytes) -> tuple[int, int]:
    """Return the size of the largest frame before the data of the first scan."""
    size = (0, 0)
    for kind, at in _jpeg_segments(content):
        if 0xC0 <= kind <= 0xCF and kind not in (0xC4, 0xC8, 0xCC):
            height, width = _read_number(content[at + 5 : at + 7]), _read_number(content[at + 7 : at + 9])
            size = max(size, (width, height), key=lambda each: each[0] * each[1])
    return size


def _jpeg_segments(content: bytes) -> Iterator[tuple[int, int]]:
    """Yield the kind and the position of each part of a JPEG before the data of its first scan."""
    at = 2
    while at + 1 < len(content) and content[at] == 0xFF and (kind := content[at + 1]) != 0xDA:
        if kind == 0xFF:  # a byte that fills
            at += 1
            continue
        yield kind, at
        at += 2 + _read_number(content[at + 2 : at + 4])


def _is_turned(tiff: bytes) -> bool:
    """Tell whether the tags of an EXIF part have an orientation other than upright."""
    order: Literal["big", "little"] = "little" if tiff.startswith(b"II") else "big"
    at = _read_number(tiff[4:8], order)
    end = min(at + 2 + 12 * _read_number(tiff[at : at + 2], order), len(tiff))
    tags = (tiff[start : start + 12] for start in range(at + 2, end, 12))
    return any(_read_number(tag[:2], order) == _ORIENTATION and 1 < _read_number(tag[8:10], order) <= 8 for tag in tags)


def _measure_webp(content: bytes) -> tuple[int, int]:
    kind = content[12:16]
    if kind == b"VP8X":
        return 1 + _read_number(content[24:27], "little"), 1 + _read_number(content[27:30], "little")
    if kind == b"VP8L":
        bits = _read_number(content[21:25], "little")
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if kind == b"VP8 ":
        return _read_number(content[26:28], "little") & 0x3FFF, _read_number(content[28:30], "little") & 0x3FFF
    return 0, 0
