from billycan.testing import PluginConformance


class TestExplorer(PluginConformance):
    plugin = "explorer"
