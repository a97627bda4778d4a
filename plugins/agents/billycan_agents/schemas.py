"""Structs that clients send and receive: proposals, and what they would do."""

from typing import Any, Literal

from msgspec import UNSET, Struct, UnsetType

from billycan import Named, Paging
from billycan.fields import Amount, DayOrInstant, Moment

Status = Literal["pending", "declined", "expired", "failed", "done"]


class Preview(Struct, kw_only=True):
    """The outcome that a call would have, as a trial of it showed.

    status: The status that it would be answered with.
    data: What it would answer, such as the record; ids and numbers of new records are others once it is carried out.
    changes: The members of the record that it would change, each with the value before and after; none for a key that
      may not read the record.
    events: The events that it would emit.
    """

    status: int
    data: Any
    changes: dict[str, Any]
    events: list[str]


class Proposal(Struct, kw_only=True):
    """A call that a key or connection wants to make, and that a person decides.

    id: Its id.
    status: `pending` until a person decides or it expires; `done` once it is approved and carried out, `failed` if it
      was refused then.
    operation: The operation that is to be called.
    amount: The amount of the call, as its trial showed.
    reason: Why, in the words of whoever proposed it.
    caller: The key or connection that proposed it.
    versions: The versions of the records that it is about.
    created_at: When it was proposed.
    expires_at: Until when it can be decided.
    decided_at: When it was decided.
    decided_by: The person who decided it.
    decline_reason: Why it was declined.
    error: Why it failed, as the API's error.
    record_id: The record that it made or changed.
    approval_url: The page where people decide it.
    arguments: The arguments of the call: its path, its query and its body. Null for a key that may not read the
      resource.
    preview: What it would do. Null as above.
    """

    id: str
    status: Status
    operation: str
    amount: Amount | None
    reason: str | None
    caller: Named
    versions: dict[str, int]
    created_at: Moment
    expires_at: Moment
    decided_at: Moment | None
    decided_by: Named | None
    decline_reason: str | None
    error: dict[str, Any] | None
    record_id: str | None
    approval_url: str
    # An event never has these: not everybody who hears of it may read the resource.
    arguments: dict[str, Any] | UnsetType | None = UNSET
    preview: Preview | UnsetType | None = UNSET


class ProposalQuery(Paging, kw_only=True):
    """Filters of proposals.

    caller_id: Proposals of these keys or connections.
    """

    status: list[Status] | None = None
    operation: list[str] | None = None
    caller_id: list[str] | None = None
    created_at_from: DayOrInstant | None = None
    created_at_to: DayOrInstant | None = None
