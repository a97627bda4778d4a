"""Calls that a person decides: proposed once, carried out once as they were shown, or not at all."""

import re
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import pytest
from msgspec import Struct

from billycan import Context, Forbidden, Identity, Manifest, Route
from billycan.testing import Client, run_timed
from billycan_agents import proposing
from billycan_agents.asking import TASKS
from billycan_agents.testing import META, Agent, agent_of, bill
from billycan_apps.testing import OAuthApp
from billycan_users.testing import PASSWORD, Browser

HELD = "approval_required"
RATES = {"per_minute": 1, "per_second": 1}
ASK = {"Prefer": "respond-async, propose", "X-Reason": "The client asked for it"}


class Pressed(Struct):
    times: int = 1


@pytest.fixture
def client(make_app):
    return Client(make_app("agents", "users", "dashboard", "contacts", "hosted", "documents", "invoices", "webhooks"))


@pytest.fixture
def owner(client):
    return Browser(client.app).join(client)


def propose(agent, method, path, body=None, headers=ASK):
    """Make a call that becomes a proposal; return it."""
    error = agent.refused(403, HELD, method, path, body, headers=headers)
    assert error["approval_url"].endswith(f"/dashboard/approvals/{error['proposal_id']}")
    return agent.get(f"/v1/proposals/{error['proposal_id']}")["data"]


def approve(owner, proposal, status=200, **fields):
    path = f"/dashboard/approvals/{proposal['id']}"
    owner.get(path)
    return owner.send(f"{path}/approve", status=status, **fields)


def test_a_proposal_says_what_would_happen_and_is_carried_out_once_approved(client, owner):
    agent = agent_of(client, "propose")
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    made = propose(agent, "POST", "/v1/invoices", bill(client, 250, contact))
    assert (made["status"], made["operation"], made["amount"]) == ("pending", "create_invoice", Decimal("250.00"))
    assert made["reason"] == "The client asked for it" and made["caller"]["id"] == agent.key_id
    assert made["arguments"] == {"body": bill(client, 250, contact)}
    assert made["preview"]["data"]["total"] == Decimal("250.00") and made["preview"]["events"] == ["invoice.created"]
    assert client.get("/v1/invoices")["data"] == []
    # The same call is the same proposal.
    assert propose(agent, "POST", "/v1/invoices", bill(client, 250, contact))["id"] == made["id"]
    assert "$250.00" in owner.get("/dashboard/approvals").text
    page = owner.get(f"/dashboard/approvals/{made['id']}")
    assert "The client asked for it" in page.text and "Ada" in page.text
    assert "Proposed by an unnamed key" in page.text
    # What a model says of its call comes below the facts, and as its words.
    assert page.text.index("<dl") < page.text.index("Written by the agent") < page.text.index("The client asked for it")
    facts = page.html.select_one("dl.facts").text
    assert "$250.00" in facts and "Draft" in facts and contact not in facts  # as other pages have them
    assert not re.search(r"\d{4}-\d\d-\d\d", facts), facts
    assert "It is approved" in approve(owner, made).text
    (invoice,) = client.get("/v1/invoices")["data"]
    done = agent.get(f"/v1/proposals/{made['id']}")["data"]
    assert (done["status"], done["record_id"]) == ("done", invoice["id"]) and done["decided_by"]["name"] == "Owner"
    assert client.events() == ["contact.created", "proposal.created", "invoice.created", "proposal.decided"]
    told = client.get("/v1/events?event=proposal.*")["data"]
    assert [each["data"]["status"] for each in told] == ["done", "pending"]
    assert not {"arguments", "preview"} & told[0]["data"].keys()
    # Who decided it twice did it once.
    owner.web.post(f"/dashboard/approvals/{made['id']}/approve", status=403)
    owner.get(f"/dashboard/approvals/{made['id']}")
    assert "Approve and carry it out" not in owner.page.text
    assert client.get("/v1/proposals?status=done")["data"][0]["id"] == made["id"]
    assert client.get("/v1/proposals?status=pending")["data"] == []


def test_a_tool_asks_with_its_reason_and_says_where(client, owner):
    agent = Agent(agent_of(client, "propose"))
    assert agent.tools()["create_contact"]["inputSchema"]["properties"]["reason"]
    error = agent.refused(HELD, "create_contact", body={"name": "Ada"}, reason="Rang this morning")
    assert "Do not repeat" in error["message"]
    found = agent.done("get_proposal", id=error["proposal_id"])
    assert (found["status"], found["reason"]) == ("pending", "Rang this morning")
    approve(owner, found)
    assert agent.done("get_proposal", id=error["proposal_id"])["status"] == "done"
    assert [each["name"] for each in client.get("/v1/contacts")["data"]] == ["Ada"]


def test_a_change_is_shown_member_by_member_and_declined_with_a_reason(client, owner):
    agent = agent_of(client, propose=["update_contact"])
    contact = client.post("/v1/contacts", {"name": "Ada", "email": "ada@example.com"})["data"]
    made = propose(agent, "PATCH", f"/v1/contacts/{contact['id']}", {"email": "eve@example.com"})
    assert made["preview"]["changes"] == {"email": ["ada@example.com", "eve@example.com"]}
    assert made["versions"] == {contact["id"]: 1} and made["arguments"]["id"] == contact["id"]
    page = owner.get(f"/dashboard/approvals/{made['id']}")
    assert "<del>ada@example.com</del>" in page.text and "<ins>eve@example.com</ins>" in page.text
    owner.send(f"/dashboard/approvals/{made['id']}/decline", reason="Not hers")
    found = agent.get(f"/v1/proposals/{made['id']}")["data"]
    assert (found["status"], found["decline_reason"]) == ("declined", "Not hers")
    assert client.get(f"/v1/contacts/{contact['id']}")["data"] == contact


def test_what_changed_meanwhile_is_shown_anew_before_anything_is_done(client, owner):
    agent = agent_of(client, "propose")
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    invoice = client.post("/v1/invoices", bill(client, 100, contact))["data"]
    path = f"/v1/invoices/{invoice['id']}"
    made = propose(agent, "POST", f"{path}/send", {})
    client.patch(path, {"line_items": bill(client, 900, contact)["line_items"]})
    page = approve(owner, made, 409)
    assert 'data-code="changed_meanwhile"' in page.text and "$900.00" in page.text
    assert client.get(path)["data"]["status"] == "draft"
    again = agent.get(f"/v1/proposals/{made['id']}")["data"]
    assert (again["status"], again["amount"], again["versions"]) == ("pending", Decimal(900), {invoice["id"]: 2})
    # A page that was opened before that approves nothing.
    assert "It is approved" in approve(owner, made).text
    assert client.get(path)["data"]["status"] == "sent"


def test_days_are_shown_as_days_and_what_only_looks_like_one_as_it_is(client, owner):
    agent = agent_of(client, "propose")
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    no_days = {"reference": "2026-02-31", "notes": "2026-99-99T00:00:00Z", "terms": "2026-00-10"}
    made = propose(agent, "POST", "/v1/invoices", bill(client, 250, contact) | no_days | {"due_date": "2199-10-31"})
    facts = owner.get(f"/dashboard/approvals/{made['id']}").html.select_one("dl.facts").text
    assert "31 Oct 2199" in facts and all(text in facts for text in no_days.values()), facts


def test_a_page_opened_before_the_preview_changed_approves_nothing(client, owner):
    agent = agent_of(client, "propose")
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]
    path = f"/v1/contacts/{contact['id']}"
    made = propose(agent, "PATCH", path, {"notes": "x"})
    other = Browser(client.app).join(client, "owner", "second@example.com")
    page = f"/dashboard/approvals/{made['id']}"
    other.get(page)
    client.patch(path, {"name": "Ada Lovelace"})
    approve(owner, made, 409)
    assert 'data-code="changed_meanwhile"' in other.send(f"{page}/approve", status=409).text
    assert client.get(path)["data"]["notes"] is None
    other.get(page)
    other.send(f"{page}/approve")
    assert client.get(path)["data"]["notes"] == "x"


def test_a_number_given_to_another_meanwhile_does_not_matter(client, owner, clock):
    agent = agent_of(client, "propose")
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    made = propose(agent, "POST", "/v1/invoices", bill(client, 100, contact))
    client.post("/v1/invoices", bill(client, 5, contact))
    clock.move(hours=1)
    # Whoever signed in a while ago gives the password again.
    assert 'id="fault-current_password"' in approve(owner, made, 422).text
    approve(owner, made, current_password=PASSWORD)
    assert agent.get(f"/v1/proposals/{made['id']}")["data"]["status"] == "done"
    # Its dates do: tomorrow's invoice is due a day later.
    made = propose(agent, "POST", "/v1/invoices", bill(client, 200, contact))
    clock.move(days=1)
    other = Browser(client.app).join(client, "owner", "second@example.com")
    assert 'data-code="changed_meanwhile"' in approve(other, made, 409).text
    approve(other, made)
    assert agent.get(f"/v1/proposals/{made['id']}")["data"]["status"] == "done"


def test_the_page_begins_with_the_lines_and_ends_with_what_is_zero(client, owner):
    """On a phone, the lines of an invoice are seen first, and six amounts of nothing last."""
    made = propose(agent_of(client, "propose"), "POST", "/v1/invoices", bill(client, 100))
    facts = owner.get(f"/dashboard/approvals/{made['id']}").html.select_one("dl.facts").text
    places = [facts.index(each) for each in ("Labour: $100.00", "Client", "Total", "Amount paid", "Is overdue")]
    assert places[:3] == sorted(places[:3]) and max(places[:3]) < min(places[3:])


def test_one_that_is_refused_when_carried_out_has_failed(client, owner):
    agent = agent_of(client, "propose")
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    made = propose(agent, "POST", "/v1/invoices", bill(client, 100, contact))
    client.delete(f"/v1/contacts/{contact}")
    assert "failed when it was carried out" in approve(owner, made).text
    found = agent.get(f"/v1/proposals/{made['id']}")["data"]
    assert found["status"] == "failed" and found["error"]["code"] == "validation_failed"
    assert client.get("/v1/invoices")["data"] == []


def test_one_that_breaks_when_carried_out_has_failed_and_its_task_with_an_error(make_app, install, caplog):
    breaks = list[bool]()

    def press(ctx: Context) -> Pressed:
        """Press the button."""
        if breaks:
            raise RuntimeError("a fault of the plugin")
        return Pressed()

    install(Manifest(name="button", routes=(Route("POST", "/v1/button/press", press, scope="button:write"),)))
    client = Client(make_app("agents", "users", "dashboard", "button"))
    owner, agent = Browser(client.app).join(client), Agent(agent_of(client, "propose"))
    meta = {**META, "io.modelcontextprotocol/clientCapabilities": {"extensions": {TASKS: {}}}}
    id = agent.send("tools/call", {"name": "press", "arguments": {}}, meta=meta)["result"]["taskId"]
    breaks.append(True)
    page = approve(owner, {"id": id}).text
    failed = client.get(f"/v1/proposals/{id}")["data"]
    assert (failed["status"], failed["error"]["code"]) == ("failed", "internal_error")
    assert "Something went wrong on the server" in page and failed["error"]["request_id"] in page
    assert f"request {failed['error']['request_id']} failed" in caplog.text and "a fault of the plugin" in caplog.text
    task = agent.send("tasks/get", {"taskId": id}, headers={"Mcp-Name": id}, meta=meta)["result"]
    assert (task["status"], task["error"]["code"], "result" in task) == ("failed", -32603, False)
    assert task["error"]["data"] == failed["error"] and task["error"]["message"] == failed["error"]["message"]
    # A call that waits for nobody breaks with the same error, and says which request it was.
    broken = Agent(agent_of(client, "full")).send("tools/call", {"name": "press", "arguments": {}}, 500)
    assert (broken["id"], broken["error"]["code"], broken["error"]["data"]["code"]) == (1, -32603, "internal_error")


@pytest.mark.both
def test_whoever_approves_at_once_it_is_carried_out_once(client):
    agent = agent_of(client, "propose")
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    made = propose(agent, "POST", "/v1/invoices", bill(client, 100, contact))
    people = [Browser(client.app).join(client, "owner", f"o{i}@example.com") for i in range(4)]
    path = f"/dashboard/approvals/{made['id']}"
    for each in people:
        each.get(path)
    with ThreadPoolExecutor() as pool:
        pages = [*pool.map(lambda each: each.send(f"{path}/approve", status=None), people)]
    assert sum("It is approved" in page.text for page in pages) == 1
    assert {page.status_int for page in pages} == {200, 409}
    assert len(client.get("/v1/invoices")["data"]) == 1


@pytest.mark.both
def test_the_same_call_at_once_is_one_proposal(client):
    agent = agent_of(client, "propose")
    with ThreadPoolExecutor() as pool:
        sent = [agent.key(), agent.key()]
        for each in sent:
            each.headers = {**agent.headers, **ASK}
        answers = [*pool.map(lambda each: each.call("POST", "/v1/contacts", {"name": "Ada"}).json, sent * 2)]
    assert len({answer["error"]["proposal_id"] for answer in answers}) == 1
    assert len(client.get("/v1/proposals")["data"]) == 1


def test_it_expires_and_ends_with_the_key_or_its_freezing(client, owner, clock):
    agent = agent_of(client, "propose")
    late = propose(agent, "POST", "/v1/contacts", {"name": "Late"})
    clock.move(hours=72)
    assert client.get(f"/v1/proposals/{late['id']}")["data"]["status"] == "expired"
    assert client.get("/v1/proposals?status=expired")["data"] and not client.get("/v1/proposals?status=pending")["data"]
    run_timed(client.app)
    assert client.events().count("proposal.decided") == 1
    owner = Browser(client.app).join(client, "owner", "second@example.com")
    made = propose(agent, "POST", "/v1/contacts", {"name": "Frozen"})
    owner.get(f"/dashboard/agents/{agent.key_id}")
    owner.send(f"/dashboard/agents/{agent.key_id}/freeze")
    assert client.get(f"/v1/proposals/{made['id']}")["data"]["status"] == "expired"
    owner.send(f"/dashboard/agents/{agent.key_id}/unfreeze")
    made = propose(agent, "POST", "/v1/contacts", {"name": "Revoked"})
    owner.get("/dashboard/keys")
    owner.send(f"/dashboard/keys/{agent.key_id}/revoke")
    assert approve(owner, made, 409)
    assert client.get(f"/v1/proposals/{made['id']}")["data"]["status"] == "expired"
    assert client.get("/v1/contacts")["data"] == []


def test_only_who_might_do_it_decides_it_and_only_who_may_read_it_sees_it(client):
    agent = agent_of(client, "propose", ("contacts:write", "agents:read"))
    made = propose(agent, "POST", "/v1/contacts", {"name": "Ada"})
    assert made["preview"]["data"]["name"] == "Ada"  # it proposed it itself
    found = client.key("agents:read").get(f"/v1/proposals/{made['id']}")["data"]
    assert found["arguments"] is None and found["preview"] is None and found["operation"] == "create_contact"
    viewer = Browser(client.app).join(client, "viewer")
    page = viewer.get(f"/dashboard/approvals/{made['id']}")
    assert "Approve and carry it out" not in page.text
    other = Client(client.app)
    other.get(f"/v1/proposals/{made['id']}", 404)
    Browser(client.app).join(other).get(f"/dashboard/approvals/{made['id']}", 404)


def test_only_who_may_write_what_it_writes_approves_it(make_app):
    """No route of an attachment names a scope: its handler requires that of the record."""
    client = Client(make_app("agents", "users", "dashboard", "contacts", "attachments"))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    path = f"/v1/attachments?resource={contact}&filename=a.txt"
    attachment = client.call("POST", path, raw=b"a", status=201).json["data"]["id"]
    made = propose(agent_of(client, "propose"), "DELETE", f"/v1/attachments/{attachment}")
    viewer = Browser(client.app).join(client, "viewer")
    page = viewer.get(f"/dashboard/approvals/{made['id']}")
    assert "Your role does not let you" in page.text and "Approve and carry it out" not in page.text
    for scopes, status in ((("read", "invoices:write"), 403), (("read", "contacts:write"), "done")):
        person = Identity(id="usr_x", tenant_id=client.tenant_id, environment="live", name="X", scopes=scopes, **RATES)
        try:
            found = proposing.approve(client.app, client.tenant_id, made["id"], person, lambda shown: None, "req_x")
        except Forbidden as refused:
            found = refused.status
        assert found == status
    client.get(f"/v1/attachments/{attachment}", 404)


def test_what_cannot_wait_is_not_proposed(client):
    agent = agent_of(client, "propose")
    body = {"url": "https://example.com/hook", "events": ["contact.created"]}
    for call in (("POST", "/v1/webhook_endpoints", body),):
        error = agent.refused(403, HELD, *call, headers=ASK)
        assert error["proposal_id"] is None and "cannot be proposed" in error["message"]
    for name in range(100):
        agent.call("POST", "/v1/contacts", {"name": str(name)}, 403, ASK)
    error = agent.refused(403, HELD, "POST", "/v1/contacts", {"name": "One more"}, headers=ASK)
    assert error["proposal_id"] is None and "100 proposals" in error["message"]
    assert client.get("/v1/contacts")["data"] == []


def test_a_connected_app_has_a_policy_as_a_key_has(make_app):
    client = Client(make_app("agents", "users", "dashboard", "apps", "contacts"))
    oauth = OAuthApp(client, "agents:read", "contacts:read", "contacts:write")
    app, owner = oauth.connect(), oauth.person()
    path = f"/dashboard/agents/{app.key_id}"
    assert path in owner.get("/dashboard/connections").text
    owner.get(path)
    owner.send(path, mode="propose")
    error = Agent(app).refused(HELD, "create_contact", body={"name": "Ada"}, reason="New")
    found = app.get(f"/v1/proposals/{error['proposal_id']}")["data"]
    assert found["caller"] == {"id": app.key_id, "name": "Ledger Sync"}
    approve(owner, found)
    assert [each["name"] for each in client.get("/v1/contacts")["data"]] == ["Ada"]
    made = propose(app, "POST", "/v1/contacts", {"name": "Eve"})
    owner.get("/dashboard/connections")
    owner.send(f"/dashboard/connections/{app.key_id}/disconnect")
    approve(owner, made, 409)
    # Of an app that is gone it is still told that it did it.
    by = client.get("/v1/events?event=contact.created")["data"][0]["actor"]
    assert (by["connection_id"], by["app_id"], by["proposal_id"]) == (app.key_id, oauth.id, found["id"])
    assert len(client.get("/v1/contacts")["data"]) == 1


def test_an_app_that_lacks_a_scope_is_told_which_to_ask_for(make_app):
    client = Client(make_app("agents", "users", "dashboard", "apps", "contacts"))
    app = OAuthApp(client, "contacts:read").connect()
    given = {"name": "create_contact", "arguments": {"body": {"name": "Ada"}}}
    assert Agent(app).send("tools/call", given, 403)["error"]["data"]["required_scope"] == "contacts:write"
    challenge = app.last.headers["WWW-Authenticate"]
    assert 'error="insufficient_scope", scope="contacts:write", resource_metadata="' in challenge
    app.headers = {"Authorization": f"Bearer {app.secret[:-1]}x"}
    Agent(app).send("tools/list", status=401)
    assert 'error="invalid_token", resource_metadata="' in app.last.headers["WWW-Authenticate"]


def test_what_was_approved_is_told_with_who_and_by_whose_key(client, owner):
    agent = agent_of(client, "propose")
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    made = propose(agent, "POST", "/v1/invoices", bill(client, 250, contact))
    approve(owner, made)
    (invoice,) = client.get("/v1/invoices")["data"]
    page = owner.get(f"/dashboard/invoices/{invoice['id']}").text
    assert "approved by Owner" in page and "Key “" in page
    event = client.get("/v1/events?event=invoice.created")["data"][0]
    by, alone = event["actor"], dict.fromkeys(("user_id", "connection_id", "app_id"))
    assert by == {**alone, "key_id": agent.key_id, "proposal_id": made["id"], "approved_by": by["approved_by"]}
    assert by["approved_by"]["id"].startswith("usr_") and by["approved_by"]["name"] == "Owner"
    assert client.get("/v1/events?event=proposal.decided")["data"][0]["actor"] == by
    created = client.get("/v1/events?event=proposal.created")["data"][0]["actor"]
    assert created == {**alone, "key_id": agent.key_id, "proposal_id": None, "approved_by": None}
    for page in ("/dashboard/events", f"/dashboard/events/{event['id']}"):
        assert "approved by Owner" in owner.get(page).text and "Key “" in owner.page.text
    client.post(f"/v1/invoices/{invoice['id']}/send", {}, 200)
    assert owner.get(f"/dashboard/invoices/{invoice['id']}").text.count("approved by Owner") == 1


def test_a_proposal_is_marked_by_what_to_look_at_twice(client, owner, clock):
    agent = agent_of(client, "propose")
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]

    def marks(amount, of=contact):
        made = propose(agent, "POST", "/v1/invoices", bill(client, amount, of))
        found = owner.get(f"/dashboard/approvals/{made['id']}").text.partition("Look twice:")[2].partition("</ul>")[0]
        return re.findall("<li>(.*?)</li>", found)

    assert marks(100) == ["Ada is new: added today.", "It is the first of its kind for Ada."]
    client.post("/v1/invoices", bill(client, 100, contact))
    clock.move(days=15)
    owner = Browser(client.app).join(client, "owner", "second@example.com")
    assert marks("200.00") == []
    assert marks("200.01") == ["The amount is unusual for Ada: until now it was $100.00 at most."]
    client.patch("/v1/tenant", {"legal_name": "Same account"})
    assert marks(90) == []
    account = {"bsb": "012-345", "account_number": "123456", "account_name": "Ours"}
    client.patch("/v1/tenant", {"bank_account": account})
    assert marks(91) == ["The account that clients pay into was changed today."]
    made = propose(agent, "PATCH", "/v1/tenant", {"bank_account": {**account, "account_number": "666"}})
    assert "It changes the account" in owner.get(f"/dashboard/approvals/{made['id']}").text
    clock.move(days=14)
    owner = Browser(client.app).join(client, "owner", "third@example.com")
    assert marks(92) == []


def test_several_alike_are_decided_at_once_each_as_it_was_shown(client, owner, clock):
    agent = agent_of(client, "propose")
    ada, eve = (client.post("/v1/contacts", {"name": name})["data"] for name in ("Ada", "Eve"))
    client.post("/v1/invoices", bill(client, 500, ada["id"]))
    clock.move(days=15)
    owner = Browser(client.app).join(client, "owner", "second@example.com")
    notes = [propose(agent, "PATCH", f"/v1/contacts/{each['id']}", {"notes": "x"}) for each in (ada, eve)]
    made = [propose(agent, "POST", "/v1/invoices", bill(client, amount, ada["id"])) for amount in (10, 20, 30, 1001)]
    assert "Decide 4 at once" in owner.get("/dashboard/approvals").text
    page = owner.get(f"/dashboard/approvals/alike?caller={agent.key_id}&of=create_invoice")
    form = next(form for form in page.forms.values() if "id" in form.fields)
    ticked = {box._value: box.checked for box in form.fields["id"]}
    # The unusual amount is shown, and not ticked.
    assert ticked == {each["id"]: each["amount"] < 1001 for each in made}
    form.fields["id"][1].checked = False
    answer = form.submit(status=303).follow()
    assert "2 approved and done." in answer.text
    assert sorted(each["total"] for each in client.get("/v1/invoices")["data"]) == [10, 30, 500]
    status = {each["id"]: each["status"] for each in client.get("/v1/proposals")["data"]}
    assert [status[each["id"]] for each in made] == ["done", "pending", "done", "pending"]
    # One that has changed since stays; one that was not shown is not carried out.
    page = owner.get(f"/dashboard/approvals/alike?caller={agent.key_id}&of=update_contact")
    form = next(form for form in page.forms.values() if "id" in form.fields)
    client.patch(f"/v1/contacts/{eve['id']}", {"name": "Eva"})
    fields = [*form.submit_fields(), ("id", made[1]["id"])]
    answer = owner.web.post(form.action, fields, status=303).follow()
    assert "1 approved and done, 2 changed meanwhile" in answer.text
    found = {each["id"]: each["status"] for each in client.get("/v1/proposals")["data"]}
    assert [found[each["id"]] for each in (*notes, made[1])] == ["done", "pending", "pending"]
    viewer = Browser(client.app).join(client, "viewer", "v@example.com")
    page = viewer.get(f"/dashboard/approvals/alike?caller={agent.key_id}&of=create_invoice")
    assert "Approve this one" not in page.text


def asks(agent, capabilities, **arguments):
    """Call create_contact as a client with these capabilities; return the result."""
    meta = {**META, "io.modelcontextprotocol/clientCapabilities": capabilities}
    return agent.send("tools/call", {"name": "create_contact", "arguments": arguments}, meta=meta)["result"]


def test_a_client_that_takes_tasks_gets_one_and_polls_it(client, owner):
    agent, takes = Agent(agent_of(client, "propose")), {"extensions": {TASKS: {}}}
    meta = {**META, "io.modelcontextprotocol/clientCapabilities": takes}

    def about(method, id, of=agent, status=200, **more):
        return of.send(f"tasks/{method}", {"taskId": id}, status, headers={"Mcp-Name": id}, **{"meta": meta, **more})

    assert TASKS in agent.send("server/discover")["result"]["capabilities"]["extensions"]
    made = [asks(agent, takes, body={"name": name}, reason="New") for name in ("Ada", "Eve", "Zoe")]
    task = made[0]
    assert (task["resultType"], task["status"]) == ("task", "working") and task["taskId"].startswith("prp_")
    assert "/dashboard/approvals/" in task["statusMessage"] and task["ttlMs"] == 72 * 3600 * 1000
    assert about("get", task["taskId"])["result"]["status"] == "working"
    approve(owner, {"id": task["taskId"]})
    found = about("get", task["taskId"])["result"]
    assert (found["resultType"], found["status"], found["result"]["isError"]) == ("complete", "completed", False)
    assert found["result"]["structuredContent"] == client.get("/v1/contacts")["data"][0]
    # Whoever proposed it may withdraw it, and nobody else asks about it.
    other = Agent(agent_of(client, "propose"))
    for method in ("get", "update", "cancel"):
        assert about(method, made[1]["taskId"], other, 400)["error"]["code"] == -32602
    assert about("cancel", made[1]["taskId"])["result"]["resultType"] == "complete"
    assert about("get", made[1]["taskId"])["result"]["status"] == "cancelled"
    assert client.get(f"/v1/proposals/{made[1]['taskId']}")["data"]["status"] == "expired"
    path = f"/dashboard/approvals/{made[2]['taskId']}"
    owner.get(path)
    owner.send(f"{path}/decline", reason="Not her")
    assert "Not her" in about("get", made[2]["taskId"])["result"]["statusMessage"]
    assert about("get", task["taskId"], status=400, meta=META)["error"]["code"] == -32021
    assert agent.send("tasks/get", {"taskId": task["taskId"]}, 400, meta=meta)["error"]["code"] == -32020


def test_a_client_that_opens_pages_is_led_to_the_approval_and_asks_again(client, owner):
    agent, opens = Agent(agent_of(client, "propose")), {"elicitation": {"url": {}}}
    asked = asks(agent, opens, body={"name": "Ada"})
    assert asked["resultType"] == "input_required"
    question = asked["inputRequests"]["approval"]
    id = asked["requestState"]
    assert question["method"] == "elicitation/create" and question["params"]["mode"] == "url"
    assert "repeat" not in question["params"]["message"]  # which is for a person
    assert question["params"]["url"].endswith(f"/dashboard/approvals/{id}")

    def again(of=agent, status=200, **more):
        given = {"name": "create_contact", "arguments": {"body": {"name": "Ada"}}, "requestState": id, **more}
        given["inputResponses"] = {"approval": {"action": "accept"}}
        return of.send("tools/call", given, status)

    # Nobody has decided yet: it is told so, and not asked once more.
    assert again()["result"]["structuredContent"]["code"] == HELD
    approve(owner, {"id": id})
    (contact,) = client.get("/v1/contacts")["data"]
    assert again()["result"]["structuredContent"] == again()["result"]["structuredContent"] == contact
    # The state of another's request, or an invented one, tells and does nothing.
    other = Agent(agent_of(client, "full"))
    assert again(other, 400)["error"]["code"] == again(agent, 400, requestState={})["error"]["code"] == -32602
    assert len(client.get("/v1/contacts")["data"]) == 1
    # Whoever opens only forms gets the error, as in older versions.
    assert asks(agent, {"elicitation": {}}, body={"name": "Eve"})["structuredContent"]["code"] == HELD
