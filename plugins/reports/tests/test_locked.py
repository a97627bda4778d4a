"""Locked books: nothing changes what counts up to that date, by whatever write; what counts later goes on."""

from datetime import UTC, datetime

import pytest

from billycan.testing import Client

pytestmark = pytest.mark.either

PLUGINS = ("contacts", "documents", "expenses", "hosted", "invoices", "reports")
LOCKED, OPEN = "2026-09-20", "2026-10-10"
WRITES = 31
CARD = {"payment_method": "card"}
# What has no date effect: drafts, what is worked out only, and what no figure holds.
UNDATED = {
    *("POST /v1/invoices", "POST /v1/invoices/preview", "PATCH /v1/invoices/{id}", "DELETE /v1/invoices/{id}"),
    *("POST /v1/invoices/{id}/duplicate", "POST /v1/adjustment_notes", "PATCH /v1/adjustment_notes/{id}"),
    *("DELETE /v1/adjustment_notes/{id}", "POST /v1/expense_categories", "PATCH /v1/expense_categories/{id}"),
    "DELETE /v1/expense_categories/{id}",
    *("POST /v1/contacts", "DELETE /v1/contacts/{id}"),
    *("POST /v1/contacts/{id}/archive", "POST /v1/contacts/{id}/restore"),
}


class Business:
    """A business with one of each on 20 September; it locks its books until 30 September, and it is 20 October."""

    def __init__(self, app):
        self.web = Client(app)
        self.web.patch("/v1/tenant", {"gst_settings": [{"from": "2000-07-01", "registered": True, "basis": "cash"}]})
        app.clock.time = datetime(2026, 9, 20, 2, tzinfo=UTC)
        self.client = self.web.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        self.category = self.web.get("/v1/expense_categories")["data"][0]["id"]
        self.sent, self.paid, self.bad, self.noted = (self.sell() for _ in range(4))
        self.draft, self.later = self.sell(send=False), self.sell(issue_date=OPEN)
        self.payment = self.pay(self.paid)
        self.money = self.post("payments", {"client_id": self.client, "amount": "33.00", **CARD}, 201)["id"]
        self.post(f"invoices/{self.bad}/write_off", {})
        self.issued, self.note = self.credit(self.noted), self.credit(self.noted, issue=False)
        self.expense = self.spend()["id"]
        self.bill = self.spend(paid_on=None, due_date="2026-11-30", tax_invoice_held=False)["id"]
        self.part = self.spend(paid_on=None, due_date="2026-11-30")["id"]
        self.part_payment = self.post(f"expenses/{self.part}/payments", {"amount": "22.00"}, 201)["payments"][0]["id"]
        self.asked = self.kept_deposit()
        self.supplier = self.web.post("/v1/contacts", {"name": "Sparks", "abn": "91888222000"})["data"]["id"]
        self.spend(supplier_id=self.supplier)
        self.same = self.web.post("/v1/contacts", {"name": "Sparks Pty Ltd"})["data"]["id"]
        self.unregistered = self.web.post("/v1/contacts", {"name": "Spark", "gst_registered": False})["data"]["id"]
        app.clock.time = datetime(2026, 10, 20, 2, tzinfo=UTC)

    def post(self, path, body=None, status=200):
        return self.web.post(f"/v1/{path}", body, status)["data"]

    def sell(self, send=True, **members):
        lines = [{"description": "Work", "unit_price": "110.00"}]
        body = {"client_id": self.client, "amounts_are": "inclusive", "line_items": lines, **members}
        id = self.post("invoices", body, 201)["id"]
        if send:
            self.post(f"invoices/{id}/send")
        return id

    def pay(self, id):
        return self.post(f"invoices/{id}/payments", {"amount": "55.00", **CARD}, 201)["payments"][-1]["id"]

    def credit(self, id, issue=True):
        lines = [{"description": "Goodwill", "unit_price": "11.00"}]
        note = self.post("adjustment_notes", {"invoice_id": id, "reason": "other", "line_items": lines}, 201)["id"]
        if issue:
            self.post(f"adjustment_notes/{note}/issue")
        return note

    def spend(self, **members):
        body = {"date": LOCKED, "category_id": self.category, "amount": "220.00", "tax_invoice_held": True}
        return self.post("expenses", {**body, **members}, 201)

    def kept_deposit(self):
        """A deposit that was paid: it can be forfeited."""
        if "jobs" not in self.web.app.manifests:
            return None
        lines = [{"description": "Work", "unit_price": "1000.00"}]
        job = {
            "client_id": self.client,
            "title": "Work",
            "line_items": lines,
            "scheduled_start": "2026-11-30T22:00:00Z",
        }
        job = self.post("jobs", job, 201)["id"]
        id = self.post(f"jobs/{job}/invoice", {"percent": 10, "claim": "deposit"}, 201)["id"]
        self.post(f"invoices/{id}/pay", CARD)
        return id

    def figures(self):
        """Return the figures up to the end of September."""
        report = self.web.get("/v1/reports/gst?from=2026-07-01&to=2026-09-30")["data"]
        owed = self.web.get("/v1/reports/receivables?as_at=2026-09-30")["data"]
        labels = {label: figure["amount"] for label, figure in report.items() if label[0] in "G1" and figure}
        return labels, owed


def writes(b):
    """Each write that has a date: its method, route and path, a body that is refused, and one that is not, if any."""
    share = {"allocations": [{"invoice_id": b.sent, "amount": "11.00"}]}
    later, none = {"date": OPEN}, object()
    of_invoice = f"invoices/{b.paid}/payments/{b.payment}/reverse"
    taken_off = {"invoice_id": b.paid}
    of_expense = "/v1/expenses/{id}/payments/{payment_id}"
    lines = [{"description": "Work", "unit_price": "11.00"}]
    earlier = {"number": "A-1", "client_id": b.client, "due_date": "2026-11-30", "line_items": lines}
    into = f"contacts/{b.supplier}/merge"
    return [
        ("POST", "/v1/invoices/{id}/send", f"invoices/{b.draft}/send", None, none),
        ("POST", "/v1/invoices/{id}/payments", f"invoices/{b.sent}/payments", *by("paid_at", amount="11.00", **CARD)),
        ("POST", "/v1/invoices/{id}/pay", f"invoices/{b.sent}/pay", *by("paid_at", **CARD)),
        ("POST", "/v1/invoices/{id}/payments/{pay_id}/reverse", of_invoice, {}, later),
        ("POST", "/v1/invoices/{id}/void", f"invoices/{b.sent}/void", {}, later),
        ("POST", "/v1/invoices/{id}/write_off", f"invoices/{b.sent}/write_off", {"date": LOCKED}, {}),
        ("POST", "/v1/invoices/{id}/undo_write_off", f"invoices/{b.bad}/undo_write_off", {"mistake": True}, later),
        ("POST", "/v1/invoices/{id}/forfeit", f"invoices/{b.asked}/forfeit", {"forfeited_on": LOCKED}, {}),
        ("POST", "/v1/payments", "payments", *by("paid_at", client_id=b.client, amount="11.00", **CARD)),
        ("POST", "/v1/payments/{id}/allocate", f"payments/{b.money}/allocate", share, none),
        ("POST", "/v1/payments/{id}/deallocate", f"payments/{b.payment}/deallocate", taken_off, taken_off | later),
        ("POST", "/v1/payments/{id}/refund", f"payments/{b.money}/refund", *by("refunded_at", amount="11.00", **CARD)),
        ("POST", "/v1/payments/{id}/reverse", f"payments/{b.money}/reverse", {}, {"mistake": False}),
        ("POST", "/v1/payments/{id}/reverse", f"payments/{b.payment}/reverse", {}, later),
        ("POST", "/v1/adjustment_notes/{id}/issue", f"adjustment_notes/{dated_note(b)}/issue", None, none),
        ("POST", "/v1/adjustment_notes/{id}/issue", f"adjustment_notes/{b.note}/issue", none, None),
        ("POST", "/v1/adjustment_notes/{id}/void", f"adjustment_notes/{b.issued}/void", {}, later),
        ("POST", "/v1/expenses", "expenses", *by("date", category_id=b.category, amount="11.00")),
        ("PATCH", "/v1/expenses/{id}", f"expenses/{b.expense}", {"amount": "11.00"}, {"description": "Paint"}),
        ("PATCH", "/v1/expenses/{id}", f"expenses/{b.expense}", {"date": OPEN}, {"reference": "4711"}),
        ("PATCH", "/v1/expenses/{id}", f"expenses/{b.bill}", *by("paid_on")),
        ("PATCH", "/v1/expenses/{id}", f"expenses/{b.bill}", *by("tax_invoice_held_on")),
        ("POST", "/v1/expenses/{id}/payments", f"expenses/{b.bill}/payments", *by("paid_on", amount="11.00")),
        ("POST", f"{of_expense}/reverse", f"expenses/{b.part}/payments/{b.part_payment}/reverse", {}, later),
        ("POST", "/v1/expenses/{id}/void", f"expenses/{b.expense}/void", {}, later),
        ("DELETE", "/v1/expenses/{id}", f"expenses/{b.expense}", None, none),
        ("PATCH", "/v1/contacts/{id}", f"contacts/{b.supplier}", {"gst_registered": False}, {"gst_registered": True}),
        ("PATCH", "/v1/contacts/{id}", f"contacts/{b.supplier}", {"abn": None}, {"abn": "47555222000"}),
        ("POST", "/v1/contacts/{id}/merge", into, {"into": b.unregistered}, {"into": b.same}),
        ("POST", "/v1/invoices/import", "invoices/import", *by("issue_date", **earlier)),
        ("POST", "/v1/payments/import", "payments/import", *by("paid_at", client_id=b.client, amount="11.00")),
    ]


def by(member, **body):
    """A body dated within the locked days, and the same one later."""
    return {**body, member: LOCKED}, {**body, member: OPEN}


def dated_note(b):
    """A draft whose date is within the locked days, as of a note that was given outside of the books."""
    lines = [{"description": "Goodwill", "unit_price": "11.00"}]
    note = {"invoice_id": b.paid, "reason": "other", "line_items": lines, "issue_date": LOCKED}
    return b.post("adjustment_notes", note, 201)["id"]


def test_nothing_changes_what_counts_up_to_the_date(make_app):
    app = make_app(*PLUGINS, "jobs")
    b = Business(app)
    b.web.patch("/v1/tenant", {"locked_until": "2026-09-30"})
    before, walked = b.figures(), set()
    calls = writes(b)
    assert len(calls) == WRITES
    for method, route, path, refused, _ in calls:
        walked.add(f"{method} {route}")
        if refused is None or isinstance(refused, dict):
            b.web.refused(409, "period_locked", method, f"/v1/{path}", refused)
            assert b.web.last.json["error"]["locked_until"] == "2026-09-30", path
    assert b.figures() == before
    routes = (route for name in ("contacts", "invoices", "expenses") for route in app.manifests[name].routes)
    assert walked == {f"{r.method} {r.path}" for r in routes if r.method != "GET"} - UNDATED


@pytest.mark.parametrize("place", range(WRITES))
def test_what_counts_later_goes_on(make_app, place):
    b = Business(make_app(*PLUGINS, "jobs"))
    b.web.patch("/v1/tenant", {"locked_until": "2026-09-30"})
    before = b.figures()
    method, _, path, _, accepted = writes(b)[place]
    if accepted is None or isinstance(accepted, dict):
        answer = b.web.call(method, f"/v1/{path}", accepted)
        assert answer.status_int in (200, 201), answer.text
        assert b.figures() == before
    else:  # not before the lock is lifted
        b.web.patch("/v1/tenant", {"locked_until": None})
        assert b.web.call(method, f"/v1/{path}", writes(b)[place][3]).status_int in (200, 201)


def test_the_gst_settings_of_locked_days_stay(make_app):
    b = Business(make_app(*PLUGINS))
    b.web.patch("/v1/tenant", {"locked_until": "2026-09-30"})
    settings = b.web.get("/v1/tenant")["data"]["gst_settings"]
    later = [*settings, {"from": "2026-10-01", "registered": True, "basis": "accrual", "period": "quarter"}]
    b.web.refused(409, "period_locked", "PATCH", "/v1/tenant", {"gst_settings": [{**settings[0], "basis": "accrual"}]})
    # What is unpaid counts on the last day of a registration (s 138-15), which is locked.
    ended = [*settings, {"from": "2026-10-01", "registered": False}]
    b.web.refused(409, "period_locked", "PATCH", "/v1/tenant", {"gst_settings": ended})
    assert b.web.patch("/v1/tenant", {"gst_settings": later})["data"]["gst_settings"] == later
    assert b.web.patch("/v1/tenant", {"gst_settings": [], "locked_until": None})["data"]["locked_until"] is None
