"""A person's feed, read strictly as RFC 5545 says: what is in it, for whom, and how it ends."""

import re
from datetime import timedelta
from types import SimpleNamespace

import pytest
import sqlalchemy as sa
import webtest

from billycan.testing import Client
from billycan_feeds.tables import links
from billycan_users.tables import roles, users
from billycan_users.testing import Browser

PLUGINS = ("bookings", "calendar", "feeds", "contacts", "dashboard", "documents", "jobs", "staff", "users")
HERE = "/dashboard/account/calendar"
DAY = "2026-12-09"
LINE = re.compile(r'([A-Z][A-Z-]*)((?:;[A-Z-]+=[^";:,]+)*):(.*)')
TIME = re.compile(r"\d{8}T\d{6}Z")
ESCAPES = {"\\\\": "\\", "\\;": ";", "\\,": ",", "\\n": "\n"}
NAME = "Rohr; Sohn, \\ & Söhne – Installationen seit 1974, ein sehr langer Name 🚿🚿"


def unescaped(value):
    assert not re.search(r"(?<!\\)(?:\\\\)*[;,]", value), f"unescaped: {value}"
    assert not re.sub(r"\\[\\;,n]", "", value).count("\\"), f"unknown escape: {value}"
    return re.sub(r"\\[\\;,n]", lambda found: ESCAPES[found[0]], value)


def read(body):
    """Return the events of a calendar file by UID, each a dict; fail for anything that RFC 5545 does not allow."""
    assert body.endswith(b"\r\n") and not body.count(b"\n") - body.count(b"\r\n") and not re.search(rb"\r(?!\n)", body)
    raw = body.removesuffix(b"\r\n").split(b"\r\n")
    assert all(len(line) <= 75 for line in raw)
    for line in raw:
        line.decode()  # no character is split
    lines = body.replace(b"\r\n ", b"").decode().removesuffix("\r\n").split("\r\n")
    events, stack, whole = {}, [], {}
    for line in lines:
        found = LINE.fullmatch(line)
        assert found and line.isprintable(), line
        name, _, value = found.groups()
        if name == "BEGIN":
            stack.append(value)
            event = {}
        elif name == "END":
            assert stack.pop() == value
            if value == "VEVENT":
                assert event["UID"] not in events
                events[event["UID"]] = event
        else:
            into = event if stack == ["VCALENDAR", "VEVENT"] else whole
            assert name not in into, f"{name} twice"
            into[name] = unescaped(value) if name in ("SUMMARY", "LOCATION", "NAME", "X-WR-CALNAME") else value
    assert not stack and whole["VERSION"] == "2.0" and whole["PRODID"] and whole["NAME"] == whole["X-WR-CALNAME"]
    for event in events.values():
        assert event.keys() >= {"UID", "DTSTAMP", "DTSTART", "DTEND", "SUMMARY", "SEQUENCE", "STATUS"}
        assert all(TIME.fullmatch(event[name]) for name in ("DTSTAMP", "DTSTART", "DTEND", "LAST-MODIFIED"))
        assert event["DTSTART"] <= event["DTEND"] and event["SEQUENCE"].isdecimal()
        assert event["STATUS"] in ("CONFIRMED", "TENTATIVE", "CANCELLED")
    return events


@pytest.fixture
def client(make_app):
    return Client(make_app(*PLUGINS))


@pytest.fixture
def made(client):
    """Make two members of staff, of whom Kim signs in as the field worker, with a booking each, and a job of Kim's."""
    field = Browser(client.app).join(client, "field")
    person = user_id(client, field)
    ada = client.post("/v1/contacts", {"name": NAME})["data"]["id"]
    dave = client.post("/v1/staff", {"name": "Dave"})["data"]["id"]
    kim = client.post("/v1/staff", {"name": "Kim", "user_id": person})["data"]["id"]
    service = client.post("/v1/services", {"name": "Blocked drain", "duration_minutes": 60, "price": "99.00"})["data"][
        "id"
    ]
    booked = {"client_id": ada, "service_id": service, "force": True, "notes": "the key is under the mat"}
    daves, kims = (
        client.post("/v1/bookings", {**booked, "start_at": f"{DAY}T{hour}:00:00+11:00", "staff_id": who})["data"]["id"]
        for hour, who in (("09", dave), ("11", kim))
    )
    address = {"line1": "1 Elizabeth St", "suburb": "Hobart", "state": "TAS", "postcode": "7000"}
    begun = {"title": "Fit a basin", "scheduled_start": f"{DAY}T13:00:00+11:00", "site_address": address}
    job = client.post("/v1/jobs", {"client_id": ada, "assignee_ids": [kim], **begun})["data"]["id"]
    return SimpleNamespace(field=field, daves=daves, kims=kims, job=job, ada=ada, service=service, kim=kim)


@pytest.fixture
def owner(client):
    return Browser(client.app).join(client)


def user_id(client, browser):
    with client.app.db.reading() as db:
        return db.execute(sa.select(users.c.id).where(users.c.email == browser.email)).scalar_one()


def link_of(browser, name="My phone"):
    browser.get(HERE)
    page = browser.send(HERE, name=name)
    (path,) = set(re.findall(rf"{browser.app.public_url}(/calendar/ics_\w+\.ics)", page.text))
    assert f"{browser.app.public_url.replace('http', 'webcal')}{path}" in page.text
    assert path not in browser.get(HERE).text, "the address is shown once"
    return path


def web_of(client):
    return webtest.TestApp(client.app.wsgi, extra_environ={"REMOTE_ADDR": "192.0.2.7"})


def test_a_feed_has_what_is_planned_as_the_standard_says(client, made, owner):
    web, path = web_of(client), link_of(owner)
    client.patch(f"/v1/bookings/{made.kims}", {"location": "Rear lane; gate 2,\nring twice"})
    answer = web.get(path)
    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
    assert "Set-Cookie" not in answer.headers
    events = read(answer.body)
    assert [*events] == [f"{id}@billycan" for id in (made.daves, made.kims, made.job)]
    kims, job = events[f"{made.kims}@billycan"], events[f"{made.job}@billycan"]
    assert kims["SUMMARY"] == f"Blocked drain for {NAME}" and kims["LOCATION"] == "Rear lane; gate 2, ring twice"
    assert (kims["DTSTART"], kims["DTEND"]) == ("20261209T000000Z", "20261209T010000Z")
    assert (kims["SEQUENCE"], kims["STATUS"]) == ("2", "CONFIRMED")
    assert kims["URL"].endswith(f"/dashboard/bookings/{made.kims}")
    assert job["LOCATION"] == "1 Elizabeth St, Hobart TAS 7000"
    assert (job["DTSTART"], job["DTEND"]) == ("20261209T020000Z", "20261209T030000Z")  # an open end
    assert "99.00" not in answer.text and "the mat" not in answer.text


def test_a_calendar_that_is_up_to_date_gets_no_body_and_a_change_another_sequence(client, made, owner):
    web, path = web_of(client), link_of(owner)
    first = web.get(path)
    tag = first.headers["ETag"]
    client.app.clock.move(seconds=90)
    for known in (tag, f"W/{tag}", f'"other", {tag}', "*"):
        same = web.get(path, headers={"If-None-Match": known}, status=304)
        assert same.body == b"" and same.headers["ETag"] == tag
    assert web.head(path).headers["ETag"] == tag
    client.post(f"/v1/bookings/{made.daves}/cancel", {}, status=200)
    second = web.get(path, headers={"If-None-Match": tag}, status=200)
    before, after = (read(each.body)[f"{made.daves}@billycan"] for each in (first, second))
    assert (before["STATUS"], after["STATUS"]) == ("CONFIRMED", "CANCELLED") and after["TRANSP"] == "TRANSPARENT"
    assert int(after["SEQUENCE"]) > int(before["SEQUENCE"]) and after["DTSTAMP"] > before["DTSTAMP"]
    client.patch(f"/v1/services/{made.service}", {"requires_confirmation": True})
    asked = {"client_id": made.ada, "service_id": made.service, "start_at": f"{DAY}T15:00:00+11:00", "force": True}
    pending = client.post("/v1/bookings", asked)["data"]["id"]
    assert read(web.get(path).body)[f"{pending}@billycan"]["STATUS"] == "TENTATIVE"


def test_a_feed_covers_thirty_days_back_and_a_year_ahead(client, made, owner):
    web, path = web_of(client), link_of(owner)
    today = client.app.now().date()
    ids = {}
    for days in (-32, -29, 100, 200, 364, 367):
        start = f"{today + timedelta(days=days)}T03:00:00Z"
        body = {
            "client_id": made.ada,
            "title": "Visit",
            "scheduled_start": start,
            "scheduled_end": start[:11] + "04:00:00Z",
        }
        ids[days] = f"{client.post('/v1/jobs', body)['data']['id']}@billycan"
    events = read(web.get(path).body)
    assert [days for days, id in ids.items() if id in events] == [-29, 100, 200, 364]
    starts = [each["DTSTART"] for each in events.values()]
    assert starts == sorted(starts)


def test_a_feed_shows_what_its_person_may_see_by_their_role_now(client, made, owner):
    web, path = web_of(client), link_of(made.field)
    assert {*read(web.get(path).body)} == {f"{id}@billycan" for id in (made.kims, made.job)}
    client.patch(f"/v1/jobs/{made.job}", {"assignee_ids": []})
    assert {*read(web.get(path).body)} == {f"{made.kims}@billycan"}
    person = user_id(client, made.field)
    owner.get("/dashboard/people")
    owner.send(f"/dashboard/people/{person}", role="bookkeeper")  # who may read nothing that is planned
    gone = web.get(path, status=404)
    owner.get("/dashboard/people")
    owner.send(f"/dashboard/people/{person}", role="viewer")
    assert len(read(web.get(path).body)) == 3
    assert web.get("/calendar/ics_unknown.ics", status=404).body == gone.body


def test_a_link_ends_at_once_and_whatever_is_wrong_the_answer_is_the_same(client, made, owner, caplog):
    caplog.set_level("DEBUG")
    web, path, other = web_of(client), link_of(owner), link_of(owner, "My tablet")
    client.app.clock.move(seconds=60)
    digests = rows(client, links.c.digest)
    secret = path.removeprefix("/calendar/").removesuffix(".ics").encode()
    assert len(digests) == 2 and secret not in digests and all(len(digest) == 32 for digest in digests)
    web.get(path)
    assert "read " in owner.get(HERE).text and owner.page.text.count("never read") == 1
    id = rows(client, links.c.id)[0]
    made.field.get(HERE)
    made.field.web.post(f"{HERE}/{id}/revoke", {"token": made.field.token}, status=404)  # another person's
    owner.send(f"{HERE}/{id}/revoke")
    ended = web.get(path, status=404)
    web.get(other)
    mistyped = path[:-5] + ("a" if path[-5] != "a" else "b") + ".ics"
    for each in (mistyped, "/calendar/x.ics", f"/calendar/{secret.decode()}x.ics"):
        answer = web.get(each, status=404)
        same = ("Content-Type", "Cache-Control", "ETag", "X-Robots-Tag")
        assert answer.body == ended.body, each
        assert [answer.headers.get(name) for name in same] == [ended.headers.get(name) for name in same]
    web.post(other, status=405)
    assert secret.decode() not in caplog.text


def test_a_link_ends_with_the_membership_and_does_not_come_back(client, made, owner):
    web, path = web_of(client), link_of(made.field)
    web.get(path)
    owner.get("/dashboard/people")
    person = user_id(client, made.field)
    owner.send(f"/dashboard/people/{person}", button="remove=yes")
    web.get(path, status=404)
    assert rows(client, links.c.id) == []
    with client.app.db.writing() as db:  # the person is invited again
        again = {"tenant_id": client.tenant_id, "id": person, "role": "field", "created_at": client.app.now()}
        db.execute(sa.insert(roles).values(**again))
    made.field.sign_in()
    assert "My phone<" not in made.field.get(HERE).text
    web.get(path, status=404)


def test_a_feed_of_a_sandbox_has_nothing_of_the_business(client, made, owner):
    link_of(owner)
    owner.send("/dashboard/switch", button="environment=sandbox")
    assert "My phone<" not in owner.get(HERE).text
    assert read(web_of(client).get(link_of(owner)).body) == {}


def test_links_are_bounded_and_so_are_readings(client, owner):
    for name in range(10):
        link_of(owner, f"Device {name}")
        client.app.clock.move(seconds=10)
    assert "You have 10 links" in owner.page.text
    token = owner.token
    assert "revoke one" in owner.web.post(HERE, {"token": token, "name": "One more"}, status=409).text
    assert owner.web.post(HERE, {"token": token, "name": " "}, status=422)
    web = web_of(client)
    client.app.clock.move(seconds=60)
    statuses = []
    for _ in range(70):
        client.app.clock.move(seconds=0.2)
        statuses.append(web.get("/calendar/ics_unknown.ics", status="*").status_int)
    assert statuses == [404] * 60 + [429] * 10


def rows(client, column):
    with client.app.db.reading(client.tenant_id) as db:
        chosen = sa.select(column).where(links.c.tenant_id == client.tenant_id).order_by(links.c.id)
        return [*db.execute(chosen).scalars()]
