"""Each hook has an implementation outside core: those that no package has are the small plugins in this folder.

docs/hooks.md shows them as they are.
"""

import importlib.util
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

from billycan import Manifest, hookimpl, hookspecs
from billycan.starting import packages
from billycan.testing import Client

pytestmark = pytest.mark.either

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
ADA = {"name": "Ada"}


def plugin(name):
    """Import one of the plugins in this folder."""
    spec = importlib.util.spec_from_file_location(name, HERE / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def host(make_app, install):
    """Return a client of an app with one of the plugins in this folder, and the plugin."""

    def build(name):
        module = plugin(name)
        install(module.manifest, load=lambda: module)
        return Client(make_app("contacts", name)), module

    return build


def test_every_hook_is_implemented_outside_core():
    hooks = {name for name, each in vars(hookspecs).items() if hasattr(each, "billycan_spec")}
    entries = [entry for entry in packages.installed().values() if entry.dist]
    packaged = {name for entry in entries for name in vars(entry.load()) if name in hooks}
    here = {name for path in HERE.glob("*.py") if not path.name.startswith("test_") for name in vars(plugin(path.stem))}
    assert len(hooks) == 10 and hooks - packaged == hooks & here == {"resolve_tenant", "envelope", "paginate"}


def test_the_guide_shows_these_plugins_as_they_are():
    shown = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "hooks.md").read_text("utf-8"), re.DOTALL | re.M)
    for name in ("agency", "bare", "numbered"):
        assert (HERE / f"{name}.py").read_text("utf-8") in shown, name


def test_an_agencys_key_works_for_the_businesses_of_its_clients_alone(host):
    agency, module = host("agency")
    cafe, gardener = Client(agency.app), Client(agency.app)
    module.CLIENTS[agency.key_id] = {cafe.tenant_id}
    made = agency.post("/v1/contacts", ADA, X_Business=cafe.tenant_id)["data"]
    assert cafe.get(f"/v1/contacts/{made['id']}")["data"]["name"] == "Ada"
    assert cafe.events() == ["contact.created"] and gardener.events() == []
    agency.get(f"/v1/contacts/{made['id']}", 404)
    assert agency.get("/v1/contacts")["data"] == []
    for stranger, business in ((agency, gardener), (gardener, cafe)):
        stranger.post("/v1/contacts", ADA, 403, X_Business=business.tenant_id)
    assert gardener.get("/v1/contacts")["data"] == []


def test_answers_without_an_envelope(host):
    client, _ = host("bare")
    made = client.post("/v1/contacts", ADA)
    assert made["name"] == "Ada" and client.get(f"/v1/contacts/{made['id']}") == made
    assert client.get("/v1/contacts") == [made]
    error = client.call("POST", "/v1/contacts", {}, status=422).json
    assert error["code"] == "validation_failed" and error["request_id"] == client.last.headers["X-Request-Id"]
    assert client.call("OPTIONS", "/v1/contacts", status=200).json["error"] is None


def test_lists_with_page_numbers_alone(host):
    client, _ = host("numbered")
    for name in ("Cleo", "Ada", "Bob"):
        client.post("/v1/contacts", {"name": name})
    for number, names in ((1, ["Cleo", "Bob"]), (2, ["Ada"]), (3, [])):
        page = client.get(f"/v1/contacts?per_page=2&sort=-name&page={number}")
        assert [each["name"] for each in page["data"]] == names
        assert page["pagination"]["total"] == 3 and page["pagination"]["has_more"] is (number == 1)
        assert page["pagination"]["next_cursor"] is None
    assert client.get("/v1/contacts?search=bob")["pagination"]["total"] == 1


def hooks_called_by_pluggy(client):
    """Return the hooks for which requests of each kind enter pluggy."""
    found = set()

    def watch(frame, what, _):
        if what == "call" and frame.f_globals.get("__name__", "").startswith("pluggy"):
            found.add(getattr(frame.f_locals.get("self"), "name", frame.f_code.co_name))

    client.post("/v1/contacts", ADA)  # what is looked up once is looked up now
    sys.setprofile(watch)
    try:
        id = client.post("/v1/contacts", ADA)["data"]["id"]
        client.get("/v1/contacts")
        client.patch(f"/v1/contacts/{id}", {"name": "Eve"})
        client.call("POST", "/v1/contacts", {}, status=422)
        client.call("GET", "/v1/contacts", headers={"Authorization": ""}, status=401)
    finally:
        sys.setprofile(None)
    return found


def test_a_hook_that_nobody_implements_costs_nothing(make_app):
    assert hooks_called_by_pluggy(Client(make_app("contacts"))) == set()


def test_a_wrapper_of_a_hook_that_nobody_implements_is_called(make_app, install):
    @hookimpl(wrapper=True)
    def on_event(ctx, event):
        told.append(event.name)
        return (yield)

    told, module = [], ModuleType("wrapping")
    module.manifest, module.on_event = Manifest(name="wrapping"), on_event
    install(module.manifest, load=lambda: module)
    Client(make_app("contacts", "wrapping")).post("/v1/contacts", ADA)
    assert told == ["contact.created"]


def test_only_the_hook_that_a_plugin_implements_goes_through_pluggy(make_app, install):
    module = plugin("agency")
    install(module.manifest, load=lambda: module)
    found = hooks_called_by_pluggy(Client(make_app("contacts", "agency")))
    assert "resolve_tenant" in found and not found & {"authenticate", "rate_limit", "authorize", "envelope", "on_event"}
