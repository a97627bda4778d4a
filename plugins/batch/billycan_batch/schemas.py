"""Structs that clients send and receive: operations and their results."""

from typing import Annotated, Any, Literal

from msgspec import Meta, Struct

from billycan.fields import Text, Whole

MOST_OPERATIONS = 100

Path = Annotated[
    str,
    Text(
        "A path under /v1 without a query; `$order.id` in it is the id of an earlier operation's record.",
        least=1,
        most=500,
        pattern=r"^/v1(/([A-Za-z0-9_~-][A-Za-z0-9_.~-]*|\$[A-Za-z0-9_]+(\.[a-z0-9_]+)+))+$",
    ),
]
Ref = Annotated[str, Text("A name for the record.", least=1, most=40, pattern="^[A-Za-z][A-Za-z0-9_]*$")]
Version = Annotated[int, Whole("A version of a record.", least=1, most=2**31 - 1)]


class BatchOperation(Struct, forbid_unknown_fields=True, kw_only=True):
    """A request within a batch.

    method: Its method.
    path: Its path, such as `/v1/invoices`.
    body: Its body. A text such as `$order.id` is replaced by that member of the record with the `ref` `order`.
    if_match: The version that the record must have.
    ref: A name by which later operations refer to the record of this one.
    """

    method: Literal["POST", "PATCH", "DELETE"]
    path: Path
    body: dict[str, Any] | None = None
    if_match: Version | None = None
    ref: Ref | None = None


class Batch(Struct, forbid_unknown_fields=True, kw_only=True):
    """Requests to carry out, one after the other.

    atomic: Whether all of them are carried out or none; otherwise each is, whatever becomes of the others.
    operations: The requests, in their order.
    """

    atomic: bool = False
    operations: Annotated[list[BatchOperation], Meta(min_length=1, max_length=MOST_OPERATIONS)]


class BatchResult(Struct):
    """The response to an operation.

    status: Its HTTP status.
    body: Its body, as the request would be answered by itself.
    """

    status: int
    body: dict[str, Any]


class BatchResults(Struct):
    """The responses to the operations of a batch, in their order.

    results: One for each operation.
    """

    results: list[BatchResult]
