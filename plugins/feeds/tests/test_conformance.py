"""The promises of every plugin."""

from billycan.testing import PluginConformance


class TestFeeds(PluginConformance):
    plugin = "feeds"
    enable = ("calendar", "users")
