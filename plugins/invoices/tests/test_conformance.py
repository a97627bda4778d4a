from billycan.testing import PluginConformance


class TestInvoices(PluginConformance):
    plugin = "invoices"
    enable = ("contacts", "documents", "hosted")

    def bodies(self, client):
        contact = client.post("/v1/contacts", {"name": "Ada"})["data"]
        line = {"description": "Tap washers", "quantity": 2, "unit_price": "4.95"}
        payment = {"client_id": contact["id"], "amount": "12.50", "payment_method": "card", "reference": "Kitchen"}
        invoice = client.post("/v1/invoices", {"client_id": contact["id"], "line_items": [line]})["data"]
        client.post(f"/v1/invoices/{invoice['id']}/send", status=200)
        taken_off = {"description": "Goodwill", "unit_price": "0.50"}
        note = {"invoice_id": invoice["id"], "reason": "other", "description": "Scratched", "line_items": [taken_off]}
        return {
            "/v1/adjustment_notes": note,
            "/v1/invoices": {"client_id": contact["id"], "line_items": [line], "reference": "Kitchen"},
            "/v1/payments": payment,
        }
