from billycan.testing import PluginConformance


class TestJobs(PluginConformance):
    plugin = "jobs"
    enable = ("contacts", "documents", "hosted", "invoices", "staff")

    def bodies(self, client):
        contact = client.post("/v1/contacts", {"name": "Ada"})["data"]
        member = client.post("/v1/staff", {"name": "Grace"})["data"]
        line = {"description": "Tap washers", "quantity": 2, "unit_price": "4.95"}
        return {
            "/v1/jobs": {
                "client_id": contact["id"],
                "title": "Fix the tap",
                "scheduled_start": "2026-11-30T09:00:00+11:00",
                "assignee_ids": [member["id"]],
                "checklist": [{"text": "Turn the water off", "required": True}],
                "line_items": [line],
            }
        }
