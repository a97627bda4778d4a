from billycan.testing import PluginConformance


class TestAudit(PluginConformance):
    plugin = "audit"
