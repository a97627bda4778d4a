"""The filters of the event log and the values they accept."""

import pytest

from billycan.testing import Client

pytestmark = pytest.mark.either


@pytest.fixture
def client(make_app):
    client = Client(make_app("contacts"))
    for name in ("Ada", "Bob"):
        id = client.post("/v1/contacts", {"name": name})["data"]["id"]
    client.patch(f"/v1/contacts/{id}", {"name": "Bobby"})
    return client


@pytest.mark.parametrize(
    ("asked", "count"),
    [
        ("contact.created", 2),
        ("contact.*", 3),
        ("*", 3),
        ("contact.deleted", 0),
        ("contact.updated,contact.created", 3),
    ],
)
def test_an_event_is_filtered_by_name_by_kind_and_all(client, asked, count):
    assert client.get(f"/v1/events?event={asked}")["pagination"]["total"] == count


@pytest.mark.sqlite_alone
@pytest.mark.parametrize("asked", ["contact.exploded", "nothing.*", "contact", "contact.cre*", "**", "*.created", ""])
def test_a_name_that_no_event_has_is_told(client, asked):
    error = client.refused(400, "invalid_filter", "GET", f"/v1/events?event=contact.created,{asked}")
    assert error["param"] == "event" and ("contact.created" in error["message"] or not asked)


@pytest.mark.parametrize("asked", ["evt_", "con_01ke0000000000000000000001", "nonsense", "evt_" + "0" * 30])
def test_after_takes_the_id_of_an_event(client, asked):
    assert client.refused(400, "invalid_parameter", "GET", f"/v1/events?after={asked}")["param"] == "after"
