"""The rules of assets; those of every plugin are in test_conformance."""

from billycan.testing import Client

PATH = "/v1/assets"
VAN = {"name": "Van", "cost": "31500.00"}


def test_what_happens_is_told(make_app):
    client = Client(make_app("contacts", "assets"))
    path = f"{PATH}/{client.post(PATH, VAN)['data']['id']}"
    client.patch(path, {"name": "Van 5"})
    client.post(f"{path}/retire", status=200)
    client.delete(path)
    told = ("created", "updated", "retired", "deleted")
    assert client.events() == [f"asset.{what}" for what in told]


def test_what_is_retired_stays_so(make_app):
    client = Client(make_app("contacts", "assets"))
    path = f"{PATH}/{client.post(PATH, VAN)['data']['id']}/retire"
    assert client.post(path, status=200)["data"]["status"] == "retired"
    assert client.post(path, status=409)["error"]["allowed_actions"] == []


def test_a_custodian_is_a_contact_of_the_same_business(make_app):
    app = make_app("contacts", "assets")
    stranger = Client(app).post("/v1/contacts", {"name": "Ada"})["data"]
    error = Client(app).post(PATH, {**VAN, "custodian_id": stranger["id"]}, status=422)["error"]
    assert error["details"][0]["code"] == "not_found"


def test_a_custodian_is_not_deleted(make_app):
    client = Client(make_app("contacts", "assets"))
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]
    client.post(PATH, {**VAN, "custodian_id": ada["id"]})
    assert client.delete(f"/v1/contacts/{ada['id']}", status=409)["error"]["code"] == "has_dependents"
