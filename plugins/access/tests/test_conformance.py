"""The promises of every plugin."""

from billycan.testing import PluginConformance


class TestAccess(PluginConformance):
    plugin = "access"
    enable = ("users",)
