"""The promises of every plugin."""

from billycan.testing import PluginConformance


class TestApps(PluginConformance):
    plugin = "apps"
    enable = ("users",)
