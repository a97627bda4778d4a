"""An app is connected in a real browser: the answer to the form leads on to the app, and from there elsewhere."""

import pytest

from billycan.testing import Client
from billycan_apps.testing import OAuthApp

pytestmark = pytest.mark.sqlite_alone


def test_the_page_of_consent_leads_on_to_the_app_and_wherever_that_leads(serve, join, browser):
    place = serve("apps", "contacts", "users", "dashboard")
    client = Client(place)
    owner = join(place, client, "owner")
    # Any other origin will do for an app: here the server under its other name.
    other = browser.current_url.partition("/dashboard")[0].replace("localhost", "127.0.0.1")
    oauth = OAuthApp(client, redirect_uris=[f"{other}/dashboard/events"])
    owner.open(oauth.asks()).sees("wants to connect to Derwent Plumbing")
    owner.press("Connect Ledger Sync").sees("Forgotten your password?")
    assert browser.current_url.startswith(f"{other}/dashboard/sign-in")
