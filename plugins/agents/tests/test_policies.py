"""Limits of an agent, over the API and as tools alike: counted so that no calls together spend more."""

from decimal import Decimal

import pytest
import sqlalchemy as sa
from hypothesis import given
from hypothesis import strategies as st

from billycan import Identity
from billycan.testing import Client, run_timed
from billycan_agents.amounts import amounts_of, charge_of
from billycan_agents.tables import spent, writes
from billycan_agents.testing import Agent, agent_of, bill, set_policy
from billycan_imports.testing import finish_imports
from billycan_users.testing import Browser

HELD = "approval_required"


def test_a_key_that_may_only_read_changes_nothing_whatever_way_it_asks(client):
    agent = agent_of(client, "read_only")
    made = client.post("/v1/contacts", {"name": "Ada"})["data"]
    assert agent.get("/v1/contacts")["data"] == [made]
    agent.refused(403, "not_allowed_for_agents", "POST", "/v1/contacts", {"name": "Eve"})
    agent.refused(403, "not_allowed_for_agents", "DELETE", f"/v1/contacts/{made['id']}")
    Agent(agent).refused("not_allowed_for_agents", "update_contact", id=made["id"], body={"name": "Eve"})
    # What is wrong with a call is said first.
    agent.refused(422, "validation_failed", "POST", "/v1/contacts", {"name": ""})
    agent.refused(404, "resource_not_found", "DELETE", "/v1/contacts/con_00000000000000000000000000")
    # A preview changes nothing.
    agent.post("/v1/invoices/preview", bill(client, 10, made["id"]), 200)
    assert client.events() == ["contact.created"] and client.get("/v1/contacts")["data"] == [made]
    assert agent.get("/v1/me")["data"]["policy"]["mode"] == "read_only"
    assert all(tool["annotations"]["readOnlyHint"] for tool in Agent(agent).send("tools/list")["result"]["tools"])
    assert client.get("/v1/me")["data"]["policy"] is None


def test_operations_are_refused_or_held_by_their_names(client):
    agent = agent_of(client, never=["delete_*", "void_invoice"], propose=["send_invoice"])
    made = agent.post("/v1/invoices", bill(client, 10))["data"]
    path = f"/v1/invoices/{made['id']}"
    agent.refused(403, "not_allowed_for_agents", "DELETE", path)
    error = agent.refused(403, HELD, "POST", f"{path}/send")
    assert error["proposal_id"] is None
    Agent(agent).refused("not_allowed_for_agents", "call_tool", name="delete_invoice", arguments={"id": made["id"]})
    found = Agent(agent).done("search_tools", query="delete void send invoice")["tools"]
    assert found[0]["name"] == "send_invoice" and not {"delete_invoice", "void_invoice"} & {
        each["name"] for each in found
    }
    agent.patch(path, {"notes": "x"})
    assert client.get(path)["data"]["status"] == "draft"


def test_lists_hold_for_a_key_that_may_do_everything_else(make_app):
    client = Client(make_app("agents", "users", "contacts", "hosted", "documents", "invoices", "batch", "imports"))
    ada, eve = (client.post("/v1/contacts", {"name": name})["data"]["id"] for name in ("Ada", "Eve"))
    agent = agent_of(client, "full", never=["delete_*"], propose=["send_*", "carry_out_batch"], contacts=[ada])
    made = agent.post("/v1/invoices", bill(client, 99_999, ada))["data"]
    path = f"/v1/invoices/{made['id']}"
    agent.refused(403, "not_allowed_for_agents", "DELETE", path)
    agent.refused(403, "not_allowed_for_agents", "POST", "/v1/invoices", bill(client, 1, eve))
    assert Agent(agent).refused(HELD, "send_invoice", id=made["id"], reason="Due")["proposal_id"]
    agent.refused(403, HELD, "POST", "/v1/batch", {"operations": [{"method": "DELETE", "path": path}]})
    agent.refused(403, HELD, "POST", "/v1/imports?resource=contacts", raw=b"name\nZoe\n")
    shown = {tool["name"] for tool in Agent(agent).done("search_tools", query="delete invoice")["tools"]}
    assert "delete_invoice" not in shown and client.get(path)["data"]["status"] == "draft"


def test_an_amount_needs_approval_beyond_what_is_allowed_at_once(client):
    agent = agent_of(client, auto_below=Decimal("500.00"))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    first = agent.post("/v1/invoices", bill(client, "500.00", contact))["data"]
    agent.refused(403, HELD, "POST", "/v1/invoices", bill(client, "500.01", contact))
    path = f"/v1/invoices/{first['id']}"
    # A draft cannot grow beyond it, nor a large one shrink or go.
    agent.refused(403, HELD, "PATCH", path, {"line_items": bill(client, 600, contact)["line_items"]})
    large = client.post("/v1/invoices", bill(client, 5000, contact))["data"]
    lines = bill(client, 1, contact)["line_items"]
    agent.refused(403, HELD, "PATCH", f"/v1/invoices/{large['id']}", {"line_items": lines})
    agent.refused(403, HELD, "DELETE", f"/v1/invoices/{large['id']}")
    agent.refused(403, HELD, "POST", f"/v1/invoices/{large['id']}/pay", {"payment_method": "cash"})
    agent.post(f"{path}/pay", {"payment_method": "cash"}, 200)
    assert len(client.get("/v1/invoices")["data"]) == 2


def test_a_day_has_so_much_and_a_document_counts_once(client, clock):
    client.patch("/v1/tenant", {"timezone": "Australia/Perth"})
    agent = agent_of(client, per_day=Decimal(1000))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    made = agent.post("/v1/invoices", bill(client, 600, contact))["data"]
    agent.post(f"/v1/invoices/{made['id']}/send", {}, 200)
    agent.post(f"/v1/invoices/{made['id']}/pay", {"payment_method": "cash"}, 200)
    error = agent.refused(403, HELD, "POST", "/v1/invoices", bill(client, "400.01", contact))
    assert "$400.00 are left" in error["message"]
    second = agent.post("/v1/invoices", bill(client, 300, contact))["data"]
    lines = bill(client, 400, contact)["line_items"]
    agent.patch(f"/v1/invoices/{second['id']}", {"line_items": lines})
    agent.refused(403, HELD, "POST", "/v1/invoices", bill(client, "0.01", contact))
    agent.post("/v1/contacts", {"name": "About no money"})
    # The day is that of the business: it is 8 in the morning in Perth, so midnight is 16 hours away.
    clock.move(hours=15)
    agent.refused(403, HELD, "POST", "/v1/invoices", bill(client, 1, contact))
    clock.move(hours=1)
    agent.post("/v1/invoices", bill(client, 1000, contact))
    clock.move(days=3)
    run_timed(client.app)
    with client.app.db.reading(client.tenant_id) as db:
        assert db.execute(sa.select(spent).where(spent.c.tenant_id == client.tenant_id)).all() == []


@pytest.mark.both
def test_calls_at_once_do_not_spend_more_than_a_day_has(client):
    agent = agent_of(client, per_day=Decimal(100))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    answers = agent.race(*[("POST", "/v1/invoices", bill(client, 30, contact))] * 8)
    assert sorted(answer.status_int for answer in answers) == [201] * 3 + [403] * 5
    assert len(client.get("/v1/invoices")["data"]) == 3
    drafts = [each["id"] for each in client.get("/v1/invoices")["data"]]
    # Documents that count already are no further amount, however many calls change them at once.
    changes = [("PATCH", f"/v1/invoices/{id}", {"notes": "x"}) for id in drafts for _ in range(2)]
    assert {answer.status_int for answer in agent.race(*changes)} == {200}


@pytest.mark.both
def test_an_hour_has_so_many_changes(client, clock):
    agent = agent_of(client, writes_per_hour=3)
    answers = agent.race(*[("POST", "/v1/contacts", {"name": "Ada"})] * 6)
    assert sorted(answer.status_int for answer in answers) == [201] * 3 + [429] * 3
    error = agent.refused(429, "rate_limited", "POST", "/v1/contacts", {"name": "Ada"})
    assert 3500 < error["retry_after"] <= 3601 and agent.last.headers["Retry-After"] == str(error["retry_after"])
    agent.get("/v1/contacts")
    clock.move(seconds=error["retry_after"])
    agent.post("/v1/contacts", {"name": "Ada"})
    clock.move(hours=3)
    run_timed(client.app)
    with client.app.db.reading(client.tenant_id) as db:
        assert db.execute(sa.select(writes).where(writes.c.tenant_id == client.tenant_id)).all() == []


def test_only_some_contacts_may_be_concerned(make_app):
    client = Client(make_app("agents", "users", "contacts", "hosted", "documents", "invoices", "attachments"))
    ada, eve = (client.post("/v1/contacts", {"name": name})["data"]["id"] for name in ("Ada", "Eve"))
    agent = agent_of(client, contacts=[ada])
    made = agent.post("/v1/invoices", bill(client, 10, ada))["data"]
    agent.refused(403, "not_allowed_for_agents", "POST", "/v1/invoices", bill(client, 10, eve))
    agent.refused(403, "not_allowed_for_agents", "PATCH", f"/v1/invoices/{made['id']}", {"client_id": eve})
    others = client.post("/v1/invoices", bill(client, 10, eve))["data"]
    agent.refused(403, "not_allowed_for_agents", "PATCH", f"/v1/invoices/{others['id']}", {"client_id": ada})
    agent.refused(403, "not_allowed_for_agents", "DELETE", f"/v1/invoices/{others['id']}")
    agent.refused(403, "not_allowed_for_agents", "PATCH", f"/v1/contacts/{eve}", {"name": "Eva"})
    agent.refused(403, "not_allowed_for_agents", "POST", "/v1/contacts", {"name": "New"})
    agent.patch(f"/v1/contacts/{ada}", {"notes": "x"})
    # A file says only which record it belongs to.
    for of, status in ((others["id"], 403), (made["id"], 201)):
        path = f"/v1/attachments?resource={of}&filename=a.txt"
        agent.call("POST", path, raw=b"a", status=status)
        file = client.call("POST", path, raw=b"a", status=201).json["data"]["id"]
        agent.call("DELETE", f"/v1/attachments/{file}", status=200 if status == 201 else 403)


def test_operations_of_a_batch_are_looked_at_one_by_one(make_app):
    client = Client(make_app("agents", "users", "contacts", "hosted", "documents", "invoices", "webhooks", "batch"))
    agent = agent_of(client, per_day=Decimal(100), writes_per_hour=50)
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    one = {"method": "POST", "path": "/v1/invoices", "body": bill(client, 40, contact)}
    for atomic in (True, False):
        error = agent.call("POST", "/v1/batch", {"atomic": atomic, "operations": [one] * 3}).json
        if atomic:
            assert error["error"]["code"] == HELD and error["error"]["operation"] == 2
            assert client.get("/v1/invoices")["data"] == []
        else:
            assert [each["status"] for each in error["data"]["results"]] == [201, 201, 403]
    set_policy(agent, Identity.Policy(mode="limits", never=["carry_out_batch"]))
    agent.refused(403, "not_allowed_for_agents", "POST", "/v1/batch", {"operations": [one]})
    set_policy(agent, Identity.Policy(mode="propose"))
    agent.refused(403, HELD, "POST", "/v1/batch", {"atomic": True, "operations": [one]})
    assert len(client.get("/v1/invoices")["data"]) == 2


def test_a_file_whose_rows_are_written_later_needs_approval(make_app):
    client = Client(make_app("agents", "users", "contacts", "imports"))
    agent = agent_of(client, auto_below=Decimal(1))
    agent.refused(403, HELD, "POST", "/v1/imports?resource=contacts", raw=b"name\nAda\n")
    assert client.get("/v1/imports")["data"] == []
    # One that was sent before ends with the policy, too.
    for mode, code in (("read_only", "not_allowed_for_agents"), ("propose", HELD)):
        sender = client.key()
        sent = sender.call("POST", "/v1/imports?resource=contacts", raw=b"name\nAda\n", status=202).json["data"]
        set_policy(sender, Identity.Policy(mode=mode))
        finish_imports(client.app)
        (fault,) = client.get(f"/v1/imports/{sent['id']}")["data"]["faults"]
        assert fault["code"] == code
    assert client.get("/v1/contacts")["data"] == []


def test_an_owner_sets_it_beside_the_keys_and_freezes_at_once(make_app):
    client = Client(make_app("agents", "users", "dashboard", "apps", "contacts"))
    agent = client.key()
    path = f"/dashboard/agents/{agent.key_id}"
    assert Browser(client.app).join(client, "developer").get("/dashboard/agents", 403)
    owner = Browser(client.app).join(client)
    assert path in owner.get("/dashboard/agents").text and path in owner.get("/dashboard/keys").text
    page = owner.get(path)
    # What leads money elsewhere without an amount is in the lists that a policy begins with.
    assert all(name in page.text for name in ("delete_*", "update_tenant", "update_branding", "update_reminders"))
    owner.send(path, mode="limits", auto_below="1,000.50", writes_per_hour="5", contacts="")
    assert "Within limits" in owner.get("/dashboard/agents").text
    policy = agent.get("/v1/me")["data"]["policy"]
    assert (policy["mode"], policy["auto_below"], policy["per_day"]) == ("limits", Decimal("1000.50"), None)
    assert policy["writes_per_hour"] == 5 and "delete_*" in policy["never"] and policy["contacts"] == []
    for field, wrong in (("auto_below", "-1"), ("writes_per_hour", "x"), ("never", "drop_tables"), ("contacts", "Ada")):
        owner.get(path)
        assert f'id="fault-{field}"' in owner.send(path, **{field: wrong}, status=422).text
    owner.get(path)
    owner.send(f"{path}/freeze")
    for method, at in (("GET", "/v1/contacts"), ("GET", "/v1/me"), ("POST", "/v1/contacts")):
        agent.refused(403, "frozen", method, at, {} if method == "POST" else None)
    Agent(agent).refused("frozen", "list_contacts")
    assert "Frozen" in owner.page.text and client.get("/v1/contacts")
    owner.send(f"{path}/unfreeze")
    agent.get("/v1/contacts")
    owner.get("/dashboard/agents/key_00000000000000000000000000", 404)
    other = Client(client.app)
    owner.get(f"/dashboard/agents/{other.key_id}", 404)


@pytest.mark.sqlite_alone
def test_amounts_are_the_greatest_that_a_call_shows():
    ten, twelve = Decimal(10), Decimal(12)
    assert amounts_of(
        [{"id": "inv_1", "total": ten}, {"id": "pay_1", "amount": -twelve}, {"id": "con_1"}, None], None
    ) == {
        "inv_1": ten,
        "pay_1": twelve,
    }
    assert amounts_of([{"id": "inv_1", "total": ten}], {"id": "inv_1", "total": Decimal(50)}) == {"inv_1": Decimal(40)}
    assert charge_of({}, {}) == ("", 0)
    assert charge_of({"a": ten, "b": twelve}, {"b": ten}) == ("a", ten)
    assert charge_of({"a": ten}, {"a": twelve}) == ("a", 0)


@pytest.mark.sqlite_alone
@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.decimals(0, 1000, places=2), max_size=3), max_size=12))
def test_what_is_counted_is_what_the_documents_of_a_day_came_to(calls):
    counted, total = {}, Decimal(0)
    for amounts in calls:
        id, charge = charge_of(amounts, counted)
        assert charge >= 0
        if charge:
            counted[id], total = amounts[id], total + charge
        assert total == sum(counted.values())
        assert total >= max(amounts.values(), default=0)
