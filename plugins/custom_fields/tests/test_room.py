"""Many custom fields with many choices: the memory that they take, and the time that others wait for them."""

import gc

import pytest
import sqlalchemy as sa

from billycan.csv import rehearsing
from billycan.testing import Client, holding, run_timed
from billycan_custom_fields.tables import values as stored_values
from billycan_imports import working
from billycan_imports.testing import finish_imports
from billycan_users.testing import Browser


@pytest.mark.sqlite_alone
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
    for values, letters, status in ((60, 1_000, "failed"), (1_000, 2, "failed"), (1_000, 1_000, "done")):
        monkeypatch.setattr(working, "MOST_VALUES", values)
        monkeypatch.setattr(working, "MOST_LETTERS", letters)
        sent = client.call("POST", "/v1/imports?resource=contacts", raw=raw, status=202).json["data"]
        finish_imports(client.app)
        done = client.get(f"/v1/imports/{sent['id']}")["data"]
        assert (done["status"], [each["code"] for each in done["faults"]]) == (
            status,
            ["too_many_values"] if status == "failed" else [],
        )
    assert client.get("/v1/contacts")["pagination"]["total"] == 1


def test_values_of_a_file_are_written_in_steps_and_seen_with_their_records(make_app, monkeypatch):
    """Those of 1,000 contacts with 199 fields took SQLite's one writer 1.7 s of CPU time when written at once."""
    # A step of ten records, whose texts are indexed in it, too: that may merge parts of earlier tests.
    monkeypatch.setattr(holding, "MOST_ROWS", 1_000)
    monkeypatch.setattr(working, "STEP_SECONDS", 0)
    client = Client(make_app("custom_fields", "contacts", "imports"))
    app, fields, rows = client.app, 19, 60
    for i in range(fields):
        client.post("/v1/custom_fields", {"resource": "contacts", "key": f"f{i}", "type": "text"})
    header = f"name,external_id,{','.join(f'custom.f{i}' for i in range(fields))}\n"

    def begin(name, until):
        """Send a file, and work on it until so many of its values are written, but not seen."""
        raw = header + "".join(f"{name} {n},{name}-{n}{',x' * fields}\n" for n in range(rows))
        sent = client.call("POST", "/v1/imports?resource=contacts", raw=raw.encode(), status=202).json["data"]
        while stored(app, client) < until:
            finish_imports(app, rounds=1)
            shown = "/v1/contacts?custom[f3]=x", "/v1/contacts?sort=-custom[f3]", f"/v1/contacts?search={name}"
            assert not any(name in str(client.get(path)["data"]) for path in shown)
        return sent["id"]

    def end(id):
        finish_imports(app)
        found = client.get(f"/v1/imports/{id}")["data"]
        return found["status"], [each["code"] for each in found["faults"]]

    step = 10 * fields
    taken = begin("Taken", 3 * step)
    client.post("/v1/contacts", {"name": "Late", "external_id": "Taken-54"})
    assert end(taken) == ("failed", ["duplicate_external_id"])
    assert client.get("/v1/contacts")["pagination"]["total"] == 1 and stored(app, client) == 5 * step
    run_timed(app)
    assert stored(app, client) == 0
    done = begin("Done", 3 * step)
    run_timed(app)
    assert stored(app, client) == 3 * step  # of the import that is under way
    assert end(done) == ("done", [])
    again = begin("Again", rows * fields + 3 * step)
    monkeypatch.setattr(rehearsing, "edition", lambda app: "later")
    assert end(again) == ("done", []) and stored(app, client) == 2 * rows * fields
    found = client.get("/v1/contacts?custom[f3]=x&sort=custom[f3]&per_page=100")
    assert found["pagination"]["total"] == 2 * rows
    assert all(each["custom"] == {f"f{i}": "x" for i in range(fields)} for each in found["data"])


def stored(app, client):
    """Count the custom values of a business, seen or not."""
    with app.db.reading(client.tenant_id) as db:
        return db.execute(sa.select(sa.func.count()).where(stored_values.c.tenant_id == client.tenant_id)).scalar_one()


@pytest.mark.sqlite_alone
def test_a_search_looks_through_the_first_2000_characters_of_a_record_s_custom_values(make_app):
    """To index 199 texts of 500 characters takes SQLite's one writer 0.2 s, and those of a file of 10 MiB 17 s."""
    client = Client(make_app("custom_fields", "contacts"))
    for i in range(6):
        client.post("/v1/custom_fields", {"resource": "contacts", "key": f"f{i}", "type": "text"})
    made = client.post("/v1/contacts", {"name": "Ada", "custom": {f"f{i}": f"{i}-th " + "x" * 494 for i in range(6)}})
    client.patch(f"/v1/contacts/{made['data']['id']}", {"custom": {"f0": "changed"}})
    for text, count in (("changed", 1), ("2-th", 1), ("5-th", 0)):
        assert client.get(f"/v1/contacts?search={text}")["pagination"]["total"] == count, text
