from billycan.testing import PluginConformance


class TestAgents(PluginConformance):
    plugin = "agents"
    enable = ("users",)
