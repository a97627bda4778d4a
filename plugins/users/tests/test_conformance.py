"""What every plugin promises."""

from billycan.testing import PluginConformance


class TestUsers(PluginConformance):
    plugin = "users"
