from billycan.testing import PluginConformance


class TestVisits(PluginConformance):
    plugin = "visits"
    enable = ("contacts", "documents", "jobs")

    def job(self, client):
        client_id = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        return {"client_id": client_id, "title": "Gutters"}

    def bodies(self, client):
        job = client.post("/v1/jobs", self.job(client))["data"]
        return {"/v1/visits": {"job_id": job["id"], "visited_on": "2026-11-20", "minutes": 45}}

    def extended(self, client):
        return {"/v1/jobs": {**self.job(client), "visit_every_days": 90}}
