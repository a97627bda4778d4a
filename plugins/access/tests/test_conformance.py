"""What every plugin promises."""

from billycan.testing import PluginConformance


class TestAccess(PluginConformance):
    plugin = "access"
    enable = ("users",)
