"""The chain stays whole under concurrent writes and names who changed what; the database refuses to change it."""

import hashlib
import os
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pytest
import sqlalchemy as sa
from click.testing import CliRunner

from billycan.testing import Client, run_timed
from billycan.web import encode
from billycan_agents.testing import agent_of
from billycan_audit.chain import START, audit, count_entries, digest, find_faults
from billycan_audit.commands import verify
from billycan_imports.testing import finish_imports
from billycan_users.testing import Browser

pytestmark = pytest.mark.either

ADA = {"name": "Ada"}
HOW_TO_TAMPER = {
    "sqlite": ("DROP TRIGGER audit_no_update", "DROP TRIGGER audit_no_delete"),
    "postgresql": ("ALTER TABLE audit DISABLE TRIGGER audit_no_change",),
}


@pytest.fixture
def app(make_app):
    return make_app("contacts", "audit", fresh=True, walled=False)  # the tests tamper as the tables' owner


@pytest.fixture
def client(app):
    return Client(app)


def faults(client):
    with client.app.db.reading(across="a test looks at every row") as db:
        return list(find_faults(db, client.tenant_id, dict(map(tuple, count_entries(db)))[client.tenant_id]))


def test_every_change_is_an_entry_that_follows_the_last(client):
    contact = client.post("/v1/contacts", ADA)["data"]
    request_id = client.last.headers["X-Request-Id"]
    client.patch(f"/v1/contacts/{contact['id']}", {"name": "Ada Lovelace"})
    client.delete(f"/v1/contacts/{contact['id']}")
    listed = client.get("/v1/audit?per_page=2")
    assert [e["event"] for e in listed["data"]] == ["contact.deleted", "contact.updated"]
    cursor = listed["pagination"]["next_cursor"]
    (first,) = client.get(f"/v1/audit?cursor={cursor}")["data"]
    assert (first["sequence"], first["previous_hash"], first["data"]) == (1, START, contact)
    assert (first["key_id"], first["request_id"]) == (client.key_id, request_id)
    assert listed["data"][1]["previous_hash"] == first["hash"]
    assert faults(client) == []
    assert [e["sequence"] for e in client.get("/v1/audit?sort=sequence&event=contact.updated")["data"]] == [2]
    assert client.get(f"/v1/audit?key_id={client.key('read').key_id}")["data"] == []


def test_what_changed_is_for_who_may_read_it(client):
    contact = client.post("/v1/contacts", ADA)["data"]
    for scopes, sees in ((["audit:read"], None), (["audit:read", "contacts:read"], contact)):
        assert [e["data"] for e in client.key(*scopes).get("/v1/audit")["data"]] == [sees]


def test_businesses_have_chains_of_their_own(client):
    other = Client(client.app)
    for each in (client, other, client):
        each.post("/v1/contacts", ADA)
    assert [e["sequence"] for e in client.get("/v1/audit")["data"]] == [2, 1]
    assert [e["sequence"] for e in other.get("/v1/audit")["data"]] == [1]
    client.key("contacts:read").refused(403, "insufficient_scope", "GET", "/v1/audit")


def test_what_is_refused_leaves_no_entry(client):
    client.post("/v1/contacts", {}, 422)
    client.get("/v1/contacts")
    assert client.get("/v1/audit")["pagination"]["total"] == 0
    client.post("/v1/contacts", ADA, Idempotency_Key="k")
    client.post("/v1/contacts", ADA, Idempotency_Key="k")
    assert client.get("/v1/audit")["pagination"]["total"] == 1


@pytest.mark.parametrize("change", [sa.update(audit).values(event="x"), sa.delete(audit)], ids=["update", "delete"])
@pytest.mark.each_case
def test_the_database_itself_refuses_changes(client, change):
    client.post("/v1/contacts", ADA)
    change = change.where(audit.c.tenant_id == client.tenant_id)
    with pytest.raises(sa.exc.DBAPIError, match="audit is append-only"), client.app.db.writing() as db:
        db.execute(change)
    assert faults(client) == []


TAMPERED = {
    "what was said": (
        "UPDATE audit SET data = '{}' WHERE sequence = 2",
        "BROKEN: entry 2 ({id}) is not what was written",
    ),
    "who it was": (
        "UPDATE audit SET key_id = NULL WHERE sequence = 2",
        "BROKEN: entry 2 ({id}) is not what was written",
    ),
    "a link": (
        "UPDATE audit SET previous_hash = hash WHERE sequence = 2",
        "BROKEN: entry 2 ({id}) does not follow the one",
    ),
    "one taken out": ("DELETE FROM audit WHERE sequence = 2", "BROKEN: entry 2 is missing"),
    "the last taken out": ("DELETE FROM audit WHERE sequence = 3", "BROKEN: entry 3 is missing"),
    "all taken out but one": ("DELETE FROM audit WHERE sequence > 1", "BROKEN: entry 2 is missing"),
}


@pytest.mark.parametrize(("statement", "said"), TAMPERED.values(), ids=TAMPERED)
def test_tampering_is_named(client, statement, said):
    for _ in range(3):
        client.post("/v1/contacts", ADA)
    (id,) = [e["id"] for e in client.get("/v1/audit")["data"] if e["sequence"] == 2]
    with client.app.db.writing() as db:
        for how in (*HOW_TO_TAMPER[db.dialect.name], statement):
            db.execute(sa.text(how))
    assert faults(client)[0].startswith(said.replace("{id}", id))
    other = Client(client.app)
    other.post("/v1/contacts", ADA)
    result = CliRunner().invoke(verify, obj=lambda: nullcontext(client.app))
    assert result.exit_code == 1
    assert f"{client.tenant_id}  {faults(client)[0]}\n" in result.output
    assert f"{other.tenant_id}  1 entries, unbroken\n" in result.output


def test_many_at_once_make_one_chain(client):
    client.race(*[("POST", "/v1/contacts", ADA, 201)] * 30)
    assert faults(client) == []
    assert [e["sequence"] for e in client.get("/v1/audit?per_page=100&sort=sequence")["data"]] == list(range(1, 31))


def test_its_command_is_found_and_dropping_it_leaves_nothing(tmp_path):
    database = tmp_path / "a.db"
    settings = {"BILLYCAN_DATABASE": f"sqlite:///{database}", "BILLYCAN_SHARED_FOLDER": str(tmp_path / "shared")}

    def billycan(words, plugins):
        program = Path(sys.executable).with_name("billycan")
        environ = {**os.environ, **settings, "BILLYCAN_PLUGINS": plugins}
        subprocess.run([program, *words.split()], env=environ, check=True, capture_output=True)

    billycan("migrate", "audit")
    billycan("audit verify", "audit")
    billycan("plugins drop audit --yes", "none")
    billycan("migrate", "audit")


def test_a_checkpoint_a_day_leaves_the_house_and_finds_a_chain_that_was_rewritten(app, client, engine):
    client.post("/v1/contacts", ADA)
    client.post("/v1/contacts", {"name": "Eve"})
    app.clock.move(days=1)
    run_timed(app)
    (told,) = client.get("/v1/events?event=audit.checkpointed")["data"]
    latest = client.get("/v1/audit?event=contact.created&per_page=1")["data"][0]
    assert {**told["data"], "created_at": 0} == {**{n: latest[n] for n in ("id", "sequence", "hash")}, "created_at": 0}
    assert told["data"]["sequence"] == 2
    app.clock.move(days=1)
    run_timed(app)  # nothing is new
    assert len(client.get("/v1/events?event=audit.checkpointed")["data"]) == 1
    # Whoever owns the database writes the whole chain anew: only the checkpoint tells.
    with app.db.writing(across="a test tampers") as db:
        for statement in HOW_TO_TAMPER[engine]:
            db.execute(sa.text(statement))
        before = START
        rows = sa.select(audit).where(audit.c.tenant_id == client.tenant_id).order_by(audit.c.sequence)
        for row in db.execute(rows).mappings().all():
            changed = {**row, "data": row["data"].replace("Ada", "Bob"), "previous_hash": before}
            before = digest(changed)
            this = (audit.c.tenant_id == client.tenant_id) & (audit.c.sequence == row["sequence"])
            db.execute(sa.update(audit).where(this).values(**{**changed, "hash": before}))
    assert faults(client) == []
    kept = f"{client.tenant_id}:2:{told['data']['hash']}"
    done = CliRunner().invoke(verify, ["--checkpoint", kept], obj=lambda: nullcontext(app))
    assert done.exit_code == 1 and "does not match its checkpoint" in done.output
    assert CliRunner().invoke(verify, ["--checkpoint", "x"], obj=lambda: nullcontext(app)).exit_code == 1


def test_what_an_agent_did_is_chained_with_the_proposal_and_who_approved_it(make_app):
    client = Client(make_app("contacts", "agents", "users", "audit", fresh=True, walled=False))
    owner, agent = Browser(client.app).join(client), agent_of(client, "propose")
    for name, does in (("Ada", "approve"), ("Eve", "decline")):
        asked = {"Prefer": "propose"}
        error = agent.refused(403, "approval_required", "POST", "/v1/contacts", {"name": name}, headers=asked)
        page = f"/dashboard/approvals/{error['proposal_id']}"
        owner.get(page)
        owner.send(f"{page}/{does}")
    listed = client.get("/v1/audit?sort=sequence")["data"]
    told = [entry for entry in listed if entry["data"]["id"].startswith(("prp_", "con_"))]
    assert [(entry["event"], entry["data"].get("status")) for entry in told] == [
        ("proposal.created", "pending"),
        ("contact.created", "active"),
        ("proposal.decided", "done"),
        ("proposal.created", "pending"),
        ("proposal.decided", "declined"),
    ]
    made, decided = told[1:3]
    approved = {"proposal_id": decided["data"]["id"], "approved_by": decided["data"]["decided_by"]}
    assert made["behalf"] == decided["behalf"] == approved and approved["approved_by"]["name"] == "Owner"
    assert decided["data"]["record_id"] == made["data"]["id"]
    assert {each["key_id"] for each in told[:4]} == {agent.key_id}
    assert [each["behalf"] for each in (told[0], *told[3:])] == [None] * 3
    assert told[4]["data"]["decided_by"] == approved["approved_by"]
    assert faults(client) == []
    with client.app.db.writing() as db:
        for how in (*HOW_TO_TAMPER[db.dialect.name], "UPDATE audit SET behalf = NULL"):
            db.execute(sa.text(how))
    assert f"({made['id']}) is not what was written" in faults(client)[0]


def test_a_chain_of_before_there_were_proposals_is_unbroken(client):
    """A `behalf` that is null is not hashed: entries of the first version have none."""
    client.post("/v1/contacts", ADA)
    (entry,) = client.get("/v1/audit")["data"]
    with client.app.db.reading(client.tenant_id) as db:
        stored = db.execute(sa.select(audit).where(audit.c.tenant_id == client.tenant_id)).mappings().one()
    first = [stored[name] for name in sorted(stored) if name not in ("hash", "behalf")]
    assert hashlib.sha256(encode(first)).hexdigest() == entry["hash"]


@pytest.mark.both
def test_imported_records_follow_in_steps_in_the_order_of_the_log_and_the_log_keeps_them_until_then(make_app):
    app = make_app("contacts", "imports", "audit")
    client = Client(app)
    sent = client.key("contacts:read", "contacts:write", "imports:write")
    count = 203  # two whole steps and a part of one
    file = "name\r\n" + "".join(f"Client {i}\r\n" for i in range(count))
    id = sent.call("POST", "/v1/imports?resource=contacts", raw=file.encode(), status=202).json["data"]["id"]
    finish_imports(app)
    done = client.get(f"/v1/imports/{id}")["data"]
    assert (done["status"], done["faults"]) == ("done", [])
    created = "/v1/audit?event=contact.created&sort=sequence"
    assert client.get(created)["data"] == []
    client.post("/v1/contacts", ADA)
    logged = _all(client, "/v1/events?event=contact.created&sort=created_at")
    app.clock.move(days=365)
    run_timed(app)
    chained = _all(client, created)
    # The contact that was sent by itself is in the chain at once, before those of the file.
    in_order = [logged[-1], *logged[:-1]]
    assert [(e["data"], e["created_at"]) for e in chained] == [(e["data"], e["created_at"]) for e in in_order]
    assert [entry["key_id"] for entry in chained] == [client.key_id, *[sent.key_id] * count]
    assert faults(client) == []
    assert len(_all(client, "/v1/events?event=contact.created")) == count + 1
    run_timed(app)
    assert len(_all(client, "/v1/events?event=contact.created")) == 1
    assert len(_all(client, created)) == count + 1


def _all(client, path):
    found, query = [], "&per_page=100"
    while True:
        page = client.get(path + query)
        found += page["data"]
        if not page["pagination"]["next_cursor"]:
            return found
        query = f"&per_page=100&cursor={page['pagination']['next_cursor']}"
