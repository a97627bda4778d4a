"""The promises of every plugin."""

from billycan.testing import PluginConformance


class TestCalendar(PluginConformance):
    plugin = "calendar"
    enable = ("contacts", "documents", "jobs", "staff", "bookings")
