"""Structs that clients send and receive."""

from datetime import date
from typing import Annotated

from msgspec import Meta, Struct

from billycan import Named, NewResource, PageQuery, Resource
from billycan.fields import Day, Id

Minutes = Annotated[int, Meta(ge=1, le=1440)]
Days = Annotated[int, Meta(ge=1, le=3650)]


class NewVisit(NewResource, kw_only=True):
    """A visit to record.

    job_id: The job whose place was visited.
    visited_on: The day of the visit.
    minutes: How long it took.
    """

    job_id: Id
    visited_on: Day
    minutes: Minutes


class Visit(Resource):
    """A visit as it is shown.

    job: The job whose place was visited, with its title.
    """

    job_id: str
    job: Named
    visited_on: date
    minutes: int


class VisitQuery(PageQuery, kw_only=True):
    """Filters of visits."""

    sortable = ("created_at", "visited_on", "minutes")

    job_id: list[str] | None = None
    visited_on_from: Day | None = None
    visited_on_to: Day | None = None


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
