"""Structs that clients send and receive, besides visits."""

from datetime import date
from typing import Annotated

from msgspec import Meta, Struct

Days = Annotated[int, Meta(ge=1, le=3650)]


class VisitDue(Struct):
    """An announcement that a visit is due.

    id: The id of the job.
    due_on: The day on which a visit is due.
    """

    id: str
    due_on: date


class NewJobPlan(Struct, kw_only=True):
    """The member that a client may send with a job.

    visit_every_days: How many days after a visit the next one is due; null if none is planned.
    """

    visit_every_days: Days | None = None


class JobPlan(Struct, kw_only=True):
    """The members that every job also shows.

    next_visit_on: The day on which a visit is due.
    """

    visit_every_days: int | None = None
    next_visit_on: date | None = None
