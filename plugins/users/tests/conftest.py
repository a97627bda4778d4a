"""A deployment with people, a business of it, and its owner before a browser."""

import pytest

from billycan.testing import Client
from billycan_users.testing import Browser


@pytest.fixture
def app(make_app):
    return make_app("contacts", "users", "dashboard")


@pytest.fixture
def client(app):
    return Client(app)


@pytest.fixture
def owner(app, client):
    return Browser(app).join(client)
