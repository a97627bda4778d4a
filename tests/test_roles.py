"""The routes that each role may call, of every plugin, and the records that somebody finds who sees only their own.

Both are derived from the routes themselves: a new route has its place in each role, or a test here names it.
"""

import json

import pytest
import sqlalchemy as sa

from billycan import Identity, Problem
from billycan.starting import plugins
from billycan.testing import Client
from billycan.web import encode
from billycan_users.api import Role
from billycan_users.tables import users
from billycan_users.testing import Browser

pytestmark = pytest.mark.either

EXAMPLES = {"assets", "audit", "paylink", "sso_auth", "visits"}
ROLES: tuple[Role, ...] = ("owner", "office", "bookkeeper", "field", "developer", "viewer")
# Every route that is open to field staff: all others are closed to them.
OF_FIELD = {
    "GET": "attachments attachments/{id} attachments/{id}/content bookings bookings/{id} bookings/{id}.ics"
    " calendar contacts contacts/{id} jobs jobs/{id} me openapi.json search staff staff/{id}",
    "PATCH": "bookings/{id} jobs/{id}",
    "DELETE": "attachments/{id}",
    "POST": "attachments batch bookings/{id}/cancel bookings/{id}/complete bookings/{id}/confirm bookings/{id}/decline"
    " bookings/{id}/no_show bookings/{id}/reopen bookings/{id}/reschedule jobs/{id}/cancel jobs/{id}/complete"
    " jobs/{id}/hold jobs/{id}/reopen jobs/{id}/resume jobs/{id}/schedule jobs/{id}/start",
}
LINES = [{"description": "Tap washers", "quantity": 3, "unit_price": "4.95"}]
SENT = {
    "schedule": {"scheduled_start": "2026-11-24T09:00:00+11:00"},
    "reschedule": {"start_at": "2026-11-24T09:00:00+11:00"},
}


def join(client, role, name=""):
    """Return the present identity of a new person with this role."""
    browser = Browser(client.app).join(client, role, f"{name or role}.{client.tenant_id}@example.com".lower())
    with client.app.db.reading() as db:
        id = db.execute(sa.select(users.c.id).where(users.c.email == browser.email)).scalar_one()
    (find,) = (kind.find for _, kind in client.app.offered(Identity.Kind) if kind.prefix == "usr")
    return find(client.app, client.tenant_id, id), browser


def ask(client, identity, method, path, query=None, body=None, **more):
    """Return what a person is answered: the status, and the data or the error without the request's id."""
    sent = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
    try:
        answer = client.app.call(identity, method, path, query or {}, sent, **more)
    except Problem as problem:
        return problem.status, json.loads(encode(problem.as_error()))
    content = b"".join(answer.pieces) if answer.pieces is not None else answer.body
    return answer.status, json.loads(content)["data"] if content.startswith(b'{"data"') else content.decode()


def test_every_route_is_open_to_the_roles_that_it_is_for(make_app):
    client = Client(make_app(*sorted({*plugins.installed()} - EXAMPLES)))
    people = {role: join(client, role)[0] for role in ROLES}
    reached, writes = {role: set() for role in ROLES}, {role: set() for role in ROLES}
    for endpoint in client.app.endpoints:
        route = endpoint.route
        path = route.path.replace("{id}", "zzz_0").replace("{", "").replace("}", "")
        for role, identity in people.items():
            if client.app.may_call(identity, endpoint):
                reached[role].add((route.method, route.path.removeprefix("/v1/")))
                if (route.scope or "").endswith(":write"):
                    writes[role].add(endpoint.plugin)
            elif not route.public:
                status, error = ask(client, identity, route.method, path)
                assert (status, error["code"]) == (403, "insufficient_scope"), (role, route.path)
    assert reached["field"] == {(method, path) for method, paths in OF_FIELD.items() for path in paths.split()}
    assert writes["viewer"] == set()
    assert writes["owner"] - writes["office"] == {"users", "webhooks"}
    assert writes["owner"] - writes["developer"] == {"core", "users"}
    assert writes["bookkeeper"] == {
        *("contacts", "expenses", "imports", "invoices", "items", "mail", "recurring", "reminders", "reports")
    }
    for role in ("office", "bookkeeper", "field", "viewer"):
        assert not [path for _, path in reached[role] if "webhook" in path], role
    read = {path.split("/")[0] for does, path in reached["bookkeeper"] if does == "GET"}
    assert not read & {"bookings", "jobs", "quotes"}


@pytest.fixture
def crew(make_app):
    """Return a client, and two people of its field staff, each with a job, a booking and a client of their own."""
    names = ("attachments", "batch", "bookings", "contacts", "custom_fields", "dashboard", "documents", "hosted")
    client = Client(make_app(*names, "invoices", "jobs", "quotes", "search", "staff", "users"))
    hours = [{"day": "monday", "start": "00:00", "end": "24:00"}]
    crew = []
    for name in ("grace", "ada"):
        identity, browser = join(client, "field", name)
        staff = client.post("/v1/staff", {"name": name.title(), "hours": hours, "user_id": identity.id})["data"]["id"]
        service = client.post("/v1/services", {"name": "Drain", "duration_minutes": 60, "staff_ids": [staff]})["data"]
        contact = client.post("/v1/contacts", {"name": f"Client of {name}", "email": "same@example.com"})["data"]["id"]
        job = {"client_id": contact, "title": "Fix the tap", "assignee_ids": [staff], "line_items": LINES}
        booked = {"client_id": contact, "service_id": service["id"], "staff_id": staff, "force": True}
        ids = {
            "staff": staff,
            "contacts": contact,
            "jobs": client.post("/v1/jobs", job)["data"]["id"],
            "bookings": client.post("/v1/bookings", {**booked, "start_at": "2026-11-23T09:00:00+11:00"})["data"]["id"],
        }
        photo = client.app.call(
            identity, "POST", "/v1/attachments", {"resource": ids["jobs"], "filename": "a.txt"}, b"photo"
        )
        ids["attachments"] = json.loads(photo.body)["data"]["id"]
        crew.append((identity, browser, ids))
    return client, crew


def test_another_persons_record_is_as_if_there_were_none(crew):
    client, ((grace, browser, own), (_, _, others)) = crew
    absent = {name: f"{id.partition('_')[0]}_0" for name, id in others.items()}
    tried = 0
    for method, paths in OF_FIELD.items():
        for path in (path for path in paths.split() if "{id}" in path):
            name, body = path.split("/")[0], SENT.get(path.rpartition("/")[2], {} if method != "GET" else None)
            found = [
                ask(client, grace, method, "/v1/" + path.replace("{id}", ids[name]), body=body)
                for ids in (others, absent)
            ]
            assert found[0] == found[1], path
            assert (found[0][0], found[0][1]["code"]) == (404, "resource_not_found"), path
            tried += 1
    assert tried > 20
    # Neither a member, nor a file, nor a batch, nor a page names it.
    for member, name in (("client_id", "contacts"), ("booking_id", "bookings"), ("assignee_ids", "staff")):
        both = [
            ask(client, grace, "PATCH", f"/v1/jobs/{own['jobs']}", body={member: [id] if member[-1] == "s" else id})
            for id in (others[name], absent[name])
        ]
        assert both[0] == both[1], member
        assert both[0][0] == 422, member
    for ids in (others, absent):
        at = {"resource": ids["jobs"], "filename": "a.txt"}
        assert ask(client, grace, "POST", "/v1/attachments", at, b"mine")[0] == 404
        batch = {"atomic": True, "operations": [{"method": "POST", "path": f"/v1/jobs/{ids['jobs']}/start"}]}
        assert ask(client, grace, "POST", "/v1/batch", body=batch)[0] == 404
        browser.get(f"/dashboard/jobs/{ids['jobs']}", 404)
    # What is handed to somebody else would be out of sight, and what a role does not reach is refused before.
    assert ask(client, grace, "PATCH", f"/v1/jobs/{own['jobs']}", body={"assignee_ids": []})[0] == 403
    assert client.get(f"/v1/jobs/{own['jobs']}")["data"]["assignee_ids"] == [own["staff"]]


def test_lists_files_searches_and_pages_have_only_what_is_ones_own(crew):
    client, ((grace, browser, own), (_, _, others)) = crew
    listed = [path for path in OF_FIELD["GET"].split() if path in own]
    assert {*listed} == {*own}
    for path in listed:
        status, found = ask(client, grace, "GET", f"/v1/{path}")
        assert status == 200
        assert [each["id"] for each in found] == [own[path]], path
        assert ask(client, grace, "GET", f"/v1/{path}/{own[path]}")[0] == 200
        assert len(client.get(f"/v1/{path}")["data"]) == 2
        as_csv = ask(client, grace, "GET", f"/v1/{path}", prefers_csv=True)[1]
        assert own[path] in as_csv
        assert others[path] not in as_csv
        assert client.app.count_records(grace, [(f"/v1/{path}", {})]) == [1]
        if path != "attachments":
            page = browser.get(f"/dashboard/{path}").text
            assert f"/{own[path]}" in page
            assert others[path] not in page
            assert ask(client, grace, "GET", "/v1/search", {"q": "client" if path == "contacts" else "tap"})[1]
    for text in ("Client of", "tap", "Grace", "Ada", "same@example.com", "JOB-0"):
        found = {each["id"] for each in ask(client, grace, "GET", "/v1/search", {"q": text})[1]}
        assert found <= {*own.values()}, text
    assert not ask(client, grace, "GET", "/v1/search", {"q": "Client of ada"})[1]
    assert ask(client, grace, "GET", "/v1/jobs", {"assignee_id": others["staff"]})[1] == []
    assert ask(client, grace, "GET", "/v1/attachments", {"resource": others["jobs"]})[1] == []
    # A person who is no member of staff has nothing, nor has one who is no longer it: an owner says so.
    boss = join(client, "owner")[1]
    assert client.refused(422, "validation_failed", "PATCH", f"/v1/staff/{own['staff']}", {"user_id": "usr_0"})
    assert "Works as" in boss.get("/dashboard/people").text
    boss.send(f"/dashboard/people/{grace.id}", role="field", staff="")
    assert client.get(f"/v1/staff/{own['staff']}")["data"]["user_id"] is None
    assert ask(client, grace, "GET", "/v1/jobs")[1] == ask(client, grace, "GET", "/v1/contacts")[1] == []
    overview = browser.get("/dashboard").text
    assert "Jobs" in overview
    for closed in ("invoices", "quotes", "people", "keys", "profile", "events"):
        assert f'href="/dashboard/{closed}"' not in overview, closed
        browser.get(f"/dashboard/{closed}", 403)


def test_amounts_are_shown_to_field_staff_where_the_profile_says_so(crew):
    client, ((grace, browser, own), _) = crew
    path, page = f"/v1/jobs/{own['jobs']}", f"/dashboard/jobs/{own['jobs']}"
    job = ask(client, grace, "GET", path)[1]
    (line,) = job["line_items"]
    assert (line["unit_price"], line["total"], line["quantity"]) == (None, None, 3)
    assert job["total"] is job["gst"] is None
    assert "14.85" not in str(ask(client, grace, "GET", "/v1/jobs", prefers_csv=True))
    shown = browser.get(page).html
    assert "4.95" not in str(shown)
    assert [each.text for each in shown.select("main th")] == [
        "Description",
        "Quantity",
    ]  # nothing of how they are taxed
    assert "GST" not in " ".join(each.text for each in shown.select("main dt"))
    for query in ({"sort": "-total"}, {"total_from": "10"}):
        assert ask(client, grace, "GET", "/v1/jobs", query)[0] == 400, query
    changed = {"line_items": [{"id": line["id"], "unit_price": "1.00"}]}
    assert ask(client, grace, "PATCH", path, body=changed)[0] == 403
    # What it may say of the work it can, and amounts stay as they are.
    done = ask(client, grace, "PATCH", path, body={"line_items": [{"id": line["id"], "quantity": 4}], "notes": "Dry."})
    assert done[0] == 200, done
    assert done[1]["total"] is None
    assert str(client.get(path)["data"]["line_items"][0]["unit_price"]) == "4.95"
    assert ask(client, grace, "POST", f"{path}/complete", body={})[1]["status"] == "complete"
    client.patch("/v1/tenant", {"field_sees_amounts": True})
    client.app.epoch.bump()
    assert ask(client, grace, "GET", path)[1]["line_items"][0]["unit_price"] == 4.95
    shown = browser.get(page).html
    assert "4.95" in str(shown) and "GST code" in [each.text for each in shown.select("main th")]
