from billycan.testing import PluginConformance


class TestContacts(PluginConformance):
    plugin = "contacts"

    def bodies(self, client):
        return {"/v1/contacts": {"name": "Ada", "email": "ada@example.com", "abn": "47555222000"}}
