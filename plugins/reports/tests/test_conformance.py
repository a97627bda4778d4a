from billycan.testing import PluginConformance


class TestReports(PluginConformance):
    plugin = "reports"
    enable = ("contacts", "documents", "expenses", "hosted", "invoices")
