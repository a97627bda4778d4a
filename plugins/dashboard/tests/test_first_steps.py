"""The first steps on the overview: each done by what the business has, and gone once all are done or dismissed."""

import pytest

from billycan.testing import Client
from billycan_users.testing import Browser

pytestmark = pytest.mark.either


def open_steps(browser):
    card = browser.get("/dashboard").html.find(attrs={"aria-labelledby": "steps"})
    return [a.text for a in card.select("li a")] if card else None


def test_the_first_steps_go_as_they_are_done_and_a_person_puts_them_aside(make_app):
    names = ("attachments", "contacts", "dashboard", "documents", "hosted", "invoices", "users")
    client = Client(make_app(*names, fresh=True), profile={"abn": None})
    owner = Browser(client.app).join(client)
    assert open_steps(owner) == [
        "Add your address, and an email address or phone number",
        *("Enter your ABN", "Add the account that clients pay into", "Add your logo", "Add your first client"),
        *("Write your first invoice", "Invite your team"),
    ]
    address = {"line1": "1 Salamanca Place", "suburb": "Hobart", "state": "TAS", "postcode": "7000"}
    client.patch("/v1/tenant", {"address": address, "phone": "0491 570 156", "abn": "51 824 753 556"})
    client.patch("/v1/tenant", {"payid": "office@example.com"})
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    client.post("/v1/invoices", {"client_id": contact, "line_items": [{"description": "Taps", "unit_price": 1}]})
    office = Browser(client.app).join(client, "office")
    assert open_steps(owner) == open_steps(office) == ["Add your logo"]
    office.send("/dashboard/first-steps/aside")
    assert open_steps(office) is None
    assert open_steps(Browser(client.app).join(client, "viewer")) is None
    png = bytes.fromhex(
        "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c6360000002000001e221bc33"
        "0000000049454e44ae426082"
    )
    logo = client.call(
        "POST", f"/v1/attachments?resource={client.tenant_id}&filename=logo.png", status=201, raw=png
    ).json["data"]["id"]
    client.patch("/v1/branding", {"logo_attachment_id": logo})
    assert open_steps(owner) is None
    client.delete(f"/v1/invoices/{client.get('/v1/invoices')['data'][0]['id']}")
    assert open_steps(owner) is None, "what was done is not asked for again"
    developer = Browser(client.app).join(client, "developer")
    assert open_steps(developer) == ["Create a sandbox key", "Read what the API takes and returns"]
    developer.send("/dashboard/switch", button="environment=sandbox")
    assert open_steps(developer)
