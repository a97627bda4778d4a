from itertools import count

from billycan.testing import PluginConformance


class TestReports(PluginConformance):
    plugin = "reports"
    enable = ("contacts", "documents", "expenses", "hosted", "invoices", "items")

    quarters, others = count(), count()

    def bodies(self, client):
        year, quarter = divmod(next(self.quarters) % 100, 4)  # a period is lodged once
        days = ("01-01", "03-31"), ("04-01", "06-30"), ("07-01", "09-30"), ("10-01", "12-31")
        first, last = (f"{year + 2001}-{day}" for day in days[quarter])
        other = next(self.others)
        balances = [{"account_code": "100", "debit": "9.00"}, {"account_code": "150", "credit": "9.00"}]
        return {
            "/v1/gst_periods": {"from": first, "to": last},
            "/v1/accounts": {"code": f"6-{other:04d}", "name": "Rent", "type": "expense"},
            "/v1/payment_methods": {"name": f"card {other}", "account_code": "100"},
            "/v1/tracking_categories": {"name": f"Region {other}", "options": ["North", "South"]},
            "/v1/opening_balances": {"number": f"TB {other}", "date": f"{year + 2001}-12-31", "balances": balances},
            "/v1/ledger_exports": {"from": first, "to": last, "format": "csv"},
        }

    def extended(self, client):
        contact = client.post("/v1/contacts", {"name": "Ada Baker"})["data"]["id"]
        category = client.get("/v1/expense_categories")["data"][0]["id"]
        if not client.get("/v1/tracking_categories")["data"]:
            client.post("/v1/tracking_categories", {"name": "Region", "options": ["North", "South"]})
        named, tracked = {"account_code": "500"}, {"tracking": {"Region": "North"}}
        lines = [{"description": "Hosting", "unit_price": "45.00"}]
        return {
            "/v1/items": {"name": "Tap", "unit_price": "110.00", **named},
            "/v1/expense_categories": {"name": "Pipes", **named},
            "/v1/invoices": {"client_id": contact, "line_items": lines, **tracked},
            "/v1/expenses": {"date": "2026-11-02", "amount": "110.00", "category_id": category, **tracked},
        }
