from billycan.testing import PluginConformance


class TestHosted(PluginConformance):
    plugin = "hosted"
    enable = ("contacts", "documents")
