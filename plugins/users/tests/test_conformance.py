"""The promises of every plugin."""

from billycan.testing import PluginConformance


class TestUsers(PluginConformance):
    plugin = "users"
