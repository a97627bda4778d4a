from itertools import count

from billycan.testing import PluginConformance


class TestReports(PluginConformance):
    plugin = "reports"
    enable = ("contacts", "documents", "expenses", "hosted", "invoices")

    quarters = count()

    def bodies(self, client):
        year, quarter = divmod(next(self.quarters) % 100, 4)  # a period is lodged once
        days = ("01-01", "03-31"), ("04-01", "06-30"), ("07-01", "09-30"), ("10-01", "12-31")
        first, last = (f"{year + 2001}-{day}" for day in days[quarter])
        return {"/v1/gst_periods": {"from": first, "to": last}}
