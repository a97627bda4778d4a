"""The promises of every plugin."""

from billycan.testing import PluginConformance


class TestCalendarFeeds(PluginConformance):
    plugin = "calendar_feeds"
    enable = ("calendar", "users")
