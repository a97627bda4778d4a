"""What a new user's first look shows: every list has believable records, and they know each other."""

from billycan import demo
from billycan.testing import Client

PLUGINS = ("bookings", "contacts", "expenses", "gst", "hosted", "invoices", "jobs", "quotes", "staff", "webhooks")
STATUSES = {
    "quotes": {"draft", "sent", "accepted", "declined", "expired", "cancelled", "converted", "invoiced"},
    "bookings": {"pending", "confirmed", "completed", "no_show", "declined", "cancelled"},
    "jobs": {"open", "scheduled", "in_progress", "on_hold", "complete", "cancelled"},
    "invoices": {"draft", "sent", "partially_paid", "paid", "void", "written_off"},
    "expenses": {"recorded", "void"},
}


def test_the_sample_business_is_whole(make_app, caplog):
    app = make_app(*PLUGINS, fresh=True)
    business = demo.first(app)
    assert not caplog.records, caplog.text
    client = Client(app, business.sandbox)
    lists = ("contacts", "staff", "services", "expense_categories", *STATUSES)
    found = {name: {x["id"]: x for x in client.get(f"/v1/{name}?per_page=100")["data"]} for name in lists}
    assert all(found.values())
    for name, statuses in STATUSES.items():
        assert {x["status"] for x in found[name].values()} == statuses
    links = 0
    for record in [x for name in STATUSES for x in found[name].values()]:
        for member, name in (("quote_id", "quotes"), ("booking_id", "bookings"), ("job_id", "jobs")):
            if id := record.get(member):
                links += 1
                assert "client" not in record or found[name][id]["client"] == record["client"]
    assert links >= 6
    (chain,) = [x for x in found["jobs"].values() if x["booking_id"]]
    assert found["bookings"][chain["booking_id"]]["job_id"] == chain["id"] and chain["invoice_ids"]
    assert chain["id"] in {x["job_id"] for x in found["expenses"].values()}
    assert {x["staff_id"] for x in found["bookings"].values()} == set(found["staff"])
    assert all(x["description"] for x in found["expenses"].values())
