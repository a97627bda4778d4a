"""What every plugin promises."""

from billycan.testing import PluginConformance


class TestRequests(PluginConformance):
    plugin = "requests"
    enable = ("users",)
