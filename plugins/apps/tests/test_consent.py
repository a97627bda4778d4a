"""The page on which a person lets an app in: who sees it, what it says, what it gives, and where it leads."""

from threading import Thread
from urllib.parse import parse_qs, urlsplit

import pytest
import sqlalchemy as sa
from msgspec.structs import replace

from billycan.tenants import set_standing
from billycan.testing import Client
from billycan_apps import app_records, uris
from billycan_apps.tables import connections
from billycan_apps.testing import PASSWORD, REDIRECT, OAuthApp
from billycan_users import people
from billycan_users.tables import roles
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone
MORE = ("contacts:read", "contacts:write", "tenant:write")


def told(answer):
    assert answer.status_int == 303, answer.text
    assert answer.headers["Location"].startswith(f"{REDIRECT}?")
    return {name: value for name, (value,) in parse_qs(urlsplit(answer.headers["Location"]).query).items()}


def test_who_is_not_signed_in_does_that_first_and_comes_back(oauth, client):
    browser = oauth.person()
    browser.web.reset()
    answer = browser.web.get(oauth.asks(), status=303)
    assert answer.headers["Location"].startswith("/dashboard/sign-in?next=/oauth/authorize%3F")
    browser.page = answer.follow()
    page = browser.send(email=browser.email, password=PASSWORD)
    assert "wants to connect to Derwent Plumbing" in page.text and "environment" in page.text


def test_the_page_says_who_asks_what_for_and_what_not(oauth):
    page = oauth.person().web.get(oauth.asks())
    for said in (
        "<strong>Ledger Sync</strong> wants to connect to Derwent Plumbing",
        "app.example.com",
        "Your own business registered this app. Nobody else has looked at it.",
        "See your contacts",
        "Create, change and delete contacts",
        "See or change the log of events, your business profile, email notifications or webhooks",
        "Learn your password, or sign in as you",
        "Real records of Derwent Plumbing",
    ):
        assert said in page.text, said
    headers = page.headers
    assert "frame-ancestors 'none'" in headers["Content-Security-Policy"] and headers["X-Frame-Options"] == "DENY"
    assert "form-action 'self' https:;" in headers["Content-Security-Policy"]
    assert "no-store" in headers["Cache-Control"]


def test_the_answer_has_the_code_the_state_and_the_issuer_and_nothing_else(oauth, app):
    assert oauth.consents(state="a b&c").keys() == {"code", "state", "iss"}
    told = oauth.consents(state="a b&c")
    assert (told["state"], told["iss"]) == ("a b&c", app.public_url)
    assert "state" not in oauth.consents(state=None)


def test_saying_no_is_told_and_connects_nothing(oauth, client):
    browser = oauth.person()
    page = browser.web.get(oauth.asks())
    form = next(form for form in page.forms.values() if "environment" in form.fields)
    answer = form.submit("decision", value="deny")
    assert told(answer) == {
        "error": "access_denied",
        "error_description": "The person said no.",
        "state": "xyz",
        "iss": oauth.app.public_url,
    }
    assert connected(oauth.app, client) == []


def connected(app, client):
    with app.db.reading(client.tenant_id) as db:
        return db.execute(sa.select(connections).where(connections.c.tenant_id == client.tenant_id)).all()


FAULTS = [
    ({"response_type": None}, "invalid_request"),
    ({"response_type": "token"}, "unsupported_response_type"),
    ({"code_challenge": None}, "invalid_request"),
    ({"code_challenge_method": None}, "invalid_request"),
    ({"code_challenge_method": "plain"}, "invalid_request"),
    ({"code_challenge": "short"}, "invalid_request"),
    ({"scope": "contacts:read nonsense"}, "invalid_scope"),
    ({"scope": "read"}, "invalid_scope"),
    ({"scope": "tenant:read"}, "invalid_scope"),
    ({"scope": 'contacts:read "\u00e9'}, "invalid_scope"),
]


def test_a_fault_of_the_apps_is_told_to_it_once_the_person_is_known(oauth):
    stranger = Browser(oauth.app)
    for changes, error in FAULTS:
        asks = oauth.asks(**changes)
        assert stranger.web.get(asks, status=303).headers["Location"].startswith("/dashboard/sign-in")
        answer = told(oauth.person().web.get(asks))
        assert (answer["error"], answer["state"], answer["iss"]) == (error, "xyz", oauth.app.public_url)
        assert all(0x20 <= ord(c) < 0x7F and c not in '"\\' for c in answer["error_description"])


def test_a_parameter_that_is_sent_twice_is_a_fault(oauth):
    assert told(oauth.person().web.get(oauth.asks() + "&scope=contacts:read"))["error"] == "invalid_request"
    assert oauth.person().web.get(oauth.asks() + f"&redirect_uri={REDIRECT}", status=400)


NOWHERE = [
    {"client_id": None},
    {"client_id": "app_nobody"},
    {"client_id": "app_\0"},
    {"redirect_uri": None},
    {"redirect_uri": f"{REDIRECT}/"},
    {"redirect_uri": f"{REDIRECT}?x=1"},
    {"redirect_uri": "https://app.example.com.evil.test/cb"},
    {"redirect_uri": "https://APP.example.com/cb"},
    {"redirect_uri": "https://app.example.com:443/cb"},
    {"redirect_uri": "https://app.example.com@evil.test/cb"},
    {"redirect_uri": "//evil.test"},
    {"redirect_uri": "javascript:alert(1)"},
    {"redirect_uri": "http://app.example.com/cb"},
]


def test_an_answer_goes_nowhere_but_to_a_registered_place(oauth):
    browsers = (Browser(oauth.app), oauth.person())
    for browser, changes in ((browser, changes) for browser in browsers for changes in NOWHERE):
        page = browser.web.get(oauth.asks(**changes), status=400)
        assert "This app cannot be connected" in page.text and "Location" not in page.headers


def test_on_a_loopback_address_any_port_will_do(client):
    oauth = OAuthApp(client, is_public=True, redirect_uris=["http://127.0.0.1:8080/cb", "com.example.app:/done"])
    for where in ("http://127.0.0.1:53123/cb", "http://127.0.0.1/cb", "http://127.0.0.1:1/cb"):
        page = oauth.person().web.get(oauth.asks(redirect_uri=where), status=200)
        assert "form-action 'self' http:;" in page.headers["Content-Security-Policy"] and "this device" in page.text
        code = oauth.consents(redirect_uri=where)["code"]
        assert oauth.redeem(code, redirect_uri=where)["access_token"]
    for other in (
        "http://127.0.0.1:53123/other",
        "http://127.0.0.1:53123@evil.test/cb",
        "http://127.0.0.1.evil.test/cb",
    ):
        oauth.person().web.get(oauth.asks(redirect_uri=other), status=400)


@pytest.mark.parametrize(
    ("uri", "is_good"),
    [
        ("https://app.example.com/cb?x=1", True),
        ("http://localhost:8080/cb", True),
        ("http://[::1]/cb", True),
        ("com.example.app:/cb", True),
        ("https://app.example.com/cb#x", False),
        ("https://*.example.com/cb", False),
        ("https://user@example.com/cb", False),
        ("https:///cb", False),
        ("HTTPS://app.example.com/cb", False),  # the page would say that it leads to this device
        ("https://example.com:99999/", False),
        ("http://example.com/cb", False),
        ("http://127.0.0.1@evil.test/", False),
        ("http://127.0.0.1\\@evil.test/", False),
        ("javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("https://example.com/ cb", False),
        ("https://example.com/é", False),
        ("https://example.com/" + "x" * 2000, False),
    ],
)
def test_what_may_be_registered(uri, is_good):
    assert (uris.uri_fault(uri) is None) == is_good


def test_a_redirect_uri_keeps_its_own_query(client):
    oauth = OAuthApp(client, redirect_uris=[f"{REDIRECT}?tenant=7"])
    assert oauth.consents()["tenant"] == "7"


def test_scopes_can_be_taken_away_but_not_all_and_not_added(oauth):
    assert oauth.tokens(scopes=["contacts:read"])["scope"] == "contacts:read"
    page = oauth.person().web.get(oauth.asks(scope="contacts:read"))
    form = next(form for form in page.forms.values() if "environment" in form.fields)
    fields = dict(form.submit_fields()) | {"decision": "allow"}
    again = oauth.person().web.post(form.action, {**fields, "scope": "contacts:write"}, status=422)
    assert "must leave at least one thing" in again.text
    again = oauth.person().web.post(form.action, {**fields, "environment": "mars"}, status=422)
    assert "Must be chosen" in again.text


def test_a_person_gives_no_more_than_they_have(client):
    oauth = OAuthApp(client, *MORE)
    developer = Browser(oauth.app).join(client, "developer")
    page = developer.web.get(oauth.asks())
    assert "Your role does not have this" in page.text
    form = next(form for form in page.forms.values() if "environment" in form.fields)
    assert [tick._value for tick in form.fields["scope"] if tick.checked] == ["contacts:read", "contacts:write"]
    fields = {**dict(form.submit_fields()), "scope": "tenant:write", "decision": "allow"}
    assert "not yours to give" in developer.web.post(form.action, fields, status=422).text
    viewer = Browser(oauth.app).join(client, "viewer")
    assert "Your role may not connect apps" in viewer.web.get(oauth.asks(), status=400).text


def test_a_suspended_business_connects_nothing(oauth, client):
    page = oauth.person().web.get(oauth.asks())
    form = next(form for form in page.forms.values() if "environment" in form.fields)
    ids = client.tenant_id, client.sandbox().tenant_id
    with oauth.app.db.writing(across="a test") as db:
        set_standing(db, ids, "suspended", oauth.app.now())
    oauth.app.epoch.bump()
    assert "is suspended" in form.submit("decision", value="allow", status=403).text
    assert connected(oauth.app, client) == []


def test_no_token_is_exchanged_while_nothing_can_be_changed(oauth):
    token = oauth.tokens()["refresh_token"]
    oauth.app.operations.start_read_only("Maintenance.", "ops@example.com")
    refused = oauth.refresh(token, 503)
    assert refused["error"] == "temporarily_unavailable" and "Maintenance." in refused["error_description"]
    oauth.app.operations.end_read_only("ops@example.com")
    assert oauth.refresh(token)["refresh_token"]


def test_who_is_removed_at_this_moment_connects_nothing(oauth, client):
    page = oauth.person().web.get(oauth.asks())
    form = next(form for form in page.forms.values() if "environment" in form.fields)
    given = []
    sends = Thread(target=lambda: given.append(form.submit("decision", value="allow", status="*").status_int))
    with oauth.app.db.writing() as db:
        db.execute(sa.delete(roles).where(roles.c.tenant_id == client.tenant_id))
        sends.start()
        sends.join(1)
    sends.join()
    assert given in ([400], [403]) and connected(oauth.app, client) == []


def test_the_password_is_asked_again_after_a_while_but_not_to_say_no(oauth, clock):
    browser = oauth.person()
    clock.move(minutes=16)
    page = browser.web.get(oauth.asks())
    form = next(form for form in page.forms.values() if "environment" in form.fields)
    assert "current_password" in form.fields
    again = form.submit("decision", value="allow", status=422)
    assert "is required to do this" in again.text
    assert told(form.submit("decision", value="deny"))["error"] == "access_denied"
    assert oauth.consents()["code"]


def test_the_form_needs_its_token(oauth):
    page = oauth.person().web.get(oauth.asks())
    form = next(form for form in page.forms.values() if "environment" in form.fields)
    fields = dict(form.submit_fields()) | {"decision": "allow"}
    oauth.person().web.post(form.action, {**fields, "token": "x"}, status=403)
    oauth.person().web.post(form.action, fields, headers={"Sec-Fetch-Site": "cross-site"}, status=403)
    assert connected(oauth.app, oauth.client) == []


def test_others_may_connect_an_app_once_it_is_published_and_as_it_was_then(oauth, app):
    stranger = Client(app)
    owner = Browser(app).join(stranger)
    assert "is not published here" in owner.web.get(oauth.asks(), status=400).text
    with app.db.writing() as db:
        app_records.publish_app(db, oauth.id, lambda edition: None)
    assert "Whoever runs this service has looked at this app" in owner.web.get(oauth.asks()).text
    assert oauth.redeem(oauth.consents(browser=owner)["code"])
    new = "https://new.example.com/cb"
    changed = app_records.Edition(
        "Stealth", "https://new.example.com", [REDIRECT, new], [*oauth.edition.scopes, "tenant:read"]
    )
    with app.db.writing() as db:
        app_records.change_app(db, oauth.id, changed)
    assert "Ledger Sync" in owner.web.get(oauth.asks()).text
    assert "is not published here" in owner.web.get(oauth.asks(redirect_uri=new), status=400).text
    # What nobody has looked at is not shown, whether it is asked for or stands for no scope at all.
    assert told(owner.web.get(oauth.asks(scope="contacts:read tenant:read")))["error"] == "invalid_scope"
    assert oauth.redeem(oauth.consents(browser=owner, scope=None)["code"])["scope"] == "contacts:read contacts:write"
    owner.get("/dashboard/connections")
    assert "https://app.example.com" in owner.page.text and "new.example.com" not in owner.page.text
    assert "Stealth" in oauth.person().web.get(oauth.asks(redirect_uri=new)).text


def consent_form(page):
    return next(form for form in page.forms.values() if "environment" in form.fields)


@pytest.mark.parametrize(
    ("changes", "shown"),
    [
        ({"name": "Bank"}, "Bank"),
        ({"home_page": "https://x.example.com"}, "x.example.com"),
        ({"scopes": ["contacts:read", "tenant:write"]}, "Change your business profile"),
    ],
)
def test_nobody_agrees_to_an_app_that_changed_since_the_page_was_opened(oauth, app, client, changes, shown):
    form = consent_form(oauth.person().web.get(oauth.asks(scope=None)))  # whatever the app may ask for
    with app.db.writing() as db:
        app_records.change_app(db, oauth.id, replace(oauth.edition, **changes))
    page = form.submit("decision", value="allow", status=409)
    assert "has changed since you opened the page" in page.text and shown in page.text
    assert connected(app, client) == []
    form = consent_form(page)
    for tick in form.fields["scope"]:
        tick.checked = True
    assert "code" in told(form.submit("decision", value="allow"))


def test_whoever_picks_a_business_with_another_edition_sees_that_one_first(oauth, app, client):
    """The page shows the app as it is for one business; others may have the edition that was published."""
    browser, other = oauth.person(), Client(app, profile={"name": "Second"})
    with app.db.writing() as db:
        app_records.publish_app(db, oauth.id, lambda edition: None)
        app_records.change_app(db, oauth.id, replace(oauth.edition, name="Our next one"))
        _, token = people.invite_person(db, other.tenant_id, browser.email, "owner", app.now())
    browser.get(f"/dashboard/join/{token}")
    browser.send(f"/dashboard/join/{token}")
    form = consent_form(browser.web.get(oauth.asks()))
    form.set("business", other.tenant_id)
    page = form.submit("decision", value="allow", status=409)
    assert "Ledger Sync" in page.html.h1.text and connected(app, other) == []
    assert "code" in told(consent_form(page).submit("decision", value="allow"))
    assert connected(app, other)


def test_an_app_that_is_withdrawn_keeps_the_name_that_others_know(oauth, app):
    owner = Browser(app).join(Client(app))
    with app.db.writing() as db:
        app_records.publish_app(db, oauth.id, lambda edition: None)
    tokens = oauth.redeem(oauth.consents(browser=owner)["code"])
    stealth = app_records.Edition("Your bank", "https://evil.example", [REDIRECT], oauth.edition.scopes)
    with app.db.writing() as db:
        app_records.withdraw_app(db, oauth.id)
        app_records.withdraw_app(db, oauth.id)
        app_records.change_app(db, oauth.id, stealth)
        assert app_records.get_app(db, oauth.id).published is None
    assert "is not published here" in owner.web.get(oauth.asks(), status=400).text
    page = owner.get("/dashboard/connections").text
    assert "Ledger Sync" in page and "Your bank" not in page and "evil" not in page
    assert oauth.refresh(tokens["refresh_token"])["access_token"]


def test_a_person_with_several_businesses_chooses_one(oauth, app):
    other = Client(app, profile={"name": "Tamar Tiles"})
    with app.db.writing() as db:
        app_records.publish_app(db, oauth.id, lambda edition: None)
    browser = oauth.person()
    with app.db.writing() as db:
        _, token = people.invite_person(db, other.tenant_id, browser.email, "owner", app.now())
    browser.get(f"/dashboard/join/{token}")
    browser.send(f"/dashboard/join/{token}")
    page = browser.web.get(oauth.asks())
    form = next(form for form in page.forms.values() if "environment" in form.fields)
    form.set("business", other.tenant_id)
    code = told(form.submit("decision", value="allow"))["code"]
    token = oauth.redeem(code)["access_token"]
    me = oauth.web.get("/v1/me", headers={"Authorization": f"Bearer {token}"}).json["data"]
    assert me["tenant"]["name"] == "Tamar Tiles"
    fields = {**dict(form.submit_fields()), "business": Client(app).tenant_id, "decision": "allow"}
    assert "Must be chosen" in browser.web.post(form.action, fields, status=422).text


def test_a_connection_is_told_of_as_an_event_and_done_by_the_person(oauth, client):
    oauth.connect()
    (event,) = client.get("/v1/events?event=app.connected")["data"]
    assert event["data"]["app"] == {"id": oauth.id, "name": "Ledger Sync"}
    assert event["data"]["connected_by"]["name"] == "Owner" and event["actor"]["user_id"].startswith("usr_")
