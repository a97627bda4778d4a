"""The named places of pages, and what plugins put there: links, cards, parts of pages and fields of forms."""

from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from billycan import App, Problem, RecordPages
from billycan_users.api import Visit


def fill_place(visit: Visit, at: str, path: str, given: Any) -> Iterator[Any]:
    """Yield what plugins put in a place of the records listed at a path; nothing that the visitor may not read."""
    for place in _places_of(visit.app, at, path):
        if place.members and given not in place.members:
            continue
        with suppress(Problem):
            yield from list(place.show(visit, path, given))


def scripts_of(app: App, path: str, *at: str) -> list[str]:
    """List the scripts that plugins want for what they put in these places."""
    return [*dict.fromkeys(name for each in at for place in _places_of(app, each, path) for name in place.scripts)]


def _places_of(app: App, at: str, path: str) -> Iterator[RecordPages.Place]:
    for _, place in app.offered(RecordPages.Place):
        if place.at == at and (not place.paths or path in place.paths):
            yield place
