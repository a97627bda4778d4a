"""The endpoints of OAuth as clients see them: how an app proves itself, what is refused, and what describes them."""

import base64
import json
from urllib.parse import quote, urlencode

import pytest

from billycan.testing import Client
from billycan_apps import grants, protocol
from billycan_apps.testing import OAuthApp

pytestmark = pytest.mark.sqlite_alone


@pytest.fixture
def client(make_app):
    return Client(make_app("apps", "contacts", "users", "dashboard", public_url="http://api.example.com"))


def basic(name, secret):
    return "Basic " + base64.b64encode(f"{quote(name, safe='')}:{quote(secret, safe='')}".encode()).decode()


def test_an_app_proves_itself_in_one_way_of_two(oauth):
    header = basic(oauth.id, oauth.secret)
    form = {"grant_type": "refresh_token", "refresh_token": "x"}
    assert oauth.post("/oauth/token", form, 400, Authorization=header)["error"] == "invalid_grant"
    assert oauth.post("/oauth/token", form, 400, Authorization=header.replace("Basic", "basic"))["error"]
    assert oauth.post("/oauth/token", {**form, **oauth.credentials()}, 400)["error"] == "invalid_grant"
    both = oauth.post("/oauth/token", {**form, **oauth.credentials()}, 400, Authorization=header)
    assert both["error"] == "invalid_request"
    other = oauth.post("/oauth/token", {**form, "client_id": "app_other"}, 400, Authorization=header)
    assert other["error"] == "invalid_request"


def test_who_does_not_prove_it_is_401_with_the_way_to(oauth, client):
    public = OAuthApp(client, is_public=True)
    form = {"grant_type": "refresh_token", "refresh_token": "x"}
    wrong = "ocs_" + "0" * 38
    for given, header in (
        ({}, None),
        ({"client_id": oauth.id}, None),
        ({"client_id": oauth.id, "client_secret": wrong}, None),
        ({"client_id": oauth.id, "client_secret": public.id}, None),
        ({"client_id": "app_nobody", "client_secret": oauth.secret}, None),
        ({"client_id": public.id, "client_secret": oauth.secret}, None),
        ({}, basic(oauth.id, wrong)),
        ({}, "Basic !!!"),
        ({}, "Basic " + base64.b64encode(b"nocolon").decode()),
        ({}, f"Bearer {oauth.secret}"),
    ):
        headers = {"Authorization": header} if header else {}
        for path in ("/oauth/token", "/oauth/revoke"):
            refused = oauth.post(path, {**form, "token": "x", **given}, 401, **headers)
            assert refused["error"] == "invalid_client", given
            assert oauth.last.headers["WWW-Authenticate"].startswith("Basic ")
    assert public.post("/oauth/token", {**form, **public.credentials()}, 400)["error"] == "invalid_grant"


def test_nothing_is_taken_from_the_url(oauth):
    query = urlencode({"grant_type": "refresh_token", "refresh_token": "x", **oauth.credentials()})
    assert oauth.post(f"/oauth/token?{query}", {"grant_type": "refresh_token"}, 401)["error"] == "invalid_client"


@pytest.mark.parametrize("path", ["/oauth/token", "/oauth/revoke"])
def test_a_form_is_read_strictly(oauth, path):
    who = urlencode(oauth.credentials())
    form = "application/x-www-form-urlencoded"
    for body, kind in (
        (json.dumps(oauth.credentials()), "application/json"),
        (who + "&token=x&token=y", form),
        (who + "&client_id=" + oauth.id, form),
        (who + "&token=%ff", form),
        (who + "&token=" + "x" * 20_000, form),
        ("&".join(f"a{i}=b" for i in range(60)), form),
        (who, form),
        (who + "&grant_type=&token=", form),
    ):
        answer = oauth.web.post(path, body, {"Content-Type": kind}, status=400)
        assert answer.json["error"] == "invalid_request", body
        assert answer.headers["Cache-Control"] == "no-store" and answer.headers["Pragma"] == "no-cache"
    known = urlencode({"grant_type": "refresh_token", "refresh_token": "x", "token": "x", "unheard_of": "1"})
    answer = oauth.web.post(path, f"{who}&{known}", {"Content-Type": form}, status="*")
    assert answer.json.get("error") in (None, "invalid_grant")


def test_only_two_grants_are_given(oauth):
    for kind in ("password", "client_credentials", "implicit", "urn:ietf:params:oauth:grant-type:device_code", "x"):
        form = {"grant_type": kind, "username": "a", "password": "b", **oauth.credentials()}
        assert oauth.post("/oauth/token", form, 400)["error"] == "unsupported_grant_type"
    assert oauth.redeem("", 400)["error"] == "invalid_request"
    for missing in ("redirect_uri", "code_verifier"):
        assert oauth.redeem("x", 400, **{missing: None})["error"] == "invalid_request"
    assert oauth.post("/oauth/token", {"grant_type": "refresh_token", **oauth.credentials()}, 400)["error"]


def test_nothing_but_post_is_taken_and_refusals_stay_outside_the_envelope(oauth):
    for path in ("/oauth/token", "/oauth/revoke"):
        answer = oauth.web.get(path, status=405)
        assert answer.json["error"] == "invalid_request" and answer.headers["Allow"]
    assert "data" not in answer.json


def test_many_tries_are_refused_for_a_while(oauth, monkeypatch):
    monkeypatch.setattr(protocol, "PER_MINUTE", 3)
    wrong = {"client_id": oauth.id, "client_secret": "x"}
    for _ in range(3):
        oauth.post("/oauth/token", wrong, 401)
    assert oauth.post("/oauth/token", wrong, 429)["error"] == "temporarily_unavailable"
    assert int(oauth.last.headers["Retry-After"]) > 0


def test_tokens_are_not_kept_by_anybody_on_the_way(oauth):
    oauth.tokens()
    headers = oauth.last.headers
    assert headers["Cache-Control"] == "no-store" and headers["Pragma"] == "no-cache"
    assert headers["Content-Type"] == "application/json"


def test_the_second_way_of_redeeming_is_basic(oauth):
    code = oauth.consents()["code"]
    form = {"grant_type": "authorization_code", "code": code, "redirect_uri": oauth.edition.redirect_uris[0]}
    form |= {"code_verifier": oauth.verifier}
    tokens = oauth.post("/oauth/token", form, 200, Authorization=basic(oauth.id, oauth.secret))
    form = {"grant_type": "refresh_token", "refresh_token": tokens["refresh_token"]}
    assert oauth.post("/oauth/token", form, 200, Authorization=basic(oauth.id, oauth.secret))["access_token"]


def test_a_public_app_needs_no_secret_but_its_verifier(client):
    public = OAuthApp(client, is_public=True)
    code = public.consents()["code"]
    assert public.redeem(code, 400, code_verifier="x" * 43)["error"] == "invalid_grant"
    tokens = public.redeem(code)
    assert public.refresh(tokens["refresh_token"])["refresh_token"] != tokens["refresh_token"]


def test_the_description_is_what_libraries_read(oauth):
    answer = oauth.web.get("/.well-known/oauth-authorization-server")
    told = answer.json
    url = "http://api.example.com"
    assert told["issuer"] == url == oauth.consents()["iss"]
    assert told["authorization_endpoint"] == f"{url}/oauth/authorize"
    assert told["token_endpoint"] == f"{url}/oauth/token" and told["revocation_endpoint"] == f"{url}/oauth/revoke"
    assert told["code_challenge_methods_supported"] == ["S256"] and told["response_types_supported"] == ["code"]
    assert told["authorization_response_iss_parameter_supported"] is True
    assert told["grant_types_supported"] == ["authorization_code", "refresh_token"]
    assert "contacts:read" in told["scopes_supported"] and "read" not in told["scopes_supported"]
    assert answer.headers["Content-Type"] == "application/json"
    assert all(value not in ([], "") for value in told.values())
    assert not any(c in told[name] for name in told if name.endswith(("endpoint", "issuer")) for c in "?#")


def test_a_hint_of_the_wrong_kind_hides_no_token(oauth):
    tokens = oauth.tokens()
    form = {"token": tokens["refresh_token"], "token_type_hint": "access_token", **oauth.credentials()}
    oauth.post("/oauth/revoke", form, 200)
    assert oauth.refresh(tokens["refresh_token"], 400)["error"] == "invalid_grant"


def test_a_code_tells_nothing_and_cannot_be_guessed(oauth):
    codes = {oauth.consents()["code"] for _ in range(3)}
    assert len(codes) == 3 and all(len(code) == len(grants.CODE) + 38 for code in codes)
    assert not any(oauth.asks().partition("code_challenge=")[2][:43] in code for code in codes)


def test_no_other_site_may_read_the_page(oauth):
    page = oauth.person().web.get(oauth.asks(), headers={"Origin": "https://evil.test"})
    assert not [name for name in page.headers if name.lower().startswith("access-control")]


def test_whatever_was_sent_is_text_on_the_page(oauth):
    page = oauth.person().web.get(oauth.asks(state='"><script>alert(1)</script>'))
    assert "<script>alert" not in page.text
    assert oauth.consents(state='"><script>alert(1)</script>')["state"] == '"><script>alert(1)</script>'


def test_without_a_scope_everything_is_asked_that_the_app_may_ask(oauth):
    assert oauth.tokens(scope=None)["scope"] == "contacts:read contacts:write"


def test_no_token_is_taken_from_a_url_or_a_body(oauth):
    token = oauth.tokens()["access_token"]
    answer = oauth.web.get(f"/v1/me?access_token={token}", status=401)
    assert answer.headers["WWW-Authenticate"] == "Bearer"
    oauth.web.post("/v1/contacts", {"access_token": token}, status=401)


def test_off_it_leaves_no_trace(make_app):
    client = Client(make_app("contacts", "users", "dashboard"))
    for path in ("/oauth/authorize", "/oauth/token", "/.well-known/oauth-authorization-server"):
        client.call("GET", path, status=404)
    client.headers = {"Authorization": "Bearer " + "oat_live_" + "0" * 38}
    client.refused(401, "invalid_api_key", "GET", "/v1/me")
