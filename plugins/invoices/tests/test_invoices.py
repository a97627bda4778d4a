from decimal import Decimal

from billycan.testing import Client

D = Decimal


def test_an_invoice_lives(make_app):
    client = Client(make_app("contacts", "gst", "invoices"))
    con = client.post("/v1/contacts", {"name": "Ada Lovelace"})["data"]
    lines = [{"description": f"Part {i}", "unit_price": "1.05"} for i in range(3)]
    inv = client.post("/v1/invoices", {"client_id": con["id"], "amounts_are": "inclusive", "line_items": lines})["data"]
    print(client.last.headers, client.last.text)
    assert (inv["number"], inv["total"], inv["gst"]) == ("INV-0001", D("3.15"), D("0.29"))
    assert client.get(f"/v1/invoices/{inv['id']}")["data"] == inv
    inv = client.patch(f"/v1/invoices/{inv['id']}", {**inv, "gst_rounding": "per_line"})["data"]
    assert inv["gst"] == D("0.30")
    sent = client.post(f"/v1/invoices/{inv['id']}/send", status=200)["data"]
    assert sent["status"] == "sent" and sent["tax_invoice"] == {"compliant": True, "missing": []}
    part = client.post(f"/v1/invoices/{inv['id']}/payments", {"amount": 1, "payment_method": "cash"})["data"]
    assert part["status"] == "partially_paid" and part["amount_due"] == D("2.15")
    paid = client.post(f"/v1/invoices/{inv['id']}/pay", {"payment_method": "card"}, status=200)["data"]
    assert paid["status"] == "paid" and paid["payment_method"] == "card" and len(paid["payments"]) == 2
    listed = client.get("/v1/invoices?include=line_items&search=ada&status=paid")
    assert listed["data"][0]["line_items"] == paid["line_items"]
    print(client.last.text)
