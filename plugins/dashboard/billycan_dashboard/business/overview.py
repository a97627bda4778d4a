"""The page that a business opens first: a card for each thing that its plugins tell at a glance."""

from collections.abc import Iterator

from billycan import Card
from billycan.web import in_turns
from billycan_users.api import Answer, Screen, Shown, Visit, mounted

from ..resources.kinds import Kind, kinds, page_at


def show_overview(visit: Visit) -> Answer:
    cards = [*_cards(visit)]
    values = {"cards": cards, "page_at": lambda path: page_at(visit.app, path), "first": _first(visit)}
    return Shown("dashboard/overview.html", values)


def _first(visit: Visit) -> Kind | None:
    """The resource that a business begins with, while it has none of it and the visitor may make some."""
    kind = next(iter(kinds(visit.app).values()), None)
    if kind is None or not kind.may(visit, "list") or not kind.may(visit, "make"):
        return None
    found = visit.call("GET", kind.path, {"per_page": 1, "fields": "id"})
    return None if found["pagination"]["total"] else kind


def _cards(visit: Visit) -> Iterator[Card]:
    """The cards of the plugins whose records the visitor may read."""
    with visit.reading() as ctx:
        for manifest in visit.app.manifests.values():
            if manifest.cards and ctx.may_read(manifest.name):
                yield from (card for make in in_turns(manifest.cards) if (card := make(ctx)))


screens = mounted(Screen("/dashboard", show_overview, nav="Overview"))
