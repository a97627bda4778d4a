from itertools import count

from billycan.testing import PluginConformance


class TestItems(PluginConformance):
    plugin = "items"

    codes = count(1)

    def bodies(self, client):
        return {
            "/v1/items": {"name": "Mixer tap", "unit": "each", "unit_price": "189.50", "sku": f"TAP-{next(self.codes)}"}
        }
