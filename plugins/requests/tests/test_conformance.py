"""The promises of every plugin."""

from billycan.testing import PluginConformance


class TestRequests(PluginConformance):
    plugin = "requests"
    enable = ("users",)
