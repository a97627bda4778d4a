from billycan.testing import PluginConformance


class TestRecurring(PluginConformance):
    plugin = "recurring"
    enable = ("contacts", "documents", "hosted", "invoices")

    def bodies(self, client):
        contact = client.post("/v1/contacts", {"name": "Ada Baker"})["data"]
        lines = [{"description": "Hosting", "quantity": "1.5", "unit_price": "45.00", "discount_percent": "10"}]
        body = {"client_id": contact["id"], "frequency": "month", "start_on": "2027-01-31", "line_items": lines}
        return {"/v1/recurring_invoices": {**body, "reference": "Hosting", "discount_amount": "5.00"}}
