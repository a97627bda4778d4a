from billycan.testing import Client, PluginConformance


class TestExpenses(PluginConformance):
    plugin = "expenses"
    enable = ("contacts", "gst", "jobs")

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

    def test_another_tenants_records_look_like_none(self, app, made):
        # Every tenant has the starter set of categories, so that list is never empty.
        stranger = Client(app)
        for path, record in made.items():
            assert record["id"] not in [r["id"] for r in stranger.get(f"{path}?per_page=100")["data"]]
            answers = [stranger.get(f"{path}/{id}", 404) for id in (record["id"], record["id"][:-5] + "zzzzz", "nope")]
            assert len({str({**a["error"], "request_id": None}) for a in answers}) == 1
            stranger.patch(f"{path}/{record['id']}", {}, 404)
            stranger.delete(f"{path}/{record['id']}", 404)
