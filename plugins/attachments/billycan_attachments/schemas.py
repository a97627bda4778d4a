"""Structs that clients send and receive: an attachment, and the parameters of the list and of an upload."""

from typing import Annotated

from msgspec import Struct

from billycan import Member, Paging
from billycan.fields import DayOrInstant, Id, Moment, Text

from .rules import ContentType, check_name

Filename = Annotated[
    str, Text("A file's name, without a folder.", least=1, most=200, check=check_name, examples=["receipt.pdf"])
]


class Attachment(Struct, kw_only=True):
    """A file that is attached to a record.

    id: Its id.
    resource: The id of the record that it is attached to.
    filename: Its name, with an extension of its type; in events null, because not all who hear may read the record.
    content_type: What it is, told by its bytes.
    size: How many bytes it has.
    sha256: The SHA-256 of its bytes, in hexadecimal.
    created_at: When it was uploaded.
    """

    id: str
    resource: str
    filename: str | None
    content_type: ContentType
    size: Annotated[int, Member(unit="bytes")]
    sha256: str
    created_at: Moment


class AttachmentQuery(Paging, kw_only=True):
    """The parameters of the list.

    resource: The attachments of these records.
    content_type: Those of these types.
    """

    sortable = ("created_at", "size")

    resource: list[str] | None = None
    content_type: list[ContentType] | None = None
    created_at_from: DayOrInstant | None = None
    created_at_to: DayOrInstant | None = None


class Upload(Struct, forbid_unknown_fields=True, kw_only=True):
    """The parameters of an upload.

    resource: The id of the record to attach the file to; that of the business itself for its logo.
    filename: The file's name, without a folder. If it has no ending of its type, such as `.pdf`, one is added.
    """

    resource: Id
    filename: Filename
