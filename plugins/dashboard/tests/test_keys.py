"""The pages of API keys."""

import pytest

from billycan.testing import Client
from billycan_users.testing import Browser

pytestmark = pytest.mark.either


def test_a_key_works_until_its_last_day_is_over_where_the_business_is(make_app):
    client = Client(make_app("contacts", "users", "dashboard"))
    client.patch("/v1/tenant", {"timezone": "Australia/Perth"})
    owner = Browser(client.app).join(client)
    owner.get("/dashboard/keys")
    page = owner.send("/dashboard/keys", name="Import", expires_on="2026-11-30")
    assert 'title="30 Nov 2026, 11:59 pm"' in page.text
    page = owner.send("/dashboard/keys", name="Import", expires_on="30 November", status=422)
    assert 'id="fault-expires_on"' in page.text
