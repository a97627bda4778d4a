"""Custom fields work on each resource whose records have metadata: made, changed, told of, found and deleted."""

from pathlib import Path

import pytest

from billycan_custom_fields.extension import extended_resources

LAB = Path(__file__).parent / "lab"
pytestmark = [pytest.mark.whole, pytest.mark.either]


@pytest.fixture(autouse=True)
def path(monkeypatch):
    """Put the modules of `make fair` and `make bench` on the import path."""
    for each in ("fair", "bench"):
        monkeypatch.syspath_prepend(str(LAB / each))


def test_each_resource_takes_custom_values(make_app):
    from contest import plugins
    from noise import NEW, Noisy

    app = make_app(*plugins().split(","), fresh=True)
    noisy = Noisy(app)
    client, done, silent = noisy.client, [], []
    for resource in sorted(extended_resources(app)):
        client.post("/v1/custom_fields", {"resource": resource, "key": "size", "type": "number"})
        body = {**NEW[resource](noisy), "custom": {"size": 5}}
        made = client.post(f"/v1/{resource}", body)["data"]
        assert made["custom"] == {"size": 5}, resource
        one = f"/v1/{resource}/{made['id']}"
        if ("PATCH", f"/v1/{resource}/{{id}}") in app.at:
            changed = client.patch(one, {"custom": {"size": 6}})["data"]
            assert (changed["custom"], changed["version"]) == ({"size": 6}, made["version"] + 1), resource
            told = [e["data"]["custom"] for e in client.get("/v1/events")["data"] if e["data"]["id"] == made["id"]]
            assert not told or told[0] == {"size": 6}, resource
            silent += [] if told else [resource]
        size = client.get(one)["data"]["custom"]["size"]
        listed = client.get(f"/v1/{resource}?custom[size]_from={size}&sort=custom[size]")["data"]
        assert [record["id"] for record in listed] == [made["id"]], resource
        done.append(resource)
    assert silent == ["webhook_endpoints"]  # which no event tells of
    assert {"contacts", "invoices", "jobs", "expenses", "staff", "services", "quotes", "bookings"} <= {*done}
