"""The business that most tests of agents work for."""

import pytest

from billycan.testing import Client

PLUGINS = ("agents", "users", "apps", "contacts", "hosted", "documents", "invoices", "webhooks")


@pytest.fixture
def client(make_app):
    return Client(make_app(*PLUGINS))
