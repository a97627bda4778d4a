"""Tests that every plugin must pass."""

from billycan.testing import PluginConformance


class TestDashboard(PluginConformance):
    plugin = "dashboard"
    enable = ("users",)
