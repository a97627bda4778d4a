"""Every page, opened by everybody who may not open it: nothing is shown, and nothing is changed."""

import re

import pytest

from billycan.starting.packages import first_party
from billycan.testing import Client
from billycan_users.page_routes import SIGN_IN
from billycan_users.rules import ROLES, role_allows
from billycan_users.testing import Browser

pytestmark = [pytest.mark.whole, pytest.mark.either]
NOBODYS = "0" * 26
PARAMETER = re.compile(r"{(\w+)}")
# The queries that some pages need.
QUARTER = "?from=2026-07-01&to=2026-09-30"
ASKED = {
    "/dashboard/reports/gst.csv": QUARTER,
    "/dashboard/reports/gst/documents": f"{QUARTER}&label=1A",
    "/dashboard/reports/gst/documents.csv": f"{QUARTER}&label=1A",
}


@pytest.fixture
def app(make_app):
    return make_app(*first_party())


def screens(app):
    """Yield each page with its path; the clock moves between them, to stay within the limits."""
    found = {path: page.screen for path, _, page in app.pages if hasattr(page, "screen")}
    assert len(found) > 20
    for path, screen in found.items():
        app.clock.move(seconds=30)
        yield path, screen


def filled(path, id=f"key_{NOBODYS}"):
    return PARAMETER.sub(id, path)


def token_of(browser):
    return re.search(r'name="token" value="(\w+)"', browser.get("/dashboard/account").text)[1]


def test_who_is_signed_out_is_led_to_sign_in(app):
    browser = Browser(app)
    for path, screen in screens(app):
        got = browser.web.get(filled(path), status="*")
        sent = browser.web.post(filled(path), {"name": "x"}, status="*")
        if screen.post:
            assert sent.status_int in (403, 404), path
        else:
            assert sent.status_int == 405, path
        if screen.anybody:
            assert got.status_int in (200, 303, 400, 404, 405), path
        elif screen.get is None:
            assert got.status_int == 405, path
        else:
            assert got.status_int == 303 and SIGN_IN in got.headers["Location"], path


@pytest.mark.parametrize("role", ROLES)
def test_a_role_opens_what_it_may_and_nothing_else(app, role):
    browser = Browser(app).join(Client(app), role)
    token = token_of(browser)
    refused = 0
    for path, screen in screens(app):
        if path == "/dashboard/sign-out":
            continue
        allowed = not screen.operator and (screen.anybody or screen.role is None or role_allows(role, screen.role))
        got = browser.web.get(filled(path) + ASKED.get(path, ""), status="*")
        if not allowed:
            refused += 1
            assert got.status_int in (403, 405), path
            if screen.post:
                sent = browser.web.post(filled(path), {"token": token, "name": "x"}, status="*")
                assert sent.status_int == 403, path
        else:
            expected = (405,) if screen.get is None else (200, 303) if "{" not in path else (200, 303, 404)
            if path == "/oauth/authorize":
                expected = (400,)  # no app asks for anything
            assert got.status_int in expected, (path, got.status_int)
    least = {"field": 20, "viewer": 5, "bookkeeper": 5, "office": 3, "developer": 2, "owner": 0}
    assert refused >= least[role]


def test_a_form_without_its_token_changes_nothing(app):
    owner = Browser(app).join(Client(app), "owner")
    for path, screen in screens(app):
        if screen.post:
            for sent in ({}, {"token": "x"}):
                assert owner.web.post(filled(path), {"name": "x", **sent}, status="*").status_int == 403, path
    owner.get("/dashboard/account")


def test_an_empty_form_is_never_our_failure(app):
    """Whatever is left out is a fault of the form, or done; and an id that there is not is not found."""
    owner = Browser(app).join(Client(app), "owner")
    for path, screen in screens(app):
        if not screen.post or screen.operator or path == "/dashboard/sign-out":
            continue
        token = token_of(owner)
        answer = owner.web.post(filled(path), {"token": token}, status="*")
        assert answer.status_int < 500, path
        if "{" in path:
            assert answer.status_int in (404, 422, 409, 303), (path, answer.status_int)


def test_no_page_brings_script_or_style_of_its_own_or_is_kept(app):
    owner = Browser(app).join(Client(app), "owner")
    for path, screen in screens(app):
        if "{" in path or screen.get is None or screen.operator:
            continue
        page = owner.web.get(path, status="*")
        if page.status_int != 200 or page.content_type != "text/html":
            continue
        assert page.headers["Cache-Control"] == "no-store", path
        policy = page.headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert not re.search(r"\sstyle=|\son\w+=|<style|<script(?! src=)|javascript:", page.text), path
        assert len(re.findall(r"<h1[ >]", page.text)) == 1, path
        for field in re.findall(r"<(?:input|select|textarea)\b[^>]*>", page.text):
            named = re.search(r'\bid="([^"]+)"', field)
            inside = 'type="hidden"' in field or 'type="checkbox"' in field or 'type="radio"' in field
            labelled = named and f'for="{named[1]}"' in page.text
            assert inside or labelled or "aria-label" in field, (path, field)
