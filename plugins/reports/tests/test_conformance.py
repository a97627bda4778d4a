from itertools import count

from billycan.testing import PluginConformance


class TestReports(PluginConformance):
    plugin = "reports"
    enable = ("contacts", "documents", "expenses", "hosted", "invoices")

    months = count()

    def bodies(self, client):
        year, month = divmod(next(self.months), 12)  # a period is lodged once
        day = f"{year + 2001}-{month + 1:02}-01"
        return {"/v1/gst_periods": {"from": day, "to": day}}
