from billycan.testing import Client


def test_a_contact_lives(make_app):
    client = Client(make_app("contacts"))
    made = client.post("/v1/contacts", {"name": " Ada Lovelace ", "abn": "47 555 222 000"})["data"]
    assert made["name"] == "Ada Lovelace" and made["abn"] == "47555222000"
    assert client.get(f"/v1/contacts/{made['id']}")["data"] == made
    print(client.last.headers, client.last.text)
    assert client.get("/v1/contacts?search=lovelace&status=active&per_page=1")["pagination"]["total"] == 1
    changed = client.patch(
        f"/v1/contacts/{made['id']}",
        {"name": "Ada", "version": 1, "billing_address": {"suburb": "Hobart", "state": "TAS"}},
    )["data"]
    assert changed["version"] == 2
    client.post(f"/v1/contacts/{made['id']}/archive", status=200)
    client.delete(f"/v1/contacts/{made['id']}")
    assert client.events() == ["contact.created", "contact.updated", "contact.updated", "contact.deleted"]
