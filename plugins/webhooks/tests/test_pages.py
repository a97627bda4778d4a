"""The pages by which a developer finds out why a receiver fails, as a browser without JavaScript has them."""

import base64
import hmac
import html
import re
from collections import Counter
from datetime import UTC, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest

from billycan.tenants import set_ceiling
from billycan.testing import Client
from billycan_users.testing import Browser
from billycan_webhooks import signing

pytestmark = pytest.mark.either

PAGES = ("/dashboard/webhooks", "/dashboard/deliveries", "/dashboard/replays", "/dashboard/events")


@pytest.fixture
def app(make_app):
    return make_app(
        "contacts",
        "dashboard",
        "users",
        "webhooks",
        fresh=True,
        webhooks={"allow_private": True, "timeout_seconds": 60, "lease_seconds": 90},
    )


@pytest.fixture
def client(app):
    return Client(app)


@pytest.fixture
def developer(app, client):
    return Browser(app).join(client, "developer")


def contact(client, name="Ada"):
    return client.post("/v1/contacts", {"name": name})["data"]


def read(page):
    """Return the text of a page in one line."""
    return " ".join(html.unescape(re.sub("<[^>]+>", " ", page.text)).split())


def newest(client, **query):
    asked = "&".join(f"{name}={value}" for name, value in query.items())
    return client.get(f"/v1/webhook_deliveries?{asked}")["data"][0]["id"]


def hostile(handler):
    body = b"<script>alert('body')</script>" + b"\x00\xff" * 40
    handler.send_response(500)
    handler.send_header("X-Hostile", '"><script>alert("header")</script>')
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def test_from_an_endpoint_to_a_delivery_that_was_understood_and_replayed(app, client, developer, receive, drain):
    receiver = receive(hostile, 204)
    developer.get("/dashboard/webhooks")
    page = developer.send("/dashboard/webhooks", url=receiver.url, description="<b>Stock</b>", status=422)
    assert "must name at least one event" in page.text
    page = send_ticked(developer, "/dashboard/webhooks", ["contact.created"], url=receiver.url)
    secret = re.search(r"whsec_[\w+/=]{40,}", page.text)[0]
    receiver.secrets.add(secret)
    endpoint = client.get("/v1/webhook_endpoints")["data"][0]
    contact(client, "<img src=x onerror=alert(1)>")
    drain(app)
    page = developer.get(f"/dashboard/deliveries/{newest(client)}")
    assert "<script>" not in page.text.replace("<script src=", "") and "<img" not in page.text
    for words in ("It answered 500", "its log", "attempt 2 of 4", "First byte", "x-hostile", "POST /hooks HTTP/1.1"):
        assert words in read(page), words
    listed = read(developer.get("/dashboard/webhooks"))
    assert "Failing" in listed and "contact.created" in listed
    developer.get(f"/dashboard/deliveries/{newest(client)}")
    page = developer.send(f"{developer.page.request.path}/replay")
    assert "Being sent" in read(page)
    drain(app)
    assert "Received at attempt 1" in read(developer.get(developer.page.request.path))
    assert receiver.verified(secret)["event"] == "contact.created"
    everywhere = [*PAGES, f"/dashboard/webhooks/{endpoint['id']}", developer.page.request.path]
    texts = [html.unescape(developer.get(path).text) for path in everywhere]
    raw = signing.decode_secret(secret)
    for part in (secret.removeprefix("whsec_"), raw.hex(), base64.urlsafe_b64encode(raw).decode()):
        assert not any(part in text for text in texts), "a secret that was shown once is never shown again"


def send_ticked(browser, action, events, **fields):
    """Send a form with these events ticked."""
    form = next(f for f in dict.fromkeys(browser.page.forms.values()) if f.action == action and "url" in f.fields)
    for box in form.fields["events"]:
        box.checked = box._value in events
    return browser.send(action, **fields)


def test_a_signature_is_worked_out_and_the_mistake_in_another_is_named(
    app, client, developer, receive, drain, subscribe
):
    receiver = receive(401)
    made = subscribe(client, receiver.url, "contact.created")
    other = subscribe(client, receiver.url, "contact.deleted")
    contact(client)
    drain(app)
    developer.get(f"/dashboard/deliveries/{newest(client)}")
    headers, body, _ = receiver.requests[-1]
    text = f"{headers['webhook-id']}.{headers['webhook-timestamp']}.".encode() + body
    right = base64.b64encode(hmac.digest(signing.decode_secret(made["secret"]), text, "sha256")).decode()
    assert right in developer.page.text and f"{len(text):,} bytes" in developer.page.text
    assert "most likely its check of the signature fails" in developer.page.text

    def compared(signature, secret_id=""):
        path = re.sub("/compare$", "", developer.page.request.path) + "/compare#signature"
        return read(developer.send(path, signature=signature, secret_id=secret_id))

    assert "This is our signature" in compared(right)
    assert "used as text, with its whsec_" in compared(
        base64.b64encode(hmac.digest(made["secret"].encode(), text, "sha256")).decode()
    )
    wrong = base64.b64encode(hmac.digest(signing.decode_secret(other["secret"]), text, "sha256")).decode()
    assert f"the secret of another endpoint ({receiver.url}, {other['id']})" in compared(wrong)
    assert "None of the usual mistakes" in compared("nonsense")
    print_of = re.search(r"begins with <code>(\w{12})</code>", developer.page.text)[1]
    assert "None of the usual mistakes" in compared("nonsense", print_of)
    assert "no secret of this business" in compared("nonsense", "0" * 12)
    developer.send(developer.page.request.path + "#signature", signature="", status=422)
    client.post(f"/v1/webhook_endpoints/{made['id']}/rotate_secret", status=200)
    page = developer.get(developer.page.request.path.removesuffix("/compare"))
    assert "a secret that was replaced since" in read(page), "what was sent was signed with the old one"


def test_an_endpoint_shows_what_became_of_the_deliveries_of_each_day(app, client, developer, receive, drain):
    receiver, zone, now = receive(200), ZoneInfo("Australia/Sydney"), app.clock.time
    made = client.post("/v1/webhook_endpoints", {"url": receiver.url, "events": ["*"]})["data"]
    here = f"/dashboard/webhooks/{made['id']}"
    assert "The last 7 days" not in read(developer.get(here))
    first = datetime.combine(now.astimezone(zone) - timedelta(days=6), time(), zone)
    app.clock.time = first.astimezone(UTC) - timedelta(seconds=1)
    contact(client)  # a moment before the first day
    app.clock.move(seconds=1)
    contact(client)
    contact(client)
    drain(app)
    app.clock.time, receiver.answers = now, [500]
    contact(client)
    drain(app)
    said, today = read(developer.get(here)), now.astimezone(zone)
    assert f"{first:%a} {first.day} {first:%b} 2 0 0 0" in said
    assert f"{today:%a} {today.day} {today:%b} 0 1 0 0" in said


def test_an_endpoint_is_paused_changed_tested_rotated_recovered_and_deleted(
    app, client, developer, receive, drain, subscribe
):
    receiver = receive(204)
    made = subscribe(client, receiver.url, "contact.created")
    here = f"/dashboard/webhooks/{made['id']}"
    developer.get(here)
    assert "It is paused" in read(developer.send(f"{here}/enable", button="enabled=false"))
    contact(client)
    assert "Held" in read(developer.get(f"/dashboard/deliveries/{newest(client)}"))
    developer.get(here)
    developer.send(f"{here}/enable", button="enabled=true")
    assert "1 is sent again" in read(developer.send(f"{here}/recover"))
    drain(app)
    developer.get(here)
    page = developer.send(f"{here}/test")
    drain(app)
    assert receiver.events == ["contact.created", "ping"]
    assert "Received at attempt 1" in read(developer.get(page.request.path))
    developer.get(here)
    assert "Please correct" in read(developer.send(here, url="ftp://files.example.com/", status=422))
    page = developer.get(here)
    client.patch(f"/v1/webhook_endpoints/{made['id']}", {"description": "Changed meanwhile"})
    assert "Somebody else changed this endpoint" in read(developer.send(here, description="Mine", status=409))
    developer.get(here)
    developer.send(here, description="Mine")
    secret = re.search(r"whsec_[\w+/=]{40,}", developer.send(f"{here}/rotate").text)[0]
    assert secret != made["secret"]
    assert secret not in developer.get(here).text
    assert "No endpoints yet" in read(developer.send(f"{here}/delete"))
    assert "an endpoint that was deleted" in read(developer.get(f"/dashboard/deliveries/{newest(client)}"))


def test_all_that_a_filter_finds_is_replayed_in_batches_and_once(app, client, developer, receive, drain, subscribe):
    receiver = receive(500)
    made = subscribe(client, receiver.url, "contact.created")
    for i in range(63):
        contact(client, str(i))
    drain(app)
    receiver.answers = [204]
    developer.get(f"/dashboard/deliveries?endpoint_id={made['id']}&status=pending")
    page = developer.get(f"/dashboard/replays?endpoint_id={made['id']}&status=pending")
    assert "Replay 63 deliveries?" in read(page)
    pages = []
    form = next(f for f in page.forms.values() if f.action == "/dashboard/replays")
    pages.append(read(developer.send("/dashboard/replays")))
    going = developer.page.request.path_qs
    assert "data-go" in developer.page.text
    developer.web.post("/dashboard/replays", form.submit_fields())  # the same form once more
    assert client.get("/v1/webhook_deliveries")["pagination"]["total"] == 63 + done(pages[0])
    while "Go on" in pages[-1]:
        pages.append(read(developer.send("/dashboard/replays")))
    assert [done(page) for page in pages] == [50, 63]
    assert "data-go" not in Browser(app).join(client).get(going).text, "it is another's"
    drain(app)
    page = developer.get(developer.page.request.path_qs)
    assert re.search("Delivered 63 ", read(page)), read(page)


def test_each_replay_is_one_of_the_requests_that_the_business_may_make(make_app, receive, drain, subscribe):
    app = make_app("contacts", "dashboard", "users", "webhooks", fresh=True, webhooks={"allow_private": True})
    client = Client(app)
    made = subscribe(client, receive(500).url, "contact.created")
    for i in range(63):
        contact(client, str(i))
    drain(app)
    developer = Browser(app).join(client, "developer")
    developer.get(f"/dashboard/replays?endpoint_id={made['id']}&status=pending")
    with app.db.writing() as db:
        set_ceiling(db, client.tenant_id, 40, 1000)
    app.epoch.bump()
    app.clock.move(minutes=1)
    numbers = []
    while "Replayed" not in read(developer.send("/dashboard/replays")):
        numbers.append(done(read(developer.page)))
        if wait := re.search(r"can go on in (\d+) seconds", read(developer.page)):
            assert f'data-go="{wait[1]}"' in developer.page.text
            app.clock.move(seconds=int(wait[1]) + 1)
    assert numbers == [37, 50] and done(read(developer.page)) == 63
    pages = [client.get(f"/v1/webhook_deliveries?per_page=100&page={page}")["data"] for page in (1, 2)]
    events = Counter(delivery["webhook_id"] for page in pages for delivery in page)
    assert len(events) == 63 and {*events.values()} == {2}, "each is replayed once"


def test_a_link_from_elsewhere_replays_nothing_by_itself(app, client, developer):
    """Only what a form of the same browser led to goes on without a click, and says what it was told."""
    link = "/dashboard/replays?until=2026-11-21T00:00:00Z&total=9&done=1&refused=1&cursor=x&said=Call+this+number"
    for end in ("", "&mark=", "&mark=" + "0" * 64):
        page = developer.get(link + end)
        assert "Go on" in page.text and "data-go" not in page.text and "Call this number" not in page.text


def done(text):
    return int(re.search(r"(\d+) (of \d+ )?done", text)[1])


def test_nobody_sees_them_whose_role_or_business_they_are_not(app, client, developer, receive, drain, subscribe):
    receiver = receive(204)
    made = subscribe(client, receiver.url, "contact.created")
    contact(client)
    drain(app)
    event = client.get("/v1/events")["data"][0]["id"]
    of_it = (
        f"/dashboard/webhooks/{made['id']}",
        f"/dashboard/deliveries/{newest(client)}",
        f"/dashboard/events/{event}",
    )
    for path in (*PAGES, *of_it):
        developer.get(path)
    viewer = Browser(app).join(client, "viewer", "viewer@example.com")
    assert "Webhooks" not in viewer.page.text and "Deliveries" not in viewer.page.text
    stranger = Browser(app).join(Client(app), "owner", "stranger@example.com")
    for path in PAGES:
        viewer.get(path, 403)
        assert made["id"] not in stranger.get(path).text
    for path in of_it:
        viewer.get(path, 403)
        gone = re.sub("_[0-9a-z]+$", "_01ke0000000000000000000001", path)
        assert stranger.get(path, 404).text == stranger.get(gone, 404).text


def test_the_pages_are_there_only_with_the_plugin_and_say_what_is_empty(app, client, developer, make_app):
    for path, words in zip(
        PAGES, ("No endpoints yet", "No deliveries yet", "nothing to replay", "No events"), strict=True
    ):
        assert words in read(developer.get(path)), path
    for query in ("status=nonsense", "created_at_from=yesterday", "cursor=x", "endpoint_id=whk_1", "event=%3Cb%3E"):
        assert "<b>" not in developer.get(f"/dashboard/deliveries?{query}", 200 if "whk_1" in query else 400).text
    without = make_app("contacts", "dashboard", "users", fresh=True)
    other = Browser(without).join(client := Client(without))
    for path in PAGES[:3]:
        other.get(path, 404)
    contact(client)
    assert "contact.created" in other.get(PAGES[3]).text
    page = other.get(f"/dashboard/events/{client.get('/v1/events')['data'][0]['id']}")
    assert "Ada" in page.text and "eliver" not in page.text and "ebhook" not in page.text
