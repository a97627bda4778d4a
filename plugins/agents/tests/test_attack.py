"""Attempts to talk, race and replay past what a person approves, or past a limit."""

from decimal import Decimal

import pytest

from billycan import Forbidden, Identity, tenants
from billycan.testing import Client, run_timed
from billycan_agents.asking import TASKS
from billycan_agents.testing import META, Agent, agent_of, bill, set_policy
from billycan_apps.testing import OAuthApp
from billycan_users.testing import Browser

HELD = "approval_required"
ASK = {"Prefer": "propose"}
MAIL = {"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"}


@pytest.fixture
def client(make_app):
    return Client(make_app("agents", "users", "dashboard", "contacts", "hosted", "documents", "invoices"))


def test_the_day_of_a_limit_is_not_moved(make_app):
    client = Client(make_app("agents", "users", "contacts", "hosted", "documents", "invoices", "clock", "batch"))
    for home in (client, client.sandbox()):
        agent = agent_of(home, per_day=Decimal(1000))
        contact = home.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
        agent.post("/v1/invoices", bill(home, 1000, contact))
        further = bill(home, 1, contact)
        for zone in ("Pacific/Kiritimati", "Etc/GMT+12"):
            moved = {"method": "PATCH", "path": "/v1/tenant", "body": {"timezone": zone}}
            made = {"method": "POST", "path": "/v1/invoices", "body": further}
            agent.refused(403, HELD, "PATCH", "/v1/tenant", moved["body"])
            agent.refused(403, HELD, "POST", "/v1/batch", {"atomic": True, "operations": [moved, made]})
            agent.refused(403, HELD, "POST", "/v1/invoices", further)
        agent.patch("/v1/tenant", {"legal_name": "Ada Pty Ltd"})
    agent.refused(403, HELD, "POST", "/v1/clock", {})
    home.post("/v1/clock", {})
    agent.refused(403, HELD, "DELETE", "/v1/clock")
    agent.refused(403, HELD, "POST", "/v1/invoices", further)


def test_a_frozen_key_gets_nothing_by_any_message(client):
    owner, key = Browser(client.app).join(client), agent_of(client, "propose")
    agent, meta = Agent(key), {**META, "io.modelcontextprotocol/clientCapabilities": {"extensions": {TASKS: {}}}}
    call = {"name": "create_contact", "arguments": {"body": {"name": "Ada"}}}
    id = agent.send("tools/call", call, meta=meta)["result"]["taskId"]
    path = f"/dashboard/agents/{key.key_id}"
    owner.get(path)
    owner.send(f"{path}/freeze")
    about, headers = {"taskId": id}, {"Mcp-Name": id}
    for method in ("tasks/get", "tasks/update", "tasks/cancel"):
        assert agent.send(method, about, 403, headers=headers, meta=meta)["error"]["data"]["code"] == "frozen"
    for method, given in (
        *(("tools/list", {}), ("server/discover", {}), ("tools/call", {**call, "requestState": id})),
        *(("resources/list", {}), ("resources/read", {"uri": "billycan://me"}), ("prompts/list", {})),
        *(("prompts/get", {"name": "chase_overdue_invoices"}), ("completion/complete", {})),
    ):
        assert agent.send(method, given, 403)["error"]["data"]["code"] == "frozen"
    agent.refused("frozen", "search_tools", query="contacts")
    agent.refused("frozen", "create_contact", body={"name": "Ada"})
    owner.get(path)
    owner.send(f"{path}/unfreeze")
    # What waited when it was frozen has ended for good.
    assert agent.send("tasks/get", about, headers=headers, meta=meta)["result"]["status"] == "cancelled"


@pytest.mark.both
def test_a_reason_is_text_that_people_see(client):
    agent = Agent(agent_of(client, "propose"))
    # The second would turn around what follows it on the page, and the third be a page of blanks.
    for reason, kept in (
        ("a\0b", "a b"),
        ("\u202e00.9$", "00.9$"),
        ("\u200b" * 900 + "x", None),
        ({"a": 1}, "{'a': 1}"),
    ):
        name = f"{reason!r:.9}"
        error = agent.refused(HELD, "create_contact", body={"name": name}, reason=reason)
        assert agent.done("get_proposal", id=error["proposal_id"])["reason"] in (kept, "x")


def test_links_by_which_a_client_decides_are_not_for_agents(make_app):
    client = Client(make_app("agents", "users", "contacts", "hosted", "documents", "quotes", "mail", mail=MAIL))
    contact = client.post("/v1/contacts", {"name": "Ada", "email": "ada@example.com"})["data"]["id"]
    quote = client.post("/v1/quotes", bill(client, 5000, contact))["data"]
    path = f"/v1/quotes/{quote['id']}"
    client.post(f"{path}/email", {})

    def links(caller):
        email = caller.get("/v1/emails")["data"][0]["id"]
        asked = (
            ("GET", path),
            ("GET", "/v1/quotes"),
            ("GET", f"/v1/emails/{email}"),
            ("POST", f"{path}/email/preview"),
        )
        return [link in caller.call(*each, {} if each[0] == "POST" else None).text for each in asked]

    link = client.get(path)["data"]["hosted_url"]
    assert links(client) == links(client.key()) == links(agent_of(client, "full")) == [True] * 4
    for agent in (agent_of(client, "read_only"), agent_of(client, "propose"), agent_of(client, "full", never=["x_*"])):
        assert links(agent) == [False] * 4
    limited = agent_of(client, auto_below=Decimal(9000))
    assert links(limited) == [False] * 4
    other = limited.post("/v1/quotes", bill(client, 100, contact))["data"]["id"]
    assert limited.post(f"/v1/quotes/{other}/send", {}, 200)["data"]["hosted_url"] is None
    # Those whom it sends the document to have the link.
    limited.post(f"{path}/email", {})
    sent = client.get("/v1/emails")["data"][0]["id"]
    assert link in client.call("GET", f"/v1/emails/{sent}").text


def test_nothing_is_approved_in_a_business_that_stands_still(client):
    owner, agent = Browser(client.app).join(client), agent_of(client, "propose")
    error = agent.refused(403, HELD, "POST", "/v1/contacts", {"name": "Ada"}, headers=ASK)
    page = f"/dashboard/approvals/{error['proposal_id']}"
    owner.get(page)
    with client.app.db.writing(across="a test suspends a business") as db:
        tenants.set_standing(db, (client.tenant_id,), "suspended", client.app.now())
    client.app.epoch.bump()
    with pytest.raises(Forbidden):
        client.app.check_open(client.tenant_id)
    for does in ("approve", "decline"):
        owner.send(f"{page}/{does}", status=403)
    assert client.get("/v1/contacts")["data"] == []


@pytest.mark.both
def test_what_one_host_freezes_another_carries_out_no_more(client, make_app, tmp_path):
    """A policy is known to a process for a second: not where it is counted, nor for what waits."""
    owner, agent = Browser(client.app).join(client), agent_of(client, per_day=Decimal(1000), propose=["delete_*"])
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    error = agent.refused(403, HELD, "DELETE", f"/v1/contacts/{contact}", headers=ASK)
    url = client.app.db.url.render_as_string(hide_password=False)
    there = make_app(*client.app.manifests, database=url, shared_folder=str(tmp_path / "there"))
    elsewhere = Client(there, client.tenant_id)
    boss, elsewhere.headers = Browser(there).join(client, "owner", "second@example.com"), agent.headers
    page, path = f"/dashboard/approvals/{error['proposal_id']}", f"/dashboard/agents/{agent.key_id}"
    boss.get(page)
    elsewhere.post("/v1/invoices", bill(client, 1, contact))
    owner.get(path)
    owner.send(f"{path}/freeze")
    elsewhere.refused(403, "frozen", "POST", "/v1/invoices", bill(client, 1, contact))
    boss.send(f"{page}/approve", status=409)
    assert client.get(f"/v1/contacts/{contact}")["data"] and len(client.get("/v1/invoices")["data"]) == 1


def test_what_is_repeated_or_comes_later_is_held_as_well(make_app):
    plugins = ("agents", "users", "dashboard", "contacts", "hosted", "documents", "invoices", "recurring", "webhooks")
    client = Client(make_app(*plugins))
    owner, agent = (
        Browser(client.app).join(client),
        agent_of(client, auto_below=Decimal(100), propose=["update_endpoint"]),
    )
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    # The first answer is no licence for the second.
    sent = {**ASK, "Idempotency-Key": "once"}
    error = agent.refused(403, HELD, "POST", "/v1/invoices", bill(client, 500, contact), headers=sent)
    page = f"/dashboard/approvals/{error['proposal_id']}"
    owner.get(page)
    owner.send(f"{page}/approve")
    again = agent.refused(403, HELD, "POST", "/v1/invoices", bill(client, 500, contact), headers=sent)
    assert again["proposal_id"] not in (None, error["proposal_id"])
    assert len(client.get("/v1/invoices")["data"]) == 1
    # An amount of what is repeated is no bound of what it comes to, least of all from a day that is long past.
    weekly = {**bill(client, 50, contact), "frequency": "week", "start_on": "2026-01-01", "then": "send"}
    agent.refused(403, HELD, "POST", "/v1/recurring_invoices", weekly)
    yearly = {**weekly, "frequency": "year", "start_on": "2027-01-01"}
    path = f"/v1/recurring_invoices/{client.post('/v1/recurring_invoices', yearly)['data']['id']}"
    for change in ({"frequency": "week"}, {"then": "draft"}, bill(client, 90, contact)):
        agent.refused(403, HELD, "PATCH", path, change)
    agent.post(f"{path}/pause", {}, 200)
    agent.refused(403, HELD, "POST", f"{path}/resume", {})
    run_timed(client.app)
    assert len(client.get("/v1/invoices")["data"]) == 1
    hook = client.post("/v1/webhook_endpoints", {"url": "https://example.com/a", "events": ["*"]})["data"]["id"]
    agent.refused(403, HELD, "PATCH", f"/v1/webhook_endpoints/{hook}", {"url": "https://example.com/b"}, headers=ASK)
    assert client.get(f"/v1/webhook_endpoints/{hook}")["data"]["url"] == "https://example.com/a"


def test_an_app_that_is_connected_again_keeps_its_policy(make_app):
    client = Client(make_app("agents", "users", "dashboard", "apps", "contacts"))
    oauth = OAuthApp(client, "agents:read", "contacts:read", "contacts:write")
    app, owner = oauth.connect(), oauth.person()
    owner.get(f"/dashboard/agents/{app.key_id}")
    owner.send(f"/dashboard/agents/{app.key_id}", mode="propose")
    again = oauth.connect()
    assert again.key_id == app.key_id
    again.refused(403, HELD, "POST", "/v1/contacts", {"name": "Ada"})


@pytest.mark.parametrize(
    "policy",
    [
        {"mode": "read_only"},
        {"mode": "propose", "never": ["delete_*"]},
        {"mode": "limits", "contacts": ["con_00000000000000000000000000"]},
    ],
    ids=["read_only", "never", "contacts"],
)
def test_what_an_owner_forbids_after_it_was_proposed_is_not_carried_out(client, policy):
    owner, agent = Browser(client.app).join(client), agent_of(client, "propose")
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    id = agent.refused(403, HELD, "DELETE", f"/v1/contacts/{contact}", headers=ASK)["proposal_id"]
    set_policy(agent, Identity.Policy(**policy))
    owner.get(f"/dashboard/approvals/{id}")
    assert "failed when it was carried out" in owner.send(f"/dashboard/approvals/{id}/approve").text
    assert client.get(f"/v1/proposals/{id}")["data"]["error"]["code"] == "not_allowed_for_agents"
    assert client.get(f"/v1/contacts/{contact}")["data"]["name"] == "Ada"


def test_an_agent_that_proposes_and_withdraws_hides_nothing_and_is_bounded(client, clock):
    owner, agents = Browser(client.app).join(client), [agent_of(client, "propose") for _ in range(2)]
    first = agents[0].refused(403, HELD, "POST", "/v1/contacts", {"name": "Ada"}, headers=ASK)["proposal_id"]
    agent, meta = Agent(agents[1]), {**META, "io.modelcontextprotocol/clientCapabilities": {"extensions": {TASKS: {}}}}

    def withdrawn(name):
        call = {"name": "create_contact", "arguments": {"body": {"name": name}}}
        result = agent.send("tools/call", call, meta=meta)["result"]
        if id := result.get("taskId"):
            agent.send("tasks/cancel", {"taskId": id}, headers={"Mcp-Name": id}, meta=meta)
        return id

    for number in range(100):
        clock.move(seconds=2)
        assert withdrawn(str(number))
    assert first in owner.get("/dashboard/approvals").text
    assert not withdrawn("one more")  # each of them is a letter to people
    clock.move(hours=1)
    assert withdrawn("an hour later")


def test_what_is_not_seen_turns_nothing_around_on_the_page(client):
    owner, agent = Browser(client.app).join(client), agent_of(client, "propose")
    contact = client.post("/v1/contacts", {"name": "A\u202eda\u200b"})["data"]["id"]
    body = {**bill(client, 900, contact), "reference": "\u2066<script>alert(1)</script>"}
    body["line_items"][0]["description"] = "Labour \u202e"
    id = agent.refused(403, HELD, "POST", "/v1/invoices", body, headers=ASK)["proposal_id"]
    for page in (f"/dashboard/approvals/{id}", f"/dashboard/approvals/alike?caller={agent.key_id}&of=create_invoice"):
        text = owner.get(page).text
        assert not {*"\u202e\u200b\u2066"} & {*text} and "<script>alert" not in text and "A da" in text


def test_a_warning_that_was_not_shown_stops_the_approval(client):
    owner, agent = Browser(client.app).join(client), agent_of(client, "propose")
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    invoice = client.post("/v1/invoices", bill(client, 900, contact))["data"]["id"]
    id = agent.refused(403, HELD, "POST", f"/v1/invoices/{invoice}/send", {}, headers=ASK)["proposal_id"]
    page, said = f"/dashboard/approvals/{id}", "The account that clients pay into was changed today"
    alike = f"/dashboard/approvals/alike?caller={agent.key_id}&of=send_invoice"
    boss = Browser(client.app).join(client, "owner", "second@example.com")
    assert said not in owner.get(page).text
    boss.get(alike)
    account = {"bsb": "062-000", "account_number": "12345678", "account_name": "Eve"}
    client.patch("/v1/tenant", {"bank_account": account})
    assert said in owner.send(f"{page}/approve", status=409).text
    assert "1 changed meanwhile" in boss.send(alike, id=id).text
    assert client.get(f"/v1/invoices/{invoice}")["data"]["status"] == "draft"
    owner.get(page)
    owner.send(f"{page}/approve")
    assert client.get(f"/v1/invoices/{invoice}")["data"]["status"] == "sent"


def test_the_page_names_what_is_deleted_or_merged(client):
    owner, agent = Browser(client.app).join(client), agent_of(client, "propose")
    ada, eve = (client.post("/v1/contacts", {"name": name})["data"]["id"] for name in ("Ada Lovelace", "Eve"))
    invoice = client.post("/v1/invoices", bill(client, 900, ada))["data"]["id"]
    for call, told in (
        (("DELETE", f"/v1/contacts/{eve}"), {"Eve"}),
        (("POST", f"/v1/contacts/{ada}/merge", {"into": eve}), {"Ada Lovelace", "Eve"}),
        (("DELETE", f"/v1/invoices/{invoice}"), {"INV-0001 for Ada Lovelace", "Labour: $900.00"}),
        (("POST", f"/v1/invoices/{invoice}/send", {}), {"INV-0001 for Ada Lovelace"}),
    ):
        id = agent.refused(403, HELD, *call, headers=ASK)["proposal_id"]
        facts = owner.get(f"/dashboard/approvals/{id}").html.select_one("dl.facts").text
        assert all(each in facts for each in told), facts
    listed = owner.get("/dashboard/approvals").text
    assert all(f">{title}<" in listed for title in ("Delete contact: Eve", "Send invoice: INV-0001 for Ada Lovelace"))
    waiting = owner.get("/dashboard").html.find("a", href="/dashboard/approvals?status=pending")
    assert " ".join(waiting.parent.text.split()) == "Changes to approve 4"


@pytest.mark.both
def test_a_version_that_no_record_has_is_proposed_like_none(client):
    agent = agent_of(client, "propose")
    for version in ("9" * 11, "9" * 30):
        sent = {**ASK, "If-Match": f'"{version}"'}
        assert agent.refused(403, HELD, "POST", "/v1/contacts", {"name": version}, headers=sent)["proposal_id"]


def test_a_supplier_is_a_contact_that_a_policy_may_leave_out(make_app):
    client = Client(make_app("agents", "users", "contacts", "documents", "expenses", "attachments"))
    ada, eve = (client.post("/v1/contacts", {"name": name})["data"]["id"] for name in ("Ada", "Eve"))
    agent = agent_of(client, contacts=[ada])
    category = client.get("/v1/expense_categories")["data"][0]["id"]
    for supplier, status in ((eve, 403), (ada, 201)):
        bought = {"date": "2026-01-01", "amount": 50, "category_id": category, "supplier_id": supplier}
        expense = client.post("/v1/expenses", bought)["data"]["id"]
        agent.call("POST", f"/v1/attachments?resource={expense}&filename=a.txt", raw=b"a", status=status)


@pytest.mark.parametrize("atomic", [True, False])
def test_the_kept_answer_of_a_batch_shows_an_agent_no_more_than_its_own(make_app, atomic):
    client = Client(make_app("agents", "users", "batch", "contacts", "hosted", "documents", "quotes"))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    quote = client.post("/v1/quotes", bill(client, 5000, contact))["data"]["id"]
    body = {"atomic": atomic, "operations": [{"method": "POST", "path": f"/v1/quotes/{quote}/send", "body": {}}]}
    sent = ("POST", "/v1/batch", body)
    kept = {"Idempotency-Key": "batch-1"}
    (result,) = client.call(*sent, 200, kept).json["data"]["results"]
    link = result["body"]["data"]["hosted_url"]
    assert link and link in client.key().call(*sent, 200, kept).text
    agent = agent_of(client, auto_below=Decimal(9000))
    assert "without a policy" in agent.refused(403, "insufficient_scope", *sent, headers=kept)["message"]


def test_an_answer_kept_for_repeats_shows_an_agent_no_more_than_its_own(make_app):
    client = Client(make_app("agents", "users", "contacts", "hosted", "documents", "quotes"))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    path = f"/v1/quotes/{client.post('/v1/quotes', bill(client, 5000, contact))['data']['id']}/send"
    sent = ("POST", path, {})
    link = client.call(*sent, 200, {"Idempotency-Key": "send-1"}).json["data"]["hosted_url"]
    assert link and client.key().call(*sent, 200, {"Idempotency-Key": "send-1"}).json["data"]["hosted_url"] == link
    agent = agent_of(client, auto_below=Decimal(9000))
    error = agent.refused(403, "insufficient_scope", *sent, headers={"Idempotency-Key": "send-1"})
    assert "without a policy" in error["message"]


def test_a_document_beyond_the_limit_is_not_sent_to_whom_the_agent_likes(make_app):
    """An email has the link by which its reader decides as the client."""
    plugins = ("agents", "users", "contacts", "hosted", "documents", "quotes", "invoices", "reminders", "mail")
    client = Client(make_app(*plugins, mail=MAIL))
    contact = client.post("/v1/contacts", {"name": "Ada", "email": "ada@example.com"})["data"]["id"]
    paths = []
    for home in ("quotes", "invoices"):
        paths.append(f"/v1/{home}/{client.post(f'/v1/{home}', bill(client, 5000, contact))['data']['id']}")
        client.post(f"{paths[-1]}/send", {}, 200)
    agent = agent_of(client, auto_below=Decimal(100))
    to = {"to": ["eve@example.com"]}
    for call in ((f"{paths[0]}/email", to), (f"{paths[1]}/email", to), (f"{paths[1]}/send_reminder", {})):
        assert "about $5,000.00" in agent.refused(403, HELD, "POST", *call)["message"]
    assert client.get("/v1/emails")["data"] == []
    day = agent_of(client, per_day=Decimal(6000))
    day.post(f"{paths[0]}/email", to)
    day.post(f"{paths[0]}/email", to)  # the same money
    day.refused(403, HELD, "POST", f"{paths[1]}/email", to)


def test_a_proposal_shows_its_maker_nothing_that_it_may_not_read(make_app):
    client = Client(make_app("agents", "users", "contacts"))
    path = f"/v1/contacts/{client.post('/v1/contacts', {'name': 'Ada', 'notes': 'Pays late'})['data']['id']}"
    for scope, told in ((("agents:read", "contacts:write"), False), (("read", "write"), True)):
        agent = agent_of(client, "propose", scope)
        id = agent.refused(403, HELD, "DELETE", path, headers=ASK)["proposal_id"]
        shown = agent.get(f"/v1/proposals/{id}")["data"]
        assert shown["arguments"] == {"id": path.rpartition("/")[2]}
        assert (shown["preview"]["changes"].get("notes") == ["Pays late", None]) is told


def test_a_price_that_invoices_take_later_is_not_changed_within_limits(make_app, clock):
    plugins = ("agents", "users", "contacts", "hosted", "documents", "invoices", "recurring", "items")
    client = Client(make_app(*plugins, "staff", "bookings"))
    contact = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    item = client.post("/v1/items", {"name": "Check-up", "unit_price": 10, "gst_code": "gst_free"})["data"]["id"]
    weekly = {"client_id": contact, "line_items": [{"item_id": item}], "frequency": "week", "then": "send"}
    client.post("/v1/recurring_invoices", {**weekly, "start_on": "2026-11-22"})
    agent = agent_of(client, auto_below=Decimal(100))
    assert "price" in agent.refused(403, HELD, "PATCH", f"/v1/items/{item}", {"unit_price": 9999})["message"]
    service = client.post("/v1/services", {"name": "Visit", "price": 10, "duration_minutes": 60})["data"]["id"]
    agent.refused(403, HELD, "PATCH", f"/v1/services/{service}", {"price": None})
    agent.patch(f"/v1/items/{item}", {"name": "Check-up in spring"})
    agent.post("/v1/items", {"name": "Tap", "unit_price": 50})
    clock.move(days=2)
    run_timed(client.app)
    assert [each["total"] for each in client.get("/v1/invoices")["data"]] == [10]
