"""The typeface of pages for people: served for a year, small, and named alike wherever pages ask for it."""

import re
from importlib.resources import files

import pytest

from billycan.testing import Client
from billycan_users.templates import shorten
from billycan_users.testing import Browser

pytestmark = [pytest.mark.sqlite_alone, pytest.mark.whole]
MOST_BYTES = 60_000
SOURCES = re.compile(r"url\((/-/fonts/[^)]+)\)")
FACES = re.compile(r"@font-face *\{[^}]+\}")


@pytest.fixture
def client(make_app):
    return Client(make_app("contacts", "documents", "hosted", "invoices", "users", "dashboard"))


def test_pages_preload_the_typeface_and_cache_it_for_a_year(client):
    web = Browser(client.app)
    page = web.get("/dashboard/sign-in")
    style = web.web.get(page.html.find("link", rel="stylesheet")["href"]).text
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    line = {"description": "Work", "unit_price": "10"}
    invoice = client.post("/v1/invoices", {"client_id": contact, "line_items": [line]})["data"]["id"]
    sent = client.post(f"/v1/invoices/{invoice}/send", {}, status=200)["data"]
    hosted = web.get(sent["hosted_url"].removeprefix(client.app.public_url))
    # Two style sheets say it, each for pages that load nothing of the other.
    assert FACES.findall(style) == [*map(shorten, FACES.findall(hosted.text))] and len(FACES.findall(style)) == 6
    size = 0
    for path in SOURCES.findall(style):
        font = web.web.get(path)
        size += len(font.body)
        assert font.body.startswith(b"wOF2") and font.headers["Content-Type"] == "font/woff2"
        assert font.headers["Cache-Control"] == "public, max-age=31536000, immutable"
    assert 0 < size <= MOST_BYTES
    for each in (page, hosted):
        preloaded = each.html.find("link", rel="preload")
        assert preloaded["href"] == SOURCES.findall(style)[0] and preloaded.has_attr("crossorigin")
        assert "font-src 'self'" in each.headers["Content-Security-Policy"]
    web.get("/-/fonts/other.woff2", 404)
    web.get("/-/fonts/LICENSE", 404)


def test_its_licence_is_beside_it():
    licence = files("billycan").joinpath("operating", "fonts", "LICENSE").read_text("utf-8")
    assert "SIL OPEN FONT LICENSE Version 1.1" in licence
