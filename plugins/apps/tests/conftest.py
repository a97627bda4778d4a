"""A deployment with apps, a business of it, and an app that it registered."""

import pytest

from billycan.testing import Client


@pytest.fixture
def app(make_app):
    return make_app("apps", "contacts", "users", "webhooks", "dashboard", webhooks={"allow_private": True})


@pytest.fixture
def client(app):
    return Client(app)


@pytest.fixture
def oauth(client):
    # Where users is not installed this file is loaded all the same, and the tests beside it are left out.
    from billycan_apps.testing import OAuthApp

    return OAuthApp(client)
