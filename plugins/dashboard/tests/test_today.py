"""The day of one member of staff: where to go, whom to call, what to tick, photos, signatures, and actions."""

import pytest
from webtest import Upload

from billycan.testing import Client
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone
PLUGINS = ("attachments", "bookings", "calendar", "contacts", "documents", "invoices", "jobs", "staff")
DAY, PNG = "2026-12-09", b"\x89PNG\r\n\x1a\n" + bytes(64)


@pytest.fixture
def client(make_app):
    return Client(make_app(*PLUGINS, "hosted", "users", "dashboard"))


@pytest.fixture
def dave(client, owner):
    email = "dave@example.com"
    return client.post("/v1/staff", {"name": "Dave", "email": email})["data"]["id"]


@pytest.fixture
def job(client, dave):
    """A job on that day, with a checklist."""
    details = {"phone": "0400 000 000", "billing_address": {"line1": "1 Elizabeth St", "suburb": "Hobart"}}
    ada = client.post("/v1/contacts", {"name": "Ada", **details})["data"]["id"]
    checklist = [{"text": "Turn the water off", "required": True}, {"text": "Sweep the floor"}]
    times = {"scheduled_start": f"{DAY}T09:00:00+11:00", "scheduled_end": f"{DAY}T11:00:00+11:00"}
    lines = [{"description": "Basin", "quantity": 1, "unit_price": "200.00"}]
    body = {
        "client_id": ada,
        "title": "Fit a basin",
        "assignee_ids": [dave],
        "checklist": checklist,
        "line_items": lines,
    }
    return client.post("/v1/jobs", {**body, **times})["data"]["id"]


def page_of(dave):
    return f"/dashboard/today?day={DAY}&staff={dave}"


def form_of(dave, job, what):
    return f"/dashboard/today/jobs/{job}/{what}?day={DAY}&staff={dave}"


def test_a_stop_says_where_whom_to_call_and_what_to_do(client, owner, dave, job):
    stop = owner.get(page_of(dave)).html.find("li", attrs={"data-stop": job})
    assert stop.find("a", href="tel:0400000000")
    assert stop.find("a", target="_blank")["href"].endswith("query=1+Elizabeth+St%2C+Hobart")
    owner.send(form_of(dave, job, "start"))
    assert client.get(f"/v1/jobs/{job}")["data"]["status"] == "in_progress"
    assert owner.page.request.path_qs == page_of(dave)  # one stays on the page of the day
    assert "Nothing is planned" in owner.get("/dashboard/today?day=2026-12-10").text


def test_what_is_most_likely_done_next_comes_first(client, owner, dave, job):
    client.post(f"/v1/jobs/{job}/start", {}, 200)
    client.patch(f"/v1/jobs/{job}", {"checklist": []})
    stop = owner.get(page_of(dave)).html.find("li", attrs={"data-stop": job})
    first = stop.find_all("div", class_="actions")[-1].find(["a", "button"])
    assert first.text == "Complete" and "second" not in first["class"]
    client.post(f"/v1/jobs/{job}/complete", {}, 200)
    owner.get(page_of(dave))
    owner.send(form_of(dave, job, "invoice"))
    assert "The invoice was created" in owner.page.text, "all of the work, without a form"
    stop = owner.get(page_of(dave)).html.find("li", attrs={"data-stop": job})
    beside = stop.find_all("div", class_="actions")[-1].find(["a", "button"])
    assert beside.text == "Reopen" and "second" in beside["class"], "nothing leads"


def test_a_field_worker_begins_with_today_and_learns_what_is_missing(client, owner):
    worker = Browser(client.app).join(client, "field")
    shown = worker.get("/dashboard")
    assert shown.request.path == "/dashboard/today" and "You are not on the staff list yet" in shown.text
    asked = owner.get("/dashboard/staff/new").html.select(".grid > .field [name=user_id] option")
    owner.send(
        "/dashboard/staff/new", name="Sam", user_id=next(each["value"] for each in asked if each.text == "Field")
    )
    assert "Nothing is planned" in worker.get("/dashboard").text


def test_what_is_done_is_ticked_and_a_tick_is_taken_away(client, owner, dave, job):
    def pressed():
        buttons = owner.get(page_of(dave)).html.find_all("button", class_="tick")
        return [(button.span.text, button["aria-pressed"]) for button in buttons]

    assert pressed() == [("Turn the water off", "false"), ("Sweep the floor", "false")]
    first, second = (item["id"] for item in client.get(f"/v1/jobs/{job}")["data"]["checklist"])
    assert "Required" in owner.page.html.find("button", class_="tick").text
    # Another item comes while the page is open: it stays, and so does its tick.
    more = [{"id": first}, {"id": second}, {"text": "Lock up", "done": True}]
    client.patch(f"/v1/jobs/{job}", {"checklist": more})
    owner.send(form_of(dave, job, "tick"), item=first)
    assert pressed() == [("Turn the water off", "true"), ("Sweep the floor", "false"), ("Lock up", "true")]
    owner.send(form_of(dave, job, "tick"), item=first)
    assert pressed()[0] == ("Turn the water off", "false")
    owner.web.post(form_of(dave, job, "tick"), {"token": owner.token, "item": "chk_none", "done": "yes"}, status=404)


def test_a_change_at_the_same_moment_does_not_lose_a_tick(client, owner, dave, job, monkeypatch):
    from billycan_dashboard.business import today

    item, calls, ids_of = client.get(f"/v1/jobs/{job}")["data"]["checklist"][0]["id"], [], today._ids_of

    def meanwhile(record, member):
        calls.append(record["version"])
        if len(calls) == 1:  # after it was read, before the tick is sent
            client.patch(f"/v1/jobs/{job}", {"title": "Fit two basins"})
        return ids_of(record, member)

    owner.get(page_of(dave))
    monkeypatch.setattr(today, "_ids_of", meanwhile)
    owner.send(form_of(dave, job, "tick"), item=item)
    after = client.get(f"/v1/jobs/{job}")["data"]
    assert (after["title"], after["checklist"][0]["done"]) == ("Fit two basins", True)


def test_photos_and_signatures_are_attached_and_shown(client, owner, dave, job):
    owner.get(page_of(dave))
    owner.send(form_of(dave, job, "attachments"), file=Upload("IMG_1.png", PNG))
    assert owner.page.request.path_qs == page_of(dave) and "The file was attached" in owner.page.text
    (file,) = client.get(f"/v1/attachments?resource={job}")["data"]
    (picture,) = owner.page.html.find("ul", class_="shots").find_all("img")
    assert picture["src"].endswith(f"{file['id']}?small=yes") and picture["alt"] == "IMG_1.png"
    owner.send(form_of(dave, job, "attachments"), file=Upload("x.svg", b"<svg/>"), status=415)
    assert client.get(f"/v1/attachments?resource={job}")["pagination"]["total"] == 1


def test_those_who_may_only_read_tick_and_attach_nothing(client, owner, dave, job):
    viewer = Browser(client.app).join(client, "viewer")
    page = viewer.get(page_of(dave))
    assert "Turn the water off" in page.text and not page.html.find("button", class_="tick")
    assert not page.html.find("input", attrs={"type": "file"})
    item = client.get(f"/v1/jobs/{job}")["data"]["checklist"][0]["id"]
    for what in ("tick", "attachments", "start"):
        fields = {"token": viewer.token, "item": item, "version": "1"}
        viewer.web.post(form_of(dave, job, what), fields, upload_files=[("file", "x.png", PNG)], status=403)


def test_what_is_completed_by_its_form_is_shown_on_the_day_with_what_comes_next(client, owner, dave, job):
    client.post(f"/v1/jobs/{job}/start", {}, 200)
    client.patch(f"/v1/jobs/{job}", {"checklist": []})
    form = owner.get(page_of(dave)).click("^Complete$")
    assert form.html.find("p", class_="back").a["href"] == page_of(dave)
    assert form.html.find("a", string="Cancel")["href"] == page_of(dave)
    owner.get(form.request.path_qs)
    owner.send(form.html.select_one("form.editor")["action"], notes="x" * 10_001, status=422)
    owner.send(owner.page.html.select_one("form.editor")["action"], notes="All fine")
    assert owner.page.request.path_qs == page_of(dave) and "The job is now complete" in owner.page.text
    assert client.get(f"/v1/jobs/{job}")["data"]["completion_notes"] == "All fine"
    stop = owner.page.html.find("li", attrs={"data-stop": job})
    first = stop.find_all("div", class_="actions")[-1].find(["a", "button"])
    assert first.text == "Create an invoice" and "second" not in first.get("class", [])
