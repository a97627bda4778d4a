"""Long pages let other requests go while they are made, under gevent, where nothing else does so."""

import sys

import pytest

from billycan import apart
from billycan.testing import Client
from billycan_hosted import pages
from billycan_users import templates
from billycan_users.testing import Browser

pytestmark = pytest.mark.either
PLUGINS = ("contacts", "documents", "hosted", "invoices", "users", "dashboard")
LINES = 40


@pytest.fixture
def begin(monkeypatch):
    """Return a function that has pieces as short as possible from then on, and returns one item for each time that
    others could go."""
    times, environments = [], (templates._load_templates, pages._load_templates)

    def let_others_go():
        sys.audit("billycan.slow", "to serve others")  # a breach, where a write transaction is open
        times.append(1)

    def begin():
        for name, stand_in in (("_is_gevent", lambda: True), ("let_others_go", let_others_go), ("PIECE_SECONDS", 0)):
            monkeypatch.setattr(apart, name, stand_in)
        for each in environments:
            each.cache_clear()
        return times

    yield begin
    for each in environments:
        each.cache_clear()


def test_a_long_page_is_made_in_pieces(make_app, begin):
    app = make_app(*PLUGINS)
    client = Client(app)
    client_id = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    lines = [{"description": f"Part {i}", "quantity": "1", "unit_price": "2.00"} for i in range(LINES)]
    draft, sent = (
        client.post("/v1/invoices", {"client_id": client_id, "line_items": lines})["data"]["id"] for _ in range(2)
    )
    hosted = client.post(f"/v1/invoices/{sent}/send", status=200)["data"]["hosted_url"].removeprefix(app.public_url)
    owner, turns = Browser(app).join(client), begin()
    for path in (f"/dashboard/invoices/{draft}", hosted, f"/dashboard/invoices/{draft}/edit"):
        turns.clear()
        assert f"Part {LINES - 1}" in owner.get(path).text
        assert len(turns) > LINES, path
    turns.clear()
    owner.send(**{f"line_items[{LINES - 1}].description": "Tap"})
    assert len(turns) > 3 * LINES  # what was stored, what was sent, and the page that follows


def test_without_gevent_a_page_costs_no_more():
    assert apart.finalize_in_turns() is None
