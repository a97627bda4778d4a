"""The promises of every plugin."""

from billycan.testing import PluginConformance


class TestArchives(PluginConformance):
    plugin = "archives"
    enable = ("users", "attachments")
