from billycan.testing import PluginConformance


class TestSandbox(PluginConformance):
    plugin = "sandbox"
