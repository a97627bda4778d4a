from billycan.testing import PluginConformance


class TestPaylink(PluginConformance):
    plugin = "paylink"
    enable = ("contacts", "documents", "hosted", "invoices")
