"""What every plugin promises."""

from billycan.testing import PluginConformance


class TestDashboard(PluginConformance):
    plugin = "dashboard"
    enable = ("users",)
