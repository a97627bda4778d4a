"""Each list of records as a file, with the filters of the page."""

import csv
import io
import re
from html import unescape

import pytest

from billycan.testing import Client
from billycan_users.testing import Browser

pytestmark = pytest.mark.either


def test_a_list_is_downloaded_as_it_is_filtered(make_app):
    client = Client(make_app("contacts", "dashboard", "users"))
    for i in range(30):
        client.post("/v1/contacts", {"name": f"Zoë {i:02}", "kind": "company" if i else "person", "notes": "=1+1"})
    owner = Browser(client.app).join(client, "viewer")
    page = owner.get("/dashboard/contacts?kind=company&sort=name&page=2").text
    (link,) = re.findall(r'href="([^"]+)" download', page)
    answer = owner.get(unescape(link))
    assert answer.headers["Content-Disposition"] == 'attachment; filename="contacts.csv"'
    assert answer.body.startswith(b"\xef\xbb\xbfid,")
    rows = [*csv.DictReader(io.StringIO(answer.body.decode("utf-8-sig"), newline=""))]
    assert [row["name"] for row in rows] == [f"Zoë {i:02}" for i in range(1, 30)]
    assert {row["notes"] for row in rows} == {"'=1+1"}
    owner.get("/dashboard/contacts/csv?kind=nobody", 400)
    assert "download" not in owner.get("/dashboard/contacts?search=nobody").text
