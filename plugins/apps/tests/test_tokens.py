"""Codes and tokens: what each gives, how often, for how long, and what ends it."""

import threading

import pytest
import sqlalchemy as sa

from billycan.testing import Client, run_timed
from billycan_apps import grants
from billycan_apps.tables import access_tokens, codes, connections, refresh_tokens
from billycan_apps.tables import secrets as secrets_table
from billycan_apps.testing import OAuthApp

pytestmark = pytest.mark.either


def bearer(oauth, token, status=200):
    headers = {"Authorization": f"Bearer {token}"}
    return oauth.web.get("/v1/contacts", headers=headers, status="*").status_int == status


@pytest.mark.parametrize("environment", ["live", "sandbox"])
def test_an_app_calls_the_api_for_the_business(oauth, client, environment):
    tokens = oauth.tokens(environment)
    start = {"live": "oat_live_", "sandbox": "oat_test_"}[environment]
    assert tokens["access_token"].startswith(start) and tokens["refresh_token"].startswith("ort_")
    assert (tokens["token_type"], tokens["expires_in"]) == ("Bearer", 1799)
    assert tokens["scope"] == "contacts:read contacts:write"
    caller = oauth.connect(environment)
    caller.post("/v1/contacts", {"name": "Ada"})
    home = client if environment == "live" else client.sandbox()
    assert [c["name"] for c in home.get("/v1/contacts")["data"]] == ["Ada"]
    me = caller.get("/v1/me")["data"]
    assert me["app"] == {"id": oauth.id, "name": "Ledger Sync"}
    assert me["connection"]["id"] == me["id"] and me["id"].startswith("cnx_")
    assert me["environment"] == environment and me["scopes"] == ["contacts:read", "contacts:write"]
    assert home.get("/v1/me")["data"]["app"] is None
    event = next(e for e in home.get("/v1/events?event=contact.created")["data"])
    assert (event["actor"]["connection_id"], event["actor"]["app_id"]) == (me["id"], oauth.id)
    caller.refused(403, "insufficient_scope", "GET", "/v1/tenant")


def test_nothing_that_opens_anything_is_stored(oauth, app):
    code = oauth.consents()["code"]
    tokens = oauth.redeem(code)
    tokens |= {"next": oauth.refresh(tokens["refresh_token"])["refresh_token"], "code": code, "secret": oauth.secret}
    with app.db.reading(across="this test looks at everything") as db:
        stored = [str(db.execute(sa.select(t)).all()) for t in (codes, access_tokens, refresh_tokens, secrets_table)]
    for name in ("access_token", "refresh_token", "next", "code", "secret"):
        assert tokens[name] not in "".join(stored)


def test_a_code_works_once_and_its_second_use_ends_what_the_first_gave(oauth):
    code = oauth.consents()["code"]
    tokens = oauth.redeem(code)
    assert bearer(oauth, tokens["access_token"])
    assert oauth.redeem(code, 400)["error"] == "invalid_grant"
    assert bearer(oauth, tokens["access_token"], 401)
    assert oauth.refresh(tokens["refresh_token"], 400)["error"] == "invalid_grant"
    assert oauth.tokens()  # another consent is untouched


def test_a_code_is_for_one_app_one_uri_and_one_verifier(oauth, client, clock):
    other = OAuthApp(client)
    code = oauth.consents()["code"]
    for changes in (
        {"redirect_uri": "https://app.example.com/cb/"},
        {"code_verifier": oauth.verifier[::-1]},
        {"code_verifier": "short"},
        {**other.credentials()},
    ):
        assert oauth.redeem(code, 400, **changes)["error"] == "invalid_grant", changes
    clock.move(seconds=58)
    oauth.redeem(code)
    late = oauth.consents()["code"]
    clock.move(seconds=61)
    assert oauth.redeem(late, 400)["error"] == "invalid_grant"


def test_an_access_token_lasts_half_an_hour_and_a_refresh_token_90_days_from_its_last_use(oauth, clock):
    tokens = oauth.tokens()
    clock.move(minutes=29)
    assert bearer(oauth, tokens["access_token"])
    clock.move(minutes=2)
    assert bearer(oauth, tokens["access_token"], 401)
    assert (
        oauth.web.get("/v1/me", headers={"Authorization": f"Bearer {tokens['access_token']}"}, status=401).headers[
            "WWW-Authenticate"
        ]
        == 'Bearer error="invalid_token"'
    )
    for _ in range(3):
        clock.move(days=89)
        tokens = oauth.refresh(tokens["refresh_token"])
        assert bearer(oauth, tokens["access_token"])
    clock.move(days=91)
    assert oauth.refresh(tokens["refresh_token"], 400)["error"] == "invalid_grant"


def test_whoever_lost_the_answer_to_a_refresh_gets_the_same_pair_for_a_minute(oauth, clock):
    tokens = oauth.tokens()
    first = oauth.refresh(tokens["refresh_token"])
    clock.move(seconds=30)
    again = oauth.refresh(tokens["refresh_token"])
    assert {**again, "expires_in": 0} == {**first, "expires_in": 0} and again["expires_in"] < first["expires_in"] - 29
    third = oauth.refresh(again["refresh_token"])
    assert oauth.refresh(tokens["refresh_token"])["refresh_token"] == first["refresh_token"]
    assert bearer(oauth, third["access_token"])


def test_an_old_refresh_token_after_that_ends_every_token_of_the_connection(oauth, clock, client):
    tokens, beside = oauth.tokens(), oauth.tokens()
    fresh = oauth.refresh(tokens["refresh_token"])
    client.web.get("/v1/me", headers={"Authorization": f"Bearer {fresh['access_token']}"})
    clock.move(seconds=61)
    assert oauth.refresh(tokens["refresh_token"], 400)["error"] == "invalid_grant"
    for each in (tokens, fresh, beside):
        assert bearer(oauth, each["access_token"], 401)
        assert oauth.refresh(each["refresh_token"], 400)["error"] == "invalid_grant"
    with oauth.app.db.reading(client.tenant_id) as db:
        of = sa.select(connections.c.held_at).where(connections.c.tenant_id == client.tenant_id)
        assert db.execute(of).scalar_one() is not None
    assert bearer(oauth, oauth.tokens()["access_token"])


@pytest.mark.both
@pytest.mark.parametrize("times", [20])
def test_any_number_of_refreshes_at_once_give_one_pair(oauth, times):
    token = oauth.tokens()["refresh_token"]
    given, barrier = [], threading.Barrier(times)

    def refresh():
        barrier.wait()
        given.append(grants.renew_tokens(oauth.app, oauth.id, token))

    threads = [threading.Thread(target=refresh) for _ in range(times)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(given) == times and len({pair and pair.refresh_token for pair in given}) == 1 and given[0]


@pytest.mark.both
def test_a_code_that_arrives_twice_at_once_gives_one_pair_or_none(oauth):
    code, given, barrier = oauth.consents()["code"], [], threading.Barrier(8)

    def redeem():
        barrier.wait()
        given.append(grants.redeem_code(oauth.app, oauth.id, code, oauth.edition.redirect_uris[0], oauth.verifier))

    threads = [threading.Thread(target=redeem) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    (pair,) = [pair for pair in given if pair]
    assert bearer(oauth, pair.access_token, 401)


def test_a_process_that_dies_before_the_commit_has_used_up_nothing(oauth, monkeypatch):
    code = oauth.consents()["code"]
    issue = grants._issue_tokens

    def die(*given, **more):
        issue(*given, **more)
        raise KeyboardInterrupt

    monkeypatch.setattr(grants, "_issue_tokens", die)
    with pytest.raises(KeyboardInterrupt):
        grants.redeem_code(oauth.app, oauth.id, code, oauth.edition.redirect_uris[0], oauth.verifier)
    monkeypatch.setattr(grants, "_issue_tokens", issue)
    tokens = oauth.redeem(code)
    monkeypatch.setattr(grants, "_issue_tokens", die)
    with pytest.raises(KeyboardInterrupt):
        grants.renew_tokens(oauth.app, oauth.id, tokens["refresh_token"])
    monkeypatch.setattr(grants, "_issue_tokens", issue)
    assert oauth.refresh(tokens["refresh_token"])


def test_a_refresh_may_ask_for_less_and_never_for_more(oauth):
    tokens = oauth.tokens(scopes=["contacts:read"])
    assert tokens["scope"] == "contacts:read"
    beyond = oauth.refresh(tokens["refresh_token"], 400, scope="contacts:read contacts:write")
    assert beyond["error"] == "invalid_scope"
    both = oauth.tokens()
    less = oauth.refresh(both["refresh_token"], scope="contacts:read")
    assert less["scope"] == "contacts:read"
    assert oauth.refresh(less["refresh_token"])["scope"] == "contacts:read contacts:write"


def test_scopes_that_are_taken_away_are_gone_from_tokens_that_there_are(oauth):
    caller = oauth.connect()
    oauth.consents(scopes=["contacts:read"])
    caller.refused(403, "insufficient_scope", "POST", "/v1/contacts", {"name": "Ada"})
    oauth.consents()
    caller.post("/v1/contacts", {"name": "Ada"})


def test_a_token_is_revoked_at_once_and_the_refresh_token_with_all_of_its_code(oauth):
    tokens, beside = oauth.tokens(), oauth.tokens()
    oauth.post("/oauth/revoke", {"token": tokens["access_token"], **oauth.credentials()}, 200)
    assert bearer(oauth, tokens["access_token"], 401)
    tokens = oauth.refresh(tokens["refresh_token"])
    oauth.post("/oauth/revoke", {"token": tokens["refresh_token"], **oauth.credentials()}, 200)
    assert bearer(oauth, tokens["access_token"], 401) and bearer(oauth, beside["access_token"])
    assert oauth.refresh(tokens["refresh_token"], 400)["error"] == "invalid_grant"


def test_another_apps_token_is_answered_as_one_that_is_not_there(oauth, client):
    tokens, other = oauth.tokens(), OAuthApp(client)
    for name in ("access_token", "refresh_token"):
        form = {"token": tokens[name], **other.credentials()}
        assert other.post("/oauth/revoke", form, 200) == {}
        assert other.post("/oauth/revoke", {**form, "token": "nonsense"}, 200) == {}
    assert bearer(oauth, tokens["access_token"]) and oauth.refresh(tokens["refresh_token"])
    assert other.refresh(tokens["refresh_token"], 400)["error"] == "invalid_grant"


def test_each_connection_has_idempotency_keys_and_an_allowance_of_its_own(make_app):
    client = Client(make_app("apps", "contacts", "dashboard", "users", per_minute=3, per_second=3))
    oauth = OAuthApp(client)
    one, other = oauth.connect(), OAuthApp(client, browser=oauth.browser).connect()
    made = [caller.post("/v1/contacts", {"name": "Ada"}, Idempotency_Key="k")["data"]["id"] for caller in (one, other)]
    assert made[0] != made[1] != client.post("/v1/contacts", {"name": "Ada"}, Idempotency_Key="k")["data"]["id"]
    assert one.post("/v1/contacts", {"name": "Ada"}, Idempotency_Key="k")["data"]["id"] == made[0]
    one.refused(429, "rate_limited", "GET", "/v1/me")
    other.get("/v1/me")


def test_what_is_over_is_forgotten(oauth, app, clock, client):
    tokens = oauth.tokens()
    oauth.refresh(tokens["refresh_token"])
    oauth.consents()
    clock.move(seconds=62)
    run_timed(app)
    with app.db.reading(client.tenant_id) as db:
        sealed = sa.select(refresh_tokens.c.sealed).where(refresh_tokens.c.tenant_id == client.tenant_id)
        assert set(db.execute(sealed).scalars()) == {None}
    clock.move(hours=1)
    run_timed(app)

    def left(table):
        with app.db.reading(client.tenant_id) as db:
            return len(db.execute(sa.select(table.c.id).where(table.c.tenant_id == client.tenant_id)).all())

    assert (left(access_tokens), left(refresh_tokens), left(codes)) == (0, 2, 1)
    clock.move(days=91)
    run_timed(app)
    assert (left(refresh_tokens), left(codes)) == (0, 0)


def test_an_app_that_refreshes_all_the_time_fills_no_table(oauth, app, client, clock, monkeypatch):
    monkeypatch.setattr(grants, "MOST_USED", 3)
    tokens = [oauth.tokens()["refresh_token"]]
    for _ in range(6):
        clock.move(minutes=1)
        tokens.append(oauth.refresh(tokens[-1])["refresh_token"])
    clock.move(hours=1)
    run_timed(app)
    with app.db.reading(client.tenant_id) as db:
        mine = sa.select(refresh_tokens.c.used_at).where(refresh_tokens.c.tenant_id == client.tenant_id)
        assert [used is None for used in db.execute(mine).scalars()].count(False) == 3
    assert oauth.refresh(tokens[0], 400)["error"] == "invalid_grant"
    tokens.append(oauth.refresh(tokens[-1])["refresh_token"])
    oauth.refresh(tokens[3], 400)  # one that is kept still tells of a theft
    assert oauth.refresh(tokens[-1], 400)["error"] == "invalid_grant"


@pytest.mark.both
def test_two_who_consent_at_once_make_one_connection(oauth, client, app):
    page = oauth.person().web.get(oauth.asks())
    form = next(form for form in page.forms.values() if "environment" in form.fields)
    barrier, given = threading.Barrier(6), []

    def allow():
        barrier.wait()
        given.append(form.submit("decision", value="allow", status="*").status_int)

    threads = [threading.Thread(target=allow) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert given == [303] * 6
    with app.db.reading(client.tenant_id) as db:
        mine = sa.select(connections.c.id).where(connections.c.tenant_id == client.tenant_id)
        assert len(db.execute(mine).all()) == 1


def test_another_host_refuses_a_token_within_a_second_of_its_end(oauth, app, client, make_app, monkeypatch):
    now = 0.0
    monkeypatch.setattr("billycan.sharing.folder.time.monotonic", lambda: now)
    caller = oauth.connect()
    url = app.db.url.render_as_string(hide_password=False)
    given = {"database": url, "webhooks": {"allow_private": True}}
    there = Client(make_app("apps", "contacts", "users", "webhooks", "dashboard", **given), client.tenant_id)
    there.headers = caller.headers
    there.get("/v1/me")
    browser = oauth.person()
    browser.get("/dashboard/connections")
    browser.send(f"/dashboard/connections/{caller.key_id}/disconnect")
    caller.refused(401, "invalid_api_key", "GET", "/v1/me")
    now = 1.0
    there.refused(401, "invalid_api_key", "GET", "/v1/me")
