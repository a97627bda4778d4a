"""Visits, declared once: what is sent, shown, filtered, sorted, searched and stored."""

from datetime import date
from typing import Annotated

import sqlalchemy as sa
from msgspec import Meta

from billycan import Member, Named, NewResource, Resource, resource
from billycan.fields import Day, Id
from billycan_jobs import api as jobs

Minutes = Annotated[int, Meta(ge=1, le=1440)]


class NewVisit(NewResource, kw_only=True):
    """A visit to record.

    job_id: The job whose place was visited.
    visited_on: The day of the visit.
    minutes: How long it took.
    """

    job_id: Annotated[Id, Member(filter="any", refers_to="jobs")]
    visited_on: Annotated[Day, Member(filter="range", sort=True)]
    minutes: Annotated[Minutes, Member(sort=True)]


class Visit(Resource):
    """A visit as it is shown.

    job: The job whose place was visited, with its title.
    """

    job_id: str
    job: Named
    visited_on: date
    minutes: int


visits = resource(
    "visits",
    sends=NewVisit,
    shows=Visit,
    prefix="vis",
    references={"job": jobs.names},
    more=(sa.Index(None, "tenant_id", "job_id", "visited_on"),),
)
