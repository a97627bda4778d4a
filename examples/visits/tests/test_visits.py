"""Visits, the plans that every job shows, and the upgrades of their tables."""

from datetime import date

import pytest
import sqlalchemy as sa

from billycan import Manifest
from billycan.testing import Client, counted, run_timed, upgrade_to
from billycan_users.testing import Browser

pytestmark = pytest.mark.either

PLUGINS = ("contacts", "documents", "jobs", "visits")
JOBS, VISITS = "/v1/jobs", "/v1/visits"


@pytest.fixture
def client(make_app):
    return Client(make_app(*PLUGINS))


@pytest.fixture
def job(client):
    client_id = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    return {"client_id": client_id, "title": "Gutters"}


def planned(client, job):
    made = client.get(f"{JOBS}/{job['id']}")["data"]
    return made["visit_every_days"], made["next_visit_on"]


def test_a_job_is_made_with_a_plan_and_shows_it_everywhere(client, job):
    made = client.post(JOBS, {**job, "visit_every_days": 90})["data"]
    assert (made["visit_every_days"], made["next_visit_on"]) == (90, "2027-02-19")
    assert client.get(f"{JOBS}/{made['id']}")["data"] == made
    assert client.get(f"{JOBS}?include=line_items")["data"] == [made]
    assert client.get("/v1/events?event=job.created")["data"][0]["data"] == made
    started = client.post(f"{JOBS}/{made['id']}/start", status=200)["data"]
    assert started["next_visit_on"] == "2027-02-19"


def test_a_job_without_a_plan_shows_that_it_has_none(client, job):
    assert planned(client, client.post(JOBS, job)["data"]) == (None, None)


def test_a_change_of_the_plan_alone_is_a_change_of_the_job(client, job, clock):
    made = client.post(JOBS, job)["data"]
    clock.move(minutes=1)
    changed = client.patch(f"{JOBS}/{made['id']}", {"visit_every_days": 30}, If_Match='"1"')["data"]
    assert changed["version"] == 2 and changed["updated_at"] > made["updated_at"]
    assert client.last.headers["ETag"] == '"2"'
    assert client.events() == ["contact.created", "job.created", "job.updated"]
    assert client.get("/v1/events?event=job.updated")["data"][0]["data"] == changed
    client.patch(f"{JOBS}/{made['id']}", {"visit_every_days": 60}, 412, If_Match='"1"')
    assert client.patch(f"{JOBS}/{made['id']}", {"visit_every_days": 30})["data"] == changed
    assert client.patch(f"{JOBS}/{made['id']}", changed)["data"] == changed
    assert len(client.events()) == 3
    assert client.patch(f"{JOBS}/{made['id']}", {"visit_every_days": None})["data"]["next_visit_on"] is None


def test_what_is_wrong_with_a_plan_is_found_with_all_else(client, job):
    error = client.post(JOBS, {"visit_every_days": 0, "priority": "soon"}, 422)["error"]
    assert {d["param"] for d in error["details"]} == {"visit_every_days", "priority", "client_id", "title"}
    made = client.post(JOBS, job)["data"]
    error = client.patch(f"{JOBS}/{made['id']}", {"visit_every_days": "often", "title": None}, 422)["error"]
    assert {d["param"] for d in error["details"]} == {"visit_every_days", "title"}
    error = client.patch(f"{JOBS}/{made['id']}", {"next_visit_on": "2027-01-01"}, 422)["error"]
    assert [(d["param"], d["code"]) for d in error["details"]] == [("next_visit_on", "read_only")]
    error = client.post(JOBS, {**job, "next_visit_on": "2027-01-01"}, 422)["error"]
    assert [(d["param"], d["code"]) for d in error["details"]] == [("next_visit_on", "read_only")]


def test_a_visit_moves_the_next_one(client, job):
    made = client.post(JOBS, {**job, "visit_every_days": 10})["data"]
    visit = client.post(VISITS, {"job_id": made["id"], "visited_on": "2026-12-01", "minutes": 30})["data"]
    assert visit["job"] == {"id": made["id"], "name": "Gutters"}
    assert planned(client, made) == (10, "2026-12-11")
    client.patch(f"{VISITS}/{visit['id']}", {"visited_on": "2026-12-05"})
    assert planned(client, made) == (10, "2026-12-15")
    client.delete(f"{VISITS}/{visit['id']}")
    assert planned(client, made) == (10, "2026-12-01")


def test_a_page_of_jobs_costs_one_query_more(client, job, make_app):
    without = Client(make_app(*PLUGINS[:-1]))
    body = {**job, "client_id": without.post("/v1/contacts", {"name": "Ada"})["data"]["id"]}
    for _ in range(3):
        client.post(JOBS, {**job, "visit_every_days": 10})
        without.post(JOBS, body)
    with counted(client.app) as sent:
        client.get(JOBS)
    with counted(without.app) as fewer:
        without.get(JOBS)
    assert len(sent) == len(fewer) + 1
    for fields, count in (("number", 1), ("number,visit_every_days", 2)):
        with counted(client.app) as sent:
            client.get(f"{JOBS}?fields={fields}")
        assert len(sent) == count


def test_a_job_without_visits_is_deleted_with_its_plan(client, job):
    made = client.post(JOBS, {**job, "visit_every_days": 10})["data"]
    visit = client.post(VISITS, {"job_id": made["id"], "visited_on": "2026-12-01", "minutes": 30})["data"]
    assert client.delete(f"{JOBS}/{made['id']}", 409)["error"]["dependents"] == {"visits": 1}
    client.delete(f"{VISITS}/{visit['id']}")
    client.delete(f"{JOBS}/{made['id']}")


def announced(client):
    return [(e["data"]["id"], e["data"]["due_on"]) for e in client.get("/v1/events?event=visit.due")["data"]]


def test_a_visit_that_is_due_is_announced_once(client, job, clock):
    made = client.post(JOBS, {**job, "visit_every_days": 2})["data"]
    run_timed(client.app)
    assert announced(client) == []
    clock.move(days=2)
    run_timed(client.app)
    clock.move(minutes=2)
    run_timed(client.app)
    assert announced(client) == [(made["id"], "2026-11-23")]
    client.post(VISITS, {"job_id": made["id"], "visited_on": "2026-11-23", "minutes": 30})
    clock.move(days=2)
    run_timed(client.app)
    assert announced(client)[0] == (made["id"], "2026-11-25")


def test_what_cannot_be_announced_keeps_no_other_from_being(client, job, clock, install, make_app):
    def refuse(ctx, event):
        if event.name == "visit.due" and event.data and first["id"].encode() in bytes(event.data):
            raise RuntimeError("not this one")

    install(Manifest(name="guest"), on_event=refuse)
    client = Client(make_app(*PLUGINS, "guest"))
    client_id = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    body = {"client_id": client_id, "title": "Gutters", "visit_every_days": 1}
    first, second = (client.post(JOBS, body)["data"] for _ in range(2))
    clock.move(days=1)
    with pytest.raises(RuntimeError, match="not this one"):
        run_timed(client.app)
    assert announced(client) == [(second["id"], "2026-11-22")]


def test_it_is_announced_as_many_days_ahead_as_is_set(make_app, clock):
    client = Client(make_app(*PLUGINS, visits={"announce_days": 3}))
    client_id = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    client.post(JOBS, {"client_id": client_id, "title": "Gutters", "visit_every_days": 5})
    clock.move(days=1)
    run_timed(client.app)
    assert announced(client) == []
    clock.move(days=1)
    run_timed(client.app)
    assert [day for _, day in announced(client)] == ["2026-11-26"]


def test_plans_of_the_second_release_are_announced_too(make_app, clock):
    app = make_app(*PLUGINS, fresh=True, migrated=False)
    upgrade_to(app, visits="visits_0002")
    client, (_, plans) = Client(app), app.manifests["visits"].tables
    stored = sa.table("visits_plans", *(sa.column(c.name, c.type) for c in plans.c if c.name != "announce_at"))
    values = {"tenant_id": client.tenant_id, "id": "job_1", "every_days": 7, "next_on": date(2026, 11, 24)}
    with app.db.writing() as db:
        db.execute(sa.insert(stored).values(values))
    upgrade_to(app)
    run_timed(app)
    assert announced(client) == []
    clock.move(days=4)
    run_timed(app)
    assert announced(client) == [("job_1", "2026-11-24")]


def test_visits_of_the_first_release_took_hours(make_app):
    app = make_app(*PLUGINS, fresh=True, migrated=False)
    upgrade_to(app, visits="visits_0001")
    without = Client(make_app(*PLUGINS[:-1], database=app.db.url.render_as_string(hide_password=False)))
    client_id = without.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    job = without.post(JOBS, {"client_id": client_id, "title": "Gutters"})["data"]
    client, (visits, _) = Client(app, without.tenant_id), app.manifests["visits"].tables
    now = app.now()
    row = {"tenant_id": client.tenant_id, "job_id": job["id"], "visited_on": now.date(), "metadata": {}}
    row |= {"version": 1, "created_at": now, "updated_at": now}
    names = [c for c in visits.c if c.name in row]
    stored = sa.table("visits", *(sa.column(c.name, c.type) for c in names), sa.column("id"), sa.column("hours"))
    with app.db.writing() as db:
        for id, ten_thousandths in (("vis_1", 7_500), ("vis_2", 3_333), ("vis_3", 1)):
            db.execute(sa.insert(stored).values(**row, id=id, hours=ten_thousandths))
    upgrade_to(app)
    took = {visit["id"]: visit["minutes"] for visit in client.get(VISITS)["data"]}
    assert took == {"vis_1": 45, "vis_2": 20, "vis_3": 1}


def test_the_page_of_a_job_shows_its_visits(make_app):
    client = Client(make_app(*PLUGINS, "users", "dashboard"))
    ada = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    job = client.post(JOBS, {"client_id": ada, "title": "Gutters"})["data"]["id"]
    client.post(VISITS, {"job_id": job, "visited_on": "2026-11-20", "minutes": 45})
    owner = Browser(client.app).join(client, "owner")
    page = owner.get(f"/dashboard/jobs/{job}")
    assert "45 min" in page and "Record a visit" in page
    owner.get(f"/dashboard/visits/new?job_id={job}")
    owner.send(visited_on="2026-11-21", minutes="30")
    assert client.get(f"{VISITS}?job_id={job}")["pagination"]["total"] == 2
    assert "Record a visit" not in Browser(client.app).join(client, "viewer").get(f"/dashboard/jobs/{job}")
