"""The page of a person's account on which they make and revoke links to their feed."""

from billycan import App
from billycan_users.api import Answer, Led, Screen, Shown, Visit, live_of, mounted

from . import links

HERE = "/dashboard/account/calendar"


def show_links(visit: Visit) -> Answer:
    """Show the visitor's links; the address of a new one once."""
    with visit.reading() as ctx:
        found = links.list_links(ctx, visit.session.user_id)
    address = f"{visit.app.public_url}{links.PATH}{visit.shown_once}.ics" if visit.shown_once else ""
    values = {"links": found, "address": address, "most": links.MOST, "own": visit.identity.sees_only_own}
    return Shown("feeds/links.html", values)


def make_link(visit: Visit) -> Answer:
    """Make a link for the visitor."""
    with visit.app.db.reading() as db:
        live = live_of(db, visit.tenant_id)
    with visit.writing() as ctx:
        secret = links.add_link(ctx, live, visit.session.user_id, visit.form.get("name", ""))
    return visit.reveal(HERE, secret)


def revoke_link(visit: Visit, id: str) -> Answer:
    """End one of the visitor's links."""
    with visit.writing() as ctx:
        links.revoke_link(ctx, visit.session.user_id, id)
    return Led(HERE, "The link no longer works.")


def is_on(app: App) -> bool:
    """Tell whether there is a calendar to subscribe to."""
    return ("GET", "/v1/calendar") in app.at


screens = mounted(
    Screen(HERE, show_links, make_link, role="field", proof=True, when=is_on),
    Screen(f"{HERE}/{{id}}/revoke", post=revoke_link, role="field", on=HERE, when=is_on),
)
