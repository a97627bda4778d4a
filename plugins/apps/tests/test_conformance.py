"""What every plugin promises."""

from billycan.testing import PluginConformance


class TestApps(PluginConformance):
    plugin = "apps"
    enable = ("users",)
