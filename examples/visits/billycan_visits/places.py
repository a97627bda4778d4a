"""The last visits of a job beside its facts, and a link that records another."""

from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

from billycan import Manifest, RecordPages


def show_visits(visit: Any, path: str, job: Mapping[str, Any]) -> Iterator[Manifest.Card]:
    """Show the last visits to a job, and when the next is due."""
    found = visit.call("GET", "/v1/visits", {"job_id": job["id"], "per_page": 3, "sort": "-visited_on"})
    rows = tuple((_day(each["visited_on"]), f"{each['minutes']} min") for each in found["data"])
    note = f"Next visit: {_day(job['next_visit_on'])}" if job["next_visit_on"] else ""
    if rows or note:
        yield Manifest.Card(title="Visits", note=note, rows=rows, path=f"/v1/visits?job_id={job['id']}")


def link_new_visit(visit: Any, path: str, job: Mapping[str, Any]) -> Iterator[RecordPages.Link]:
    """Link to the form of a new visit, for those who may record one."""
    if visit.identity.holds("visits:write"):
        page = f"/dashboard/visits/new?job_id={job['id']}"
        yield RecordPages.Link(words="Record a visit", page=page, opens="dialog")


def _day(text: str) -> str:
    on = date.fromisoformat(text)
    return f"{on.day} {on:%b %Y}"


places = (
    RecordPages.Place(at="record.aside", show=show_visits, paths=("/v1/jobs",)),
    RecordPages.Place(at="record.actions", show=link_new_visit, paths=("/v1/jobs",)),
)
