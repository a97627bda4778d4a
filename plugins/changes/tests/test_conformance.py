"""The promises of every plugin."""

from billycan.testing import PluginConformance


class TestChanges(PluginConformance):
    plugin = "changes"
    enable = ("contacts",)
