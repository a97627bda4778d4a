from itertools import count

from billycan.testing import PluginConformance


class TestMail(PluginConformance):
    plugin = "mail"
    numbers = count()

    def bodies(self, client):
        return {"/v1/suppressed_addresses": {"address": f"ada{next(self.numbers)}@example.com"}}
