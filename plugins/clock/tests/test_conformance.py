from billycan.testing import PluginConformance


class TestClock(PluginConformance):
    plugin = "clock"
