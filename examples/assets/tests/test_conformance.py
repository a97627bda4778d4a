from billycan.testing import PluginConformance


class TestAssets(PluginConformance):
    plugin = "assets"
    enable = ("contacts",)

    def bodies(self, client):
        custodian = client.post("/v1/contacts", {"name": "Ada"})["data"]
        return {"/v1/assets": {"name": "Van", "cost": "31500.00", "custodian_id": custodian["id"]}}
