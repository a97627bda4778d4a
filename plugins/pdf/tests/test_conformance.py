from billycan.testing import PluginConformance


class TestPdf(PluginConformance):
    plugin = "pdf"
    enable = ("contacts", "documents", "hosted", "invoices", "quotes")
