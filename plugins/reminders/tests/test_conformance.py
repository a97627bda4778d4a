from billycan.testing import PluginConformance


class TestReminders(PluginConformance):
    plugin = "reminders"
    enable = ("contacts", "documents", "hosted", "invoices")

    def extended(self, client):
        ada = {"name": "Ada Baker", "reminders": False}
        contact = client.post("/v1/contacts", ada)["data"]["id"]
        lines = [{"description": "Hosting", "unit_price": "45.00"}]
        return {
            "/v1/contacts": ada,
            "/v1/invoices": {"client_id": contact, "line_items": lines, "reminders": False},
        }
