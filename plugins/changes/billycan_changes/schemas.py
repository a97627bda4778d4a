"""Structs that clients send and receive: changes, and where to continue."""

from typing import Annotated, Any

from msgspec import Meta, Struct

MOST = 100  # records in an answer


class ChangesQuery(Struct, forbid_unknown_fields=True, kw_only=True):
    """The resources to follow, and where to continue.

    resources: The resources to follow, such as `contacts,invoices`; by default, all that the key may read.
    after: The `cursor` of an earlier answer or of one of its changes.
    include: Which of the members that their lists can include the records have, such as `line_items`; by default, all.
    per_page: The most records in an answer; default 100.
    """

    resources: list[str] | None = None
    after: str | None = None
    include: list[str] | None = None
    per_page: Annotated[int, Meta(ge=1, le=MOST)] = MOST


class ChangedRecord(Struct):
    """A record that changed.

    resource: What it is: the last part of the path of its list, such as `invoices`.
    id: Its id.
    deleted: Whether there is no such record any more, or the key cannot see it.
    record: The record as it is now, as its list shows it with what `include` adds; null if it is deleted.
    cursor: The place of the change: an `after` that continues behind it.
    """

    resource: str
    id: str
    deleted: bool
    record: Annotated[dict[str, Any], Meta(extra_json_schema={"x-record-of": "resource"})] | None
    cursor: str


class Changes(Struct):
    """Records that changed, in the order of their last change.

    changes: The records, each once.
    cursor: Where to continue: the next `after`.
    has_more: Whether there may be more changes already.
    """

    changes: list[ChangedRecord]
    cursor: str
    has_more: bool
