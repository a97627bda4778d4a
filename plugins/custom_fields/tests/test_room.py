"""Many custom fields with many choices: the memory that they take, and the time that others wait for them."""

import gc

import pytest

from billycan.testing import Client
from billycan_imports import working
from billycan_imports.testing import finish_imports
from billycan_users.testing import Browser

pytestmark = pytest.mark.sqlite_alone


def test_of_a_field_that_changes_all_the_time_only_the_latest_is_kept(make_app):
    """A Struct of 200 fields with 100 choices takes megabytes, and one key could make another with each request."""
    client = Client(make_app("custom_fields", "contacts", "imports", "users", "dashboard"))
    browser = Browser(client.app).join(client)
    new = {"resource": "contacts", "key": "kept_once", "type": "choice", "choices": ["a", "b"]}
    field = client.post("/v1/custom_fields", new)["data"]["id"]
    for n in range(4):
        client.patch(f"/v1/custom_fields/{field}", {"label": f"Label {n}"})
        made = client.post("/v1/contacts", {"name": "Ada", "custom": {"kept_once": "a"}})["data"]["id"]
        for path in ("/v1/contacts?custom[kept_once]=a&sort=custom[kept_once]", "/v1/openapi.json"):
            client.get(path)
        client.call("GET", "/v1/contacts", headers={"Accept": "text/csv"})
        client.call("POST", "/v1/imports?resource=contacts", raw=b"name,custom.kept_once\nEve,b\n", status=202)
        finish_imports(client.app)
        for page in ("", "/new", f"/{made}", f"/{made}/edit"):
            browser.get(f"/dashboard/contacts{page}")
    gc.collect()
    structs = [each for each in gc.get_objects() if isinstance(each, type) and hasattr(each, "__struct_fields__")]
    assert len([each for each in structs if "kept_once" in each.__struct_fields__]) <= 2


def test_a_file_with_too_many_values_is_refused_before_others_wait_for_it(make_app, monkeypatch):
    """A file of 10 MiB could fill 200 fields of 20,000 contacts, in one transaction."""
    client = Client(make_app("custom_fields", "contacts", "imports"))
    for i in range(20):
        client.post("/v1/custom_fields", {"resource": "contacts", "key": f"f{i}", "type": "boolean"})
    raw = f"name,{','.join(f'custom.f{i}' for i in range(20))}\n{'Ada' + ',true' * 20}\n".encode()
    for most, status in ((60, "failed"), (1_000, "done")):
        monkeypatch.setattr(working, "MOST_VALUES", most)
        sent = client.call("POST", "/v1/imports?resource=contacts", raw=raw, status=202).json["data"]
        finish_imports(client.app)
        done = client.get(f"/v1/imports/{sent['id']}")["data"]
        assert (done["status"], [each["code"] for each in done["faults"]]) == (
            status,
            ["too_many_values"] if status == "failed" else [],
        )
    assert client.get("/v1/contacts")["pagination"]["total"] == 1
