"""The page that a business opens first: a card for each thing that its plugins tell at a glance."""

from collections.abc import Iterator

from billycan import Card
from billycan_users.api import Answer, Screen, Shown, Visit, mounted

from .kinds import page_at


def show_overview(visit: Visit) -> Answer:
    cards = [*_cards(visit)]
    return Shown("dashboard/overview.html", {"cards": cards, "page_at": lambda path: page_at(visit.app, path)})


def _cards(visit: Visit) -> Iterator[Card]:
    """The cards of the plugins whose records the visitor may read."""
    identity = visit.identity
    with visit.reading() as ctx:
        for manifest in visit.app.manifests.values():
            if manifest.cards and identity.holds(f"{manifest.name}:read"):
                yield from (card for make in manifest.cards if (card := make(ctx)))


screens = mounted(Screen("/dashboard", show_overview, nav="Overview"))
