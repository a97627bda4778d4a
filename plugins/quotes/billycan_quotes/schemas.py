"""Structs that clients send and receive, besides quotes."""

from typing import Annotated, Literal

from msgspec import Struct

from billycan import RuleBroken
from billycan.fields import Day, Email, Name, Text
from billycan_documents.api import NewClaim

Reason = Annotated[str, Text("Why something was done.", least=1, most=1000)]


class Resend(Struct, forbid_unknown_fields=True, kw_only=True):
    """Sending a quote; one that has expired or was declined needs a new expiry date.

    expiry_date: The last day on which it can be accepted; unchanged unless sent.
    """

    expiry_date: Day | None = None


class Acceptance(Struct, forbid_unknown_fields=True, kw_only=True):
    """The person who accepts.

    name: Who accepts it.
    email: Their email address.
    """

    name: Name
    email: Email | None = None


class Refusal(Struct, forbid_unknown_fields=True, kw_only=True):
    """The reason for declining.

    reason: Why.
    """

    reason: Reason | None = None


class Conversion(NewClaim, forbid_unknown_fields=True, kw_only=True):
    """The result of converting an accepted quote: a job, or an invoice of all that is left of it or of a part.

    to: What to create; the plugin must be on.
    """

    to: Literal["invoice", "job"]

    def __post_init__(self) -> None:
        super().__post_init__()
        parts = ("percent", "amount", "line_ids", "claim", "final", "retention_percent")
        if self.to == "job" and (sent := [name for name in parts if getattr(self, name) is not None]):
            raise RuleBroken("invalid_value", "is for an invoice: a job is made of the whole quote", sent[0])
