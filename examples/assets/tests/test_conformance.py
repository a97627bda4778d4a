from billycan.testing import PluginConformance


class TestAssets(PluginConformance):
    plugin = "assets"
    enable = ("contacts",)

    def bodies(self, client):
        custodian = client.post("/v1/contacts", {"name": "Ada"})["data"]
        body = {"name": "Van", "cost": "31500.00", "bought_on": "2026-11-20", "custodian_id": custodian["id"]}
        return {"/v1/assets": body}
