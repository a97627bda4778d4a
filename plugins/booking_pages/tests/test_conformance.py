"""The promises of every plugin."""

from billycan.testing import PluginConformance


class TestBookingPages(PluginConformance):
    plugin = "booking_pages"
    enable = ("bookings", "contacts", "documents", "hosted", "mail", "staff", "users")
