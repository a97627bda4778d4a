"""Named places of pages: what other plugins put there, what roles see of it, and how it is refused."""

import pytest
from msgspec.structs import replace

from billycan import Manifest, RecordPages
from billycan.testing import Client
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone
PLUGINS = ("assets", "contacts", "documents", "jobs", "staff", "users", "dashboard")
LINK, PART, PLACE = RecordPages.Link, RecordPages.Part, RecordPages.Place
SCRIPT = 'src="/dashboard/-/dashboard-calendar.js?'


def refuse(visit, path, given):
    visit.call("GET", "/v1/nothing")
    yield LINK(words="Never", page="/never")


@pytest.fixture
def client(make_app, monkeypatch):
    from billycan_assets import plugin

    def show(*found):
        return lambda visit, path, given: found

    to = LINK(words="Map <b>", page="/dashboard/assets/map", opens="file")
    own = {"paths": ("/v1/assets",)}
    places = (
        PLACE(at="record.actions", show=show(to, LINK(words="Call", page="/x", is_main=True)), **own),
        PLACE(at="record.actions", show=refuse),
        PLACE(at="record.aside", show=show(Manifest.Card(title="Worth", figure=7, rows=(("a & b", "c"),))), **own),
        PLACE(at="record.below", show=show(PART(template="dashboard/mailed.html", values={"mailed": EMPTY})), **own),
        PLACE(at="list.view", show=show(LINK(words="Map", page="/m")), scripts=("dashboard/calendar.js",), **own),
        PLACE(at="record.aside", show=show(Manifest.Card(title="Elsewhere")), paths=("/v1/jobs",)),
    )
    monkeypatch.setattr(plugin, "manifest", replace(plugin.manifest, offers=places))
    return Client(make_app(*PLUGINS))


class EMPTY:
    offers, sendings, total, may_see = (), (), 0, True


def test_plugins_put_links_cards_and_parts_on_the_pages_of_records(client):
    asset = client.post("/v1/assets", {"name": "Ladder", "cost": "12.00"})["data"]["id"]
    owner = Browser(client.app).join(client)
    page = owner.get(f"/dashboard/assets/{asset}")
    assert [link.text for link in page.html.select(".head .actions a")] == ["Call", "Map <b>", "Edit"]
    assert page.html.find("a", string="Map <b>").has_attr("download")
    assert not page.html.select(".head .actions button:not(.second)")  # one thing is the main one
    aside = page.html.select("aside section")
    assert aside[0].h2.text == "Worth" and "a & b" in aside[0].text and "Elsewhere" not in page.text
    assert "Nothing has been emailed yet." in page.text and "Never" not in page.text and SCRIPT not in page.text
    listed = owner.get("/dashboard/assets")
    assert [view.text for view in listed.html.select("nav.tabs a")] == ["List", "Map"] and SCRIPT in listed.text
    assert "tabs" not in owner.get("/dashboard/contacts").text and SCRIPT not in owner.page.text


def test_a_part_without_its_template_says_where_that_was_looked_for(make_app, monkeypatch, caplog):
    from billycan_assets import plugin

    place = PLACE(at="record.below", show=lambda visit, path, given: [PART(template="assets/map.html")])
    monkeypatch.setattr(plugin, "manifest", replace(plugin.manifest, offers=(place,)))
    client = Client(make_app(*PLUGINS, fresh=True))
    asset = client.post("/v1/assets", {"name": "Ladder", "cost": "12.00"})["data"]["id"]
    Browser(client.app).join(client).get(f"/dashboard/assets/{asset}", 500)
    assert "assets/map.html is not there: billycan_assets has no file templates/map.html" in caplog.text


def test_who_signs_in_as_a_member_of_staff_is_chosen_and_shown_by_name(client):
    owner = Browser(client.app).join(client)
    other = Client(client.app)
    Browser(client.app).join(other, "viewer")
    form = owner.get("/dashboard/staff/new").html.find(id="user_id")
    assert [each.text for each in form.select("option")] == ["–", "Owner"]
    person = form.select("option")[1]["value"]
    owner.send(name="Dave", user_id=person)
    shown = owner.page.html.select_one("dl.across").text
    assert "Signs in as" in shown and "Owner" in shown and person not in shown
    staff = client.get("/v1/staff")["data"][0]
    assert staff["user_id"] == person
    owner.get(f"/dashboard/staff/{staff['id']}/edit")
    owner.send(user_id="")
    assert client.get("/v1/staff")["data"][0]["user_id"] is None
    assert "Viewer" not in owner.page.text


def test_a_plugin_of_somebody_else_has_scripts_of_its_own_under_the_same_policy(make_app, monkeypatch, tmp_path):
    from billycan_users import templates

    folder = tmp_path / "billycan_elsewhere" / "assets"
    folder.mkdir(parents=True)
    (folder.parent / "__init__.py").touch()
    (folder / "map.js").write_text("// a map", "utf-8")
    (folder / "notes.txt").write_text("not for pages", "utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    found = templates._find_files(("users", "elsewhere", "nowhere"))
    assert found["elsewhere-map.js"][0] == b"// a map" and "users-page.js" in found
    assert "elsewhere-notes.txt" not in found
