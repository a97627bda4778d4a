"""The contract of jobs, member by member and state by state, through the API."""

from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from urllib.parse import quote

import pytest
from hypothesis import given, settings

from billycan import Context
from billycan.testing import Client, counted
from billycan_documents.testing import documents
from billycan_jobs import api
from billycan_jobs.demo import add_samples

pytestmark = pytest.mark.either

D = Decimal
EVERYTHING = ("contacts", "documents", "hosted", "invoices", "staff", "jobs")
UNFINISHED = ("open", "scheduled", "in_progress", "on_hold")
NINE, NOON = "2026-11-30T22:00:00Z", "2026-12-01T01:00:00Z"
ADDRESS = {"line1": "14 Wattlebird Street", "line2": None, "suburb": "Sandy Bay", "state": "TAS", "postcode": "7005"}


@pytest.fixture
def app(make_app):
    return make_app(*EVERYTHING)


@pytest.fixture
def client(app):
    return Client(app)


def contact(client, name="Ada Lovelace"):
    return client.post("/v1/contacts", {"name": name})["data"]["id"]


def person(client, name="Grace"):
    return client.post("/v1/staff", {"name": name})["data"]["id"]


def line(unit_price="100.00", **members):
    return {"description": "Labour", "unit_price": unit_price, **members}


def job(client, status="open", **members):
    """Create a job for a new contact and bring it to this status."""
    members = {"title": "Fix the tap", **members}
    members.setdefault("client_id", None)
    members["client_id"] = members["client_id"] or contact(client)
    if status == "scheduled":
        members.setdefault("scheduled_start", NINE)
    made = client.post("/v1/jobs", members)["data"]
    path = {"in_progress": ["start"], "on_hold": ["start", "hold"], "complete": ["complete"], "cancelled": ["cancel"]}
    for action in path.get(status, ()):
        made = act(client, made, action)
    assert made["status"] == status
    return made


def act(client, made, action, body=None, status=200):
    return client.post(f"/v1/jobs/{made['id']}/{action}", body, status)["data"]


def get(client, made):
    return client.get(f"/v1/jobs/{made['id']}")["data"]


def change(client, made, **members):
    return send_back(client, made, members)


def send_back(client, made, members):
    return client.patch(f"/v1/jobs/{made['id']}", members)["data"]


def faults(client, method, path, body):
    error = client.refused(422, "validation_failed", method, path, body)
    return {(fault["param"], fault["code"]) for fault in error["details"]}


def test_what_is_not_sent_has_its_default(client):
    ada = contact(client)
    made = client.post("/v1/jobs", {"client_id": ada, "title": "Fix the tap"})["data"]
    assert client.last.headers["Location"].endswith(f"/v1/jobs/{made['id']}")
    assert made["id"].startswith("job_")
    times = {name: made.pop(name) for name in ("created_at", "updated_at")}
    assert times["created_at"] == times["updated_at"]
    assert made == {
        "id": made["id"], "number": "JOB-0001", "status": "open", "version": 1,
        "client_id": ada, "client": {"id": ada, "name": "Ada Lovelace"}, "title": "Fix the tap", "description": None,
        "site_address": None, "scheduled_start": None, "scheduled_end": None, "assignee_ids": [], "assignees": [],
        "priority": "normal", "checklist": [], "currency": "AUD", "amounts_are": "exclusive",
        "gst_rounding": "total_invoice", "discount_percent": None, "discount_amount": None, "subtotal": 0,
        "discount_total": 0, "gst": 0, "total": 0, "gst_breakdown": [], "reference": None, "notes": None, "terms": None,
        "quote_id": None, "booking_id": None, "invoice_ids": [],
        "invoiced": {"quoted": 0, "invoiced": 0, "remaining": 0, "retained": 0, "claimed": 0},
        "completed_at": None, "completion_notes": None, "cancelled_at": None, "cancel_reason": None,
        "line_items": [], "external_id": None, "metadata": {},
        "allowed_actions": ["schedule", "start", "complete", "cancel"],
    }  # fmt: skip


def test_every_member_is_kept_changed_and_cleared(client):
    made, grace, joan = job(client), person(client), person(client, "Joan")
    given = {
        "client_id": contact(client, "Odhran"),
        "title": "Mend the tap",
        "description": "It drips.",
        "site_address": {**ADDRESS, "country": "AU"},
        "scheduled_start": NINE,
        "scheduled_end": NOON,
        "assignee_ids": [joan, grace],
        "priority": "urgent",
        "reference": "PO 1",
        "notes": "Thank you",
        "terms": "14 days",
        "completion_notes": "Done",
        "external_id": "x-1",
        "metadata": {"van": "2"},
        "amounts_are": "inclusive",
        "gst_rounding": "per_line",
        "discount_percent": 5,
    }
    changed = change(client, made, **given)
    assert {name: changed[name] for name in given} == given
    assert changed["assignees"] == [{"id": joan, "name": "Joan"}, {"id": grace, "name": "Grace"}]
    assert (changed["client"]["name"], changed["status"], changed["version"]) == ("Odhran", "open", 2)
    optional = {name: None for name in given if name not in ("client_id", "title")}
    cleared = change(client, made, **optional)
    assert all(
        cleared[name] in (None, [], {}) for name in optional if name not in ("priority", "amounts_are", "gst_rounding")
    )
    assert cleared["priority"] == "normal"
    assert client.events()[-2:] == ["job.updated", "job.updated"]


def test_a_change_that_changes_nothing_keeps_the_version_and_tells_nobody(client):
    made = job(client, "scheduled", checklist=[{"text": "a"}], line_items=[line()], assignee_ids=[person(client)])
    assert send_back(client, made, made) == made
    assert change(client, made, title=" Fix the tap ") == made
    assert client.events()[-1] == "job.created"


BREAKS = [
    ({"title": ""}, "title", "required"),
    ({"title": "x" * 201}, "title", "too_long"),
    ({"title": None}, "title", "required"),
    ({"description": "x" * 4001}, "description", "too_long"),
    ({"client_id": "con_none"}, "client_id", "not_found"),
    ({"client_id": None}, "client_id", "required"),
    ({"priority": "soon"}, "priority", "invalid_value"),
    ({"site_address": {"state": "XX"}}, "site_address.state", "invalid_value"),
    ({"scheduled_start": "2026-11-30T09:00:00"}, "scheduled_start", "offset_required"),
    ({"scheduled_end": NINE}, "scheduled_start", "required"),
    ({"scheduled_start": NOON, "scheduled_end": NOON}, "scheduled_end", "out_of_range"),
    ({"assignee_ids": ["stf_none"]}, "assignee_ids[0]", "not_found"),
    ({"checklist": [{"text": ""}]}, "checklist[0].text", "required"),
    ({"checklist": [{"done": True}]}, "checklist[0].text", "required"),
    ({"checklist": [{"text": "a", "id": "chk_none"}]}, "checklist[0].id", "not_found"),
    ({"checklist": [{"text": "a"}] * 201}, "checklist", "too_long"),
    ({"line_items": [{"description": "a"}]}, "line_items[0].unit_price", "required"),
    ({"line_items": [{"description": "a", "unit_price": 1, "id": "lin_none"}]}, "line_items[0].id", "not_found"),
    ({"line_items": [{"description": "a", "unit_price": 1}] * 501}, "line_items", "too_long"),
    ({"discount_amount": 1}, "discount_amount", "out_of_range"),
    ({"currency": "NZD"}, "currency", "currency_not_supported"),
    ({"quote_id": "quo_none"}, "quote_id", "not_found"),
    ({"booking_id": "bkg_none"}, "booking_id", "not_found"),
    ({"status": "complete"}, "status", "read_only"),
    ({"invoice_ids": ["inv_1"]}, "invoice_ids", "read_only"),
    ({"completed_at": NOON}, "completed_at", "read_only"),
    ({"total": 5}, "total", "read_only"),
    ({"colour": 5}, "colour", "unknown_field"),
]


def test_what_breaks_a_rule_is_refused_and_named(client):
    made = job(client)
    body = {"client_id": made["client_id"], "title": "Fix"}
    for members, param, code in BREAKS:
        new = {name: value for name, value in {**body, **members}.items() if value is not None}
        assert (param, code) in faults(client, "POST", "/v1/jobs", new)
        assert (param, code) in faults(client, "PATCH", f"/v1/jobs/{made['id']}", members)
    grace = person(client)
    twice = {**body, "assignee_ids": [grace, grace]}
    assert faults(client, "POST", "/v1/jobs", twice) == {("assignee_ids[1]", "invalid_value")}
    assert get(client, made) == made


def test_lines_come_to_what_an_invoice_of_them_would(client):
    lines = [line("0.35", quantity=3), line("19.99", gst_code="gst_free"), line("-4.00")]
    members = {"client_id": contact(client), "amounts_are": "inclusive", "discount_percent": "7.5", "line_items": lines}
    made, bill = job(client, **members), client.post("/v1/invoices", members)["data"]
    for name in ("subtotal", "discount_total", "gst", "total", "gst_breakdown"):
        assert made[name] == bill[name]
    assert [{**x, "id": 0} for x in made["line_items"]] == [{**x, "id": 0} for x in bill["line_items"]]


def test_lines_and_items_are_merged_by_id_in_the_order_sent(client):
    made = job(client, checklist=[{"text": "a", "required": True}, {"text": "b"}], line_items=[line("1"), line("2")])
    (a, b), (first, second) = made["checklist"], made["line_items"]
    assert [item["id"][:4] for item in (a, b)] == ["chk_", "chk_"]
    changed = change(
        client,
        made,
        checklist=[{"id": b["id"], "done": True}, {"text": "c"}, {"id": a["id"], "required": None}],
        line_items=[{"id": second["id"], "quantity": 3}, line("5"), {"id": first["id"]}],
    )
    assert changed["checklist"][0] == {**b, "done": True}
    assert changed["checklist"][2] == {**a, "required": False}
    assert [item["text"] for item in changed["checklist"]] == ["b", "c", "a"]
    assert [item["id"] for item in changed["line_items"]][::2] == [second["id"], first["id"]]
    assert changed["subtotal"] == D("12.00")
    missing = f"/v1/jobs/{made['id']}"
    assert faults(client, "PATCH", missing, {"checklist": [{"id": "chk_x"}]}) == {("checklist[0].id", "not_found")}
    assert faults(client, "PATCH", missing, {"checklist": [a, a]}) == {("checklist[1].id", "not_found")}
    assert faults(client, "PATCH", missing, {"line_items": [{"id": "lin_x"}]}) == {("line_items[0].id", "not_found")}
    empty = change(client, made, checklist=None, line_items=None)
    assert (empty["checklist"], empty["line_items"], empty["total"]) == ([], [], 0)


def test_one_discount_clears_the_other(client):
    made = job(client, line_items=[line(discount_percent=10)], discount_amount=5)
    changed = change(
        client, made, discount_percent=10, line_items=[{"id": made["line_items"][0]["id"], "discount_amount": 20}]
    )
    assert (changed["discount_percent"], changed["discount_amount"]) == (10, None)
    assert changed["subtotal"] == D("72.00")


def test_numbers_are_given_at_creation_and_never_again(client):
    first = job(client)
    client.delete(f"/v1/jobs/{first['id']}")
    assert (first["number"], job(client)["number"]) == ("JOB-0001", "JOB-0002")


def test_staff_that_are_assigned_are_not_deleted(client):
    grace = person(client)
    made = job(client, assignee_ids=[grace])
    error = client.refused(409, "has_dependents", "DELETE", f"/v1/staff/{grace}")
    assert error["dependents"] == {"jobs": 1} and "`active`" in error["message"]
    change(client, made, assignee_ids=[])
    client.delete(f"/v1/staff/{grace}")


def test_only_staff_who_are_active_are_assigned_anew(client):
    grace, made = person(client), job(client)
    change(client, made, assignee_ids=[grace])
    client.patch(f"/v1/staff/{grace}", {"active": False})
    error = client.post("/v1/jobs", {"client_id": made["client_id"], "title": "Tap", "assignee_ids": [grace]}, 422)
    assert [(d["param"], d["code"]) for d in error["error"]["details"]] == [("assignee_ids[0]", "invalid_value")]
    assert change(client, made, assignee_ids=[person(client, "Ada"), grace])["assignees"][1]["name"] == "Grace"


def test_a_job_does_without_staff_and_keeps_who_was_assigned(client, make_app):
    made = job(client, assignee_ids=[person(client)])
    url = client.app.db.url.render_as_string(hide_password=False)
    less = Client(make_app("contacts", "documents", "jobs", database=url), client.tenant_id)
    shown = get(less, made)
    assert (shown["assignee_ids"], shown["assignees"], shown["invoice_ids"]) == ([], [], [])
    assert send_back(less, made, shown) == shown
    renamed = send_back(less, made, {**shown, "title": "Mend the tap"})
    assert renamed["title"] == "Mend the tap"
    body = {"assignee_ids": made["assignee_ids"]}
    assert faults(less, "PATCH", f"/v1/jobs/{made['id']}", body) == {("assignee_ids[0]", "not_found")}
    assert get(client, made)["assignees"] == made["assignees"]


def test_a_job_is_scheduled_when_it_is_made_with_a_start(client):
    made = job(client, "scheduled", scheduled_start="2026-12-01T09:00:00+11:00", scheduled_end=NOON)
    assert (made["scheduled_start"], made["scheduled_end"]) == (NINE, NOON)
    body = {"scheduled_start": None, "scheduled_end": None}
    assert faults(client, "PATCH", f"/v1/jobs/{made['id']}", body) == {("scheduled_start", "required")}
    assert change(client, made, scheduled_end=None)["status"] == "scheduled"


def test_scheduling_says_when(client):
    made = job(client)
    path = f"/v1/jobs/{made['id']}/schedule"
    assert faults(client, "POST", path, {}) == {("scheduled_start", "required")}
    assert faults(client, "POST", path, {"scheduled_start": NOON, "scheduled_end": NINE}) == {
        ("scheduled_end", "out_of_range")
    }
    after = act(client, made, "schedule", {"scheduled_start": NINE, "scheduled_end": NOON})
    assert (after["scheduled_start"], after["scheduled_end"]) == (NINE, NOON)


def test_a_checklist_blocks_completion(client):
    made = job(client, checklist=[{"text": "Water off", "required": True}, {"text": "Tea"}])
    path = f"/v1/jobs/{made['id']}/complete"
    assert "Water off" in client.refused(409, "checklist_incomplete", "POST", path)["message"]
    water, tea = made["checklist"]
    change(client, made, checklist=[{"id": water["id"], "done": True}, tea])
    done = act(client, made, "complete", {"notes": "All good"})
    assert (done["status"], done["completion_notes"]) == ("complete", "All good")
    undo = {"checklist": [{"id": water["id"], "done": False}]}
    client.refused(409, "checklist_incomplete", "PATCH", f"/v1/jobs/{made['id']}", undo)
    change(client, made, checklist=[{"id": water["id"]}])


def test_completing_again_keeps_the_notes_and_tells_again(client, clock):
    made = job(client)
    first = act(client, made, "complete", {"notes": "Washer replaced"})
    again = act(client, made, "reopen")
    assert (again["completed_at"], again["completion_notes"]) == (None, "Washer replaced")
    clock.move(hours=2)
    second = act(client, made, "complete")
    assert second["completion_notes"] == "Washer replaced" and second["completed_at"] > first["completed_at"]
    assert client.events().count("job.completed") == 2


def test_cancelling_keeps_the_reason(client):
    made = act(client, job(client), "cancel", {"reason": "Moved house"})
    assert made["cancel_reason"] == "Moved house" and made["cancelled_at"]
    client.refused(422, "validation_failed", "POST", f"/v1/jobs/{job(client)['id']}/cancel", {"reason": ""})


@pytest.mark.parametrize("status", [*UNFINISHED, "complete", "cancelled"])
def test_an_open_or_cancelled_job_is_deleted(client, status):
    made = job(client, status, line_items=[line()])
    if status in ("open", "cancelled"):
        assert client.delete(f"/v1/jobs/{made['id']}")["data"] == {"id": made["id"], "deleted": True}
        client.get(f"/v1/jobs/{made['id']}", 404)
        assert client.events()[-1] == "job.deleted"
    else:
        error = client.refused(409, "document_locked", "DELETE", f"/v1/jobs/{made['id']}")
        assert error["status"] == status


def test_every_write_heeds_if_match(client):
    made = job(client)
    for action in ("schedule", "start", "hold", "resume", "complete", "cancel", "reopen", "invoice"):
        body = {"scheduled_start": NINE} if action == "schedule" else None
        path = f"/v1/jobs/{made['id']}/{action}"
        client.refused(412, "version_conflict", "POST", path, body, headers={"If-Match": '"7"'})
    client.call("DELETE", f"/v1/jobs/{made['id']}", None, 412, {"If-Match": '"7"'})
    assert get(client, made) == made


def test_a_complete_job_is_invoiced_once(client):
    grace = person(client)
    made = job(client, "complete", line_items=[line(), line("3.33", quantity="2.5")], assignee_ids=[grace],
               reference="PO 1", notes="Thanks", terms="7 days", discount_amount="1.01")  # fmt: skip
    bill = act(client, made, "invoice", status=201)
    assert client.last.headers["Location"].endswith(f"/v1/invoices/{bill['id']}")
    assert (bill["status"], bill["job_id"], bill["total"]) == ("draft", made["id"], made["total"])
    for name in ("client_id", "reference", "notes", "terms", "discount_amount", "gst", "subtotal", "gst_breakdown"):
        assert bill[name] == made[name], name
    after = get(client, made)
    assert (after["invoice_ids"], after["allowed_actions"]) == ([bill["id"]], ["reopen"])
    assert after["version"] == made["version"] + 1
    error = client.refused(409, "already_invoiced", "POST", f"/v1/jobs/{made['id']}/invoice")
    assert error["invoice_id"] == bill["id"]
    assert client.events()[-2:] == ["invoice.created", "job.updated"]
    reopened = act(client, made, "reopen")
    assert reopened["invoice_ids"] == [bill["id"]]
    client.refused(409, "has_dependents", "DELETE", f"/v1/jobs/{made['id']}")


def test_a_job_without_lines_is_not_invoiced(client):
    made = job(client, "complete")
    assert faults(client, "POST", f"/v1/jobs/{made['id']}/invoice", {}) == {("line_items", "required")}


def test_deleting_or_voiding_its_invoice_frees_the_job(client):
    made = job(client, "complete", line_items=[line()])
    bill = act(client, made, "invoice", status=201)
    client.delete(f"/v1/invoices/{bill['id']}")
    free = get(client, made)
    assert (free["invoice_ids"], free["allowed_actions"]) == ([], ["reopen", "invoice"])
    assert client.events()[-2:] == ["invoice.deleted", "job.updated"]
    second = act(client, made, "invoice", status=201)
    client.post(f"/v1/invoices/{second['id']}/send", None, 200)
    client.post(f"/v1/invoices/{second['id']}/void", None, 200)
    third = act(client, made, "invoice", status=201)
    assert get(client, made)["invoice_ids"] == [second["id"], third["id"]]


@pytest.mark.both
def test_of_many_at_once_one_completes_and_one_invoices(client):
    made = job(client, line_items=[line()])

    def attempt(action):
        response = client.key().call("POST", f"/v1/jobs/{made['id']}/{action}")
        return response.status_int, (response.json["error"] or {}).get("code")

    with ThreadPoolExecutor(6) as pool:
        completed = list(pool.map(attempt, ["complete"] * 6))
        invoiced = list(pool.map(attempt, ["invoice"] * 6))
    assert sorted(completed, key=str) == [(200, None), *[(409, "invalid_state_transition")] * 5]
    assert sorted(invoiced, key=str) == [(201, None), *[(409, "already_invoiced")] * 5]
    assert client.events().count("job.completed") == client.events().count("invoice.created") == 1


@pytest.mark.both
def test_staff_are_not_deleted_while_they_are_being_assigned(client):
    for _ in range(4):
        grace, made = person(client), job(client)

        def attempt(call, path=f"/v1/jobs/{made['id']}", grace=grace):
            if call == "PATCH":
                return client.key().call("PATCH", path, {"assignee_ids": [grace]}).status_int
            return client.key().call("DELETE", f"/v1/staff/{grace}").status_int

        with ThreadPoolExecutor(2) as pool:
            answers = list(pool.map(attempt, ["PATCH", "DELETE"]))
        assert answers in ([200, 409], [422, 200])


def test_an_invoice_made_by_others_is_listed_and_stands_in_no_way(client):
    made, other = job(client, "complete", line_items=[line()]), job(client)
    deposit = {"client_id": made["client_id"], "line_items": [line("50.00")], "job_id": made["id"]}
    deposit = client.post("/v1/invoices", deposit)["data"]
    bill = act(client, made, "invoice", status=201)
    assert get(client, made)["invoice_ids"] == [deposit["id"], bill["id"]]
    client.patch(f"/v1/invoices/{deposit['id']}", {"job_id": other["id"]})
    assert get(client, made)["invoice_ids"] == [bill["id"]]
    assert get(client, other)["invoice_ids"] == [deposit["id"]]
    error = client.refused(409, "has_dependents", "DELETE", f"/v1/jobs/{other['id']}")
    assert error["dependents"] == {"invoices": 1}
    client.patch(f"/v1/invoices/{deposit['id']}", {"job_id": None}, If_Match='"2"')
    assert get(client, other)["invoice_ids"] == []
    client.delete(f"/v1/jobs/{other['id']}")


def test_there_is_no_invoice_action_without_invoices(make_app):
    client = Client(make_app("contacts", "documents", "jobs"))
    made = job(client, "complete", line_items=[line()])
    assert made["allowed_actions"] == ["reopen"]
    client.refused(404, "route_not_found", "POST", f"/v1/jobs/{made['id']}/invoice")


@pytest.mark.sqlite_alone  # documents reckon in Python; others here invoice a job on PostgreSQL, too
@settings(max_examples=20)
@given(documents())
def test_every_cent_and_rule_carries_over_to_the_invoice(client, document):
    made = client.post("/v1/jobs", {"client_id": contact(client), "title": "Fix", **document})["data"]
    made = act(client, made, "complete")
    bill = act(client, made, "invoice", status=201)
    figures = (
        "amounts_are",
        "gst_rounding",
        "discount_percent",
        "discount_total",
        "subtotal",
        "gst",
        "total",
        "gst_breakdown",
    )
    assert {name: bill[name] for name in figures} == {name: made[name] for name in figures}
    assert [{**x, "id": 0} for x in bill["line_items"]] == [{**x, "id": 0} for x in made["line_items"]]
    assert sum(x["total"] for x in made["line_items"]) == made["total"] == made["subtotal"] + made["gst"]


def test_the_chain_knows_its_neighbours(make_app):
    client = Client(make_app(*EVERYTHING, "bookings", "hosted", "quotes"))
    ada = contact(client)
    hours = [{"day": day, "start": "08:00", "end": "17:00"} for day in ("monday", "tuesday")]
    grace = client.post("/v1/staff", {"name": "Grace", "timezone": "Australia/Hobart", "hours": hours})["data"]["id"]
    service = client.post("/v1/services", {"name": "Visit", "duration_minutes": 60})["data"]["id"]
    slot = {"service_id": service, "staff_id": grace, "client_id": ada}
    booking = client.post("/v1/bookings", {**slot, "start_at": "2026-11-30T09:00:00+11:00"})["data"]
    made = job(client, client_id=ada, booking_id=booking["id"], assignee_ids=[grace])
    assert made["booking_id"] == booking["id"]
    offer = {"client_id": ada, "title": "New unit", "line_items": [line("99.95", quantity=3)], "discount_percent": 3}
    offer = client.post("/v1/quotes", {**offer, "booking_id": booking["id"], "job_id": made["id"]})["data"]
    assert get(client, made)["quote_id"] == offer["id"]
    second = client.post("/v1/bookings", {**slot, "start_at": "2026-12-01T09:00:00+11:00", "job_id": made["id"]})[
        "data"
    ]
    assert get(client, made)["booking_id"] == booking["id"]
    client.post(f"/v1/quotes/{offer['id']}/send", {}, 200)
    client.post(f"/v1/quotes/{offer['id']}/accept", {"name": "Ada"}, 200)
    work = client.post(f"/v1/quotes/{offer['id']}/convert", {"to": "job"})["data"]
    assert client.last.headers["Location"].endswith(f"/v1/jobs/{work['id']}")
    assert (work["quote_id"], work["booking_id"], work["total"]) == (offer["id"], booking["id"], offer["total"])
    act(client, work, "complete")
    bill = act(client, work, "invoice", status=201)
    assert (bill["quote_id"], bill["job_id"], bill["booking_id"]) == (offer["id"], work["id"], booking["id"])
    assert bill["total"] == offer["total"]
    assert client.get(f"/v1/quotes/{offer['id']}")["data"]["status"] == "invoiced"
    alone = job(client, client_id=ada, booking_id=second["id"])
    client.post(f"/v1/bookings/{second['id']}/cancel", {}, 200)
    client.delete(f"/v1/bookings/{second['id']}")
    assert get(client, alone)["booking_id"] is None
    draft = client.post("/v1/quotes", {"client_id": ada, "line_items": [line()], "job_id": alone["id"]})["data"]
    client.delete(f"/v1/quotes/{draft['id']}")
    assert get(client, alone)["quote_id"] is None


def test_a_neighbour_of_a_plugin_that_is_off_is_not_shown_and_not_lost(make_app):
    client = Client(make_app(*EVERYTHING, "hosted", "quotes"))
    ada = contact(client)
    offer = client.post("/v1/quotes", {"client_id": ada, "line_items": [line()]})["data"]
    made = job(client, "complete", client_id=ada, quote_id=offer["id"], line_items=[line()])
    url = client.app.db.url.render_as_string(hide_password=False)
    less = Client(make_app(*EVERYTHING, database=url), client.tenant_id)
    shown = get(less, made)
    assert shown["quote_id"] is None
    assert send_back(less, made, {**shown, "priority": "low"})["quote_id"] is None
    assert act(less, made, "invoice", status=201)["quote_id"] is None
    assert get(client, made)["quote_id"] == offer["id"]


def test_another_plugin_makes_a_job_in_its_own_transaction(client):
    ada = contact(client)
    given = {"client_id": ada, "title": "Fix", "line_items": [line()], "purchase_order": "7", "quote_id": "quo_gone"}
    ctx = Context(client.app, client.tenant_id)
    with ctx.transaction():
        made = api.make(ctx, given)
        assert api.names(ctx, [made.id, "job_none"]) == {made.id: "Fix"}
    assert client.get(f"/v1/jobs/{made.id}")["data"]["quote_id"] is None
    ctx = Context(client.app, client.tenant_id)
    with pytest.raises(ZeroDivisionError), ctx.transaction():
        id = api.make(ctx, given).id
        1 / 0  # noqa: B018
    client.get(f"/v1/jobs/{id}", 404)


@pytest.fixture
def diary(client, clock):
    """Create jobs of different statuses; return them by name."""
    ada, odhran, grace = contact(client), contact(client, "Odhran Vessey"), person(client)
    made = {
        "open": job(client, client_id=ada, title="Éclair oven", priority="high", metadata={"van": "2"}),
        "scheduled": job(client, "scheduled", client_id=ada, assignee_ids=[grace], scheduled_end=NOON, reference="r"),
        "complete": job(client, "complete", client_id=odhran, line_items=[line()], description="Under 100% steam"),
        "cancelled": job(client, "cancelled", client_id=odhran, title="unit 12_b", external_id="x"),
    }
    clock.move(days=3)
    made["in_progress"] = job(
        client, "in_progress", client_id=ada, title="zinc", scheduled_start="2026-12-05T00:00:00Z"
    )
    return {**made, "ada": ada, "odhran": odhran, "grace": grace}


def test_every_filter_finds_what_it_says(client, diary):
    ids = {diary[name]["id"]: name for name in ("open", "scheduled", "complete", "cancelled", "in_progress")}
    expected = {
        "status=open": "open",
        "status=open,cancelled": "cancelled open",
        "status=on_hold": "",
        "priority=high,urgent": "open",
        f"client_id={diary['odhran']}": "cancelled complete",
        f"client_id={diary['odhran']},con_none": "cancelled complete",
        f"assignee_id={diary['grace']}": "scheduled",
        f"assignee_id=stf_none,{diary['grace']}": "scheduled",
        "assignee_id=stf_none": "",
        "number=JOB-0002,JOB-0003": "complete scheduled",
        "scheduled_start_from=2026-12-01": "in_progress scheduled",
        "scheduled_start_to=2026-12-01": "scheduled",
        f"scheduled_start_from={NOON}": "in_progress",
        f"scheduled_start_from={NINE}&scheduled_start_to={NINE}": "scheduled",
        f"scheduled_end_to={NOON}": "scheduled",
        "completed_at_from=2026-11-21": "complete",
        "completed_at_to=2026-11-20": "",
        "cancelled_at_from=2026-11-21": "cancelled",
        "created_at_from=2026-11-23": "in_progress",
        "created_at_to=2026-11-21": "cancelled complete open scheduled",
        "total_from=0.01": "complete",
        "total_to=0": "cancelled in_progress open scheduled",
        "external_id=x": "cancelled",
        "metadata[van]=2": "open",
        "search=ECLAIR": "open",
        "search=100%25": "complete",
        "search=2_b": "cancelled",
        "search=vessey": "cancelled complete",
        "search=job-0003": "complete",
        "search=tap&status=complete": "complete",
    }
    for query, names in expected.items():
        found = client.get(f"/v1/jobs?{query}")
        assert sorted(ids[r["id"]] for r in found["data"]) == names.split(), query
        assert found["pagination"]["total"] == len(names.split())


def test_every_sort_orders_the_whole_list(client, diary):
    def order(sort):
        return [r["title"] if "title" in sort else r["status"] for r in client.get(f"/v1/jobs?sort={sort}")["data"]]

    assert order("title") == ["Éclair oven", "Fix the tap", "Fix the tap", "unit 12_b", "zinc"]
    assert order("-scheduled_start")[:2] == ["in_progress", "scheduled"] == order("scheduled_start")[1::-1]
    assert order("number") == ["open", "scheduled", "complete", "cancelled", "in_progress"]
    assert order("-total")[0] == "complete" == order("completed_at")[0] == order("-completed_at")[0]
    client.refused(400, "invalid_sort", "GET", "/v1/jobs?sort=priority")


@pytest.mark.sqlite_alone
@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("status=done", "invalid_filter"),
        ("priority=", "invalid_filter"),
        ("scheduled_start_from=soon", "invalid_filter"),
        ("total_from=1e9", "invalid_filter"),
        ("search=" + "x" * 201, "invalid_filter"),
        ("include=payments", "invalid_parameter"),
        ("assignee=stf_1", "unknown_parameter"),
    ],
)
def test_a_parameter_that_cannot_be_read_is_named(client, query, code):
    error = client.refused(400, code, "GET", f"/v1/jobs?{query}")
    assert error["param"] == query.partition("=")[0]


def test_lists_show_everything_but_lines(client, diary):
    whole = get(client, diary["complete"])
    for query, members in (("", whole.keys() - {"line_items"}), ("&include=line_items", whole.keys())):
        (listed,) = client.get(f"/v1/jobs?status=complete{query}")["data"]
        assert listed == {name: whole[name] for name in members}
    assert client.get(f"/v1/jobs?search={quote('☃')}")["data"] == []


def test_a_page_takes_a_handful_of_statements_however_long(client):
    ada, grace = contact(client), person(client)
    for _ in range(3):
        job(client, client_id=ada, assignee_ids=[grace], line_items=[line()])
    with counted(client.app) as few:
        client.get("/v1/jobs?per_page=2&include=line_items")
    with counted(client.app) as many:
        client.get("/v1/jobs?per_page=3&include=line_items")
    assert len(many) == len(few) == 6


def test_what_nobody_asks_for_is_not_looked_up(client):
    ada, grace = contact(client), person(client)
    made = job(client, client_id=ada, assignee_ids=[grace], line_items=[line()])
    for fields, count in (
        ("number,total,status,assignee_ids", 1),
        ("client", 2),
        ("assignees", 2),
        ("invoice_ids,allowed_actions", 2),
        ("line_items", 2),
        ("client,assignees,invoice_ids,line_items", 5),
    ):
        for path in (f"/v1/jobs/{made['id']}", "/v1/jobs"):
            with counted(client.app) as sent:
                data = client.get(f"{path}?fields={fields}")["data"]
            assert len(sent) == count, (path, fields, sent)
            shown = data if isinstance(data, dict) else data[0]
            assert shown == {name: made[name] for name in ("id", *fields.split(","))}
    (both,) = client.get("/v1/jobs?fields=number&include=line_items")["data"]
    assert both == {name: made[name] for name in ("id", "number", "line_items")}


@pytest.mark.parametrize("others", [(), ("staff",), ("hosted", "invoices", "staff")])
def test_the_samples_show_every_state(make_app, others):
    from billycan_contacts.demo import add_samples as add_contacts

    client = Client(make_app("contacts", "documents", "jobs", *others))
    for add in (add_contacts, add_samples):
        ctx = Context(client.app, client.tenant_id)
        with ctx.transaction():
            add(ctx)
    found = client.get("/v1/jobs")["data"]
    assert {r["status"] for r in found} == {*UNFINISHED, "complete", "cancelled"}
    assert any(r["invoice_ids"] for r in found) == ("invoices" in others)
