from billycan.testing import PluginConformance


class TestQuotes(PluginConformance):
    plugin = "quotes"
    enable = ("contacts", "documents", "hosted", "invoices")

    def bodies(self, client):
        contact = client.post("/v1/contacts", {"name": "Ada"})["data"]
        line = {"description": "Hot water unit", "unit_price": "1240.00"}
        return {"/v1/quotes": {"client_id": contact["id"], "line_items": [line], "title": "New hot water"}}
