"""The page of a member of staff: who signs in as them is chosen by name."""

from collections.abc import Iterator
from typing import Any

from billycan import RecordPages


def choose_person(visit: Any, path: str, member: str) -> Iterator[RecordPages.Part]:
    """Offer the people who may sign in to the business in place of a field for an id."""
    yield RecordPages.Part(template="staff/person.html", values={"people": visit.people()})
