"""Pages that ask by themselves what changed: what a poll costs, whom it counts against, and what it leaves alone."""

import gzip

import pytest
import sqlalchemy as sa

from billycan.testing import Client, counted
from billycan_users import page_routes
from billycan_users.tables import sessions
from billycan_users.templates import _find_files
from billycan_users.testing import Browser

LIVE = ("/dashboard", "/dashboard/contacts", "/dashboard/contacts?search=a", "/dashboard/contacts/{id}")


def poll(browser, page, path, status=304):
    return browser.web.get(path, headers={"If-None-Match": page.headers["ETag"]}, status=status)


def test_a_page_is_sent_again_only_when_something_happened_in_its_business(app, client, owner):
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]
    for path in (each.format(id=contact["id"]) for each in LIVE):
        page = owner.get(path)
        state = page.html.find("main")["data-state"]
        assert state == page.headers["ETag"] and "users-live.js" in page.text
        with counted(app) as sent:
            assert poll(owner, page, path).body == b""
        assert len(sent) == 2, (path, sent)  # the session, and the last event
        Client(app).post("/v1/contacts", {"name": "Of another business"})
        poll(owner, page, path)
        client.post("/v1/contacts", {"name": "Eve"})
        fresh = poll(owner, page, path, 200)
        assert fresh.headers["ETag"] != state == page.headers["ETag"]
        poll(owner, fresh, path)
        app.clock.move(seconds=601)  # it says how long ago something was
        poll(owner, fresh, path, 200)
    assert "ETag" not in owner.get("/dashboard/contacts/new").headers
    assert "users-live.js" not in owner.page.text


def test_what_another_role_or_person_sees_is_another_page(app, client, owner):
    viewer = Browser(app).join(client, "viewer")
    page = owner.get("/dashboard/contacts")
    poll(viewer, page, "/dashboard/contacts", 200)
    viewer.web.reset()
    assert poll(viewer, page, "/dashboard/contacts", 303).headers["Location"].endswith("next=/dashboard/contacts")


def test_polls_take_nothing_from_what_somebody_does(make_app, monkeypatch):
    monkeypatch.setattr(page_routes, "POLLS_PER_MINUTE", 25)
    app = make_app("contacts", "users", "dashboard", business_per_minute=30)
    client, path = Client(app), "/dashboard/contacts"
    owner = Browser(app).join(client)
    app.clock.move(seconds=61)
    page = owner.get(path)
    for _ in range(25):
        poll(owner, page, path)
        app.clock.move(seconds=0.1)
    assert poll(owner, page, path, 429).headers["Retry-After"]
    for _ in range(25):  # with the polls more than the business may ask for
        owner.get(path)
        app.clock.move(seconds=0.1)
    client.get("/v1/contacts")


def test_a_poll_keeps_no_session_going_and_takes_no_notice_of_another_window(app, client, owner):
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    path = f"/dashboard/contacts/{contact}"
    page = owner.get(path)
    app.clock.move(minutes=5)
    with app.db.reading() as db:
        before = db.execute(sa.select(sa.func.max(sessions.c.seen_at))).scalar_one()
    poll(owner, page, path)
    with app.db.reading() as db:
        assert db.execute(sa.select(sa.func.max(sessions.c.seen_at))).scalar_one() == before
    token = owner.get(f"{path}/edit").forms
    form = next(form for form in token.values() if "name" in form.fields)
    form["name"] = "Ada Lovelace"
    led = form.submit()
    assert led.status_int == 303
    assert "was saved" not in poll(owner, page, path, 200).text and "Ada Lovelace" in poll(owner, page, path, 200).text
    assert owner.web.get(led.headers["Location"]).html.find(class_="notice") is not None


@pytest.mark.sqlite_alone
def test_all_scripts_of_pages_have_30_kb_when_they_are_compressed(app):
    scripts = {name: body for name, (body, _) in _find_files(("users", "dashboard")).items() if name.endswith(".js")}
    assert {"users-live.js", "users-idiomorph.js", "dashboard-editor.js"} <= {*scripts}
    assert sum(len(gzip.compress(body, mtime=0)) for body in scripts.values()) <= 30_000
