from billycan.testing import PluginConformance


class TestInvoices(PluginConformance):
    plugin = "invoices"
    enable = ("contacts", "documents", "hosted")

    def bodies(self, client):
        contact = client.post("/v1/contacts", {"name": "Ada"})["data"]
        line = {"description": "Tap washers", "quantity": 2, "unit_price": "4.95"}
        payment = {"client_id": contact["id"], "amount": "12.50", "payment_method": "card", "reference": "Kitchen"}
        return {
            "/v1/invoices": {"client_id": contact["id"], "line_items": [line], "reference": "Kitchen"},
            "/v1/payments": payment,
        }
