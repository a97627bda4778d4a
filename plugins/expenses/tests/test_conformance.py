from billycan.testing import PluginConformance


class TestExpenses(PluginConformance):
    plugin = "expenses"
    enable = ("contacts", "documents", "jobs")

    def bodies(self, client):
        supplier = client.post("/v1/contacts", {"name": "Copperline", "roles": ["supplier"]})["data"]
        category = client.post("/v1/expense_categories", {"name": "Pipe"})["data"]
        expense = {
            "date": "2026-11-20",
            "amount": "64.90",
            "category_id": category["id"],
            "supplier_id": supplier["id"],
        }
        return {"/v1/expense_categories": {"name": "Fittings"}, "/v1/expenses": {**expense, "description": "Elbows"}}
