from itertools import count

from billycan.testing import PluginConformance


class TestCustomFields(PluginConformance):
    plugin = "custom_fields"
    enable = ("contacts",)

    others = count()

    def bodies(self, client):
        key = f"colour_{next(self.others)}"
        return {"/v1/custom_fields": {"resource": "contacts", "key": key, "type": "text", "label": "Paint"}}

    def extended(self, client):
        field = {"resource": "contacts", "type": "choice", "choices": ["red", "blue"]}
        if not client.get("/v1/custom_fields")["data"]:
            client.post("/v1/custom_fields", {**field, "key": "paint"})
        return {"/v1/contacts": {"name": "Ada", "custom": {"paint": "red"}}}
