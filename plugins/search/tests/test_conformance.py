"""The promises of every plugin."""

from billycan.testing import PluginConformance


class TestSearch(PluginConformance):
    plugin = "search"
    enable = ("contacts",)
