from billycan.testing import PluginConformance


class TestWebhooks(PluginConformance):
    plugin = "webhooks"
    enable = ("contacts",)

    def bodies(self, client):
        return {"/v1/webhook_endpoints": {"url": "https://example.com/hooks", "events": ["contact.*"]}}
