from billycan.testing import Client


def test_an_asset_is_retired_once(make_app):
    client = Client(make_app("contacts", "assets"))
    van = client.post("/v1/assets", {"name": "Van", "cost": 31500})["data"]
    assert client.post(f"/v1/assets/{van['id']}/retire", status=200)["data"]["status"] == "retired"
    assert client.post(f"/v1/assets/{van['id']}/retire", status=409)["error"]["allowed_actions"] == []
    assert client.events() == ["asset.created", "asset.retired"]


def test_a_custodian_must_be_a_contact_of_the_same_business(make_app):
    app = make_app("contacts", "assets")
    stranger = Client(app).post("/v1/contacts", {"name": "Ada"})["data"]
    body = {"name": "Van", "cost": 1, "custodian_id": stranger["id"]}
    error = Client(app).post("/v1/assets", body, status=422)["error"]
    assert error["details"][0]["code"] == "not_found"


def test_a_contact_with_assets_stays(make_app):
    client = Client(make_app("contacts", "assets"))
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]
    client.post("/v1/assets", {"name": "Van", "cost": 1, "custodian_id": ada["id"]})
    assert client.delete(f"/v1/contacts/{ada['id']}", status=409)["error"]["code"] == "has_dependents"
