from billycan.testing import PluginConformance


class TestDocuments(PluginConformance):
    plugin = "documents"
    enable = ("contacts",)
