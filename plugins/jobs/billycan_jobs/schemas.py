"""Structs that clients send and receive for the actions of jobs."""

from typing import Annotated

from msgspec import Struct

from billycan.fields import Moment, Notes, Text

from .resource import check_times

Reason = Annotated[str, Text("Why something was done.", least=1, most=500)]


class Schedule(Struct, forbid_unknown_fields=True, kw_only=True):
    """The times of the work.

    scheduled_start: When it should start.
    scheduled_end: When it should end.
    """

    scheduled_start: Moment
    scheduled_end: Moment | None = None

    def __post_init__(self) -> None:
        check_times(self.scheduled_start, self.scheduled_end)


class Completion(Struct, forbid_unknown_fields=True, kw_only=True):
    """Completing a job; without `notes`, existing notes stay.

    notes: Notes on the work done.
    """

    notes: Notes | None = None


class JobCancellation(Struct, forbid_unknown_fields=True, kw_only=True):
    """Cancelling a job.

    reason: Why.
    """

    reason: Reason | None = None
