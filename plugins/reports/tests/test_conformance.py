from itertools import count

from billycan.testing import PluginConformance


class TestReports(PluginConformance):
    plugin = "reports"
    enable = ("contacts", "documents", "expenses", "hosted", "invoices")

    years = count(2001)

    def bodies(self, client):
        year = next(self.years)  # a period is lodged once
        return {"/v1/gst_periods": {"from": f"{year}-01-01", "to": f"{year}-03-31"}}
