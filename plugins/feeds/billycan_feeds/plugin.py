"""Calendar feeds: what is planned, for the calendar on a person's phone, by a secret link that they make and revoke."""

from billycan import Context, Manifest

from . import pages
from .feeds import FeedPage
from .tables import links

manifest = Manifest(
    name="feeds",
    requires=("calendar", "users"),
    tables=(links,),
    pages=(("/calendar/{secret}.ics", FeedPage), *pages.screens),
    codes={"too_many_links": (409, "A person has at most 10 links to feeds in a business: revoke one.")},
    offers=(Context.Emptied(stay=(links,)),),
)
