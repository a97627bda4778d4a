"""Structs that clients send and receive: the branding."""

from typing import Annotated

from msgspec import Struct

from billycan.fields import Id, Moment, Text

from .colours import parse_colour

Colour = Annotated[
    str,
    Text(
        "A colour such as `#0b6b5d`, with a contrast to white of 4.5 or more.",
        least=7,
        most=7,
        pattern=r"^\s*#[0-9A-Fa-f]{6}\s*$",
        check=parse_colour,
    ),
]
Footer = Annotated[str, Text("A few words at the foot of each page.", least=1, most=200)]


class NewBranding(Struct, forbid_unknown_fields=True, kw_only=True):
    """The look of the business's documents, on their pages and as PDF files.

    logo_attachment_id: A PNG, JPEG or WebP file of at most 1 MiB and 16 megapixels that is attached to any record;
      a JPEG must be stored upright, without an EXIF orientation that turns it.
    accent_colour: The colour of rules and amounts; it must be readable on white. Default: the deployment's.
    footer: A few words at the foot of each page. Default: the deployment's.
    """

    logo_attachment_id: Id | None = None
    accent_colour: Colour | None = None
    footer: Footer | None = None


class Branding(Struct, kw_only=True):
    """The look of the business's documents; null where the deployment's default applies.

    logo_attachment_id: The attachment that is its logo.
    accent_colour: The colour of rules and amounts.
    footer: A few words at the foot of each page.
    version: Goes up by one with each change; the `ETag`, for If-Match.
    updated_at: When it was last changed.
    """

    logo_attachment_id: str | None
    accent_colour: str | None
    footer: str | None
    version: int
    updated_at: Moment | None
