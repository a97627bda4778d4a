"""Tools made from the routes, and their calls: what a key may do, as the API does it."""

import pytest

from billycan.describe import openapi
from billycan.starting.packages import first_party
from billycan.testing import Client
from billycan_agents.calling import MOST_ANSWERED_BYTES
from billycan_agents.testing import Agent
from billycan_agents.tools import COMMONEST, all_tools

MAIL = {"url": "smtp://127.0.0.1:1", "sender": "mail@example.com"}
LINE = {"description": "Labour", "unit_price": "95.00"}


def test_the_tools_are_the_routes_that_the_scopes_allow(client):
    tools = Agent(client.key("contacts:read", "invoices:write")).tools()
    assert {"list_contacts", "get_contact", "create_invoice", "void_invoice", "get_me"} <= tools.keys()
    assert not {"create_contact", "list_invoices", "get_tenant", "get_openapi"} & tools.keys()
    make = tools["create_invoice"]
    assert make["title"] and "GST" in make["description"] and "$ref" not in str(make)
    body = make["inputSchema"]["properties"]["body"]
    assert body["properties"]["line_items"]["items"]["properties"]["unit_price"]
    assert make["inputSchema"]["required"] == ["body"] and "client_id" in body["required"]
    assert make["annotations"]["readOnlyHint"] is False and make["annotations"]["destructiveHint"] is False
    assert tools["void_invoice"]["annotations"]["destructiveHint"] is True
    assert tools["list_contacts"]["annotations"]["readOnlyHint"] is True
    assert {"search", "fields", "per_page"} <= tools["list_contacts"]["inputSchema"]["properties"].keys()
    assert "reason" not in make["inputSchema"]["properties"]


@pytest.mark.sqlite_alone
def test_the_tools_are_made_once_whoever_asks_first(make_app, monkeypatch):
    client, made = Client(make_app("agents", "users", "contacts", fresh=True)), []
    build = openapi._Document.__init__
    monkeypatch.setattr(openapi._Document, "__init__", lambda *given: made.append(given) or build(*given))
    client.race(*[("POST", "/mcp", {"jsonrpc": "2.0", "id": 1, "method": "tools/list"})] * 4)
    assert client.web.get("/v1/openapi.json").json["paths"] and len(made) == 1


def test_a_call_is_a_call_of_the_api(client):
    agent = Agent(client)
    contact = agent.done("create_contact", body={"name": "Ada"})
    bill = {"client_id": contact["id"], "line_items": [LINE]}
    made = agent.done("create_invoice", body=bill, idempotency_key="order 1")
    assert agent.done("create_invoice", body=bill, idempotency_key="order 1") == made
    assert made["total"] == client.get(f"/v1/invoices/{made['id']}")["data"]["total"]
    assert agent.done("send_invoice", id=made["id"], if_match=1)["status"] == "sent"
    assert agent.done("list_invoices", status=["sent"], per_page=1, **{"fields": ["id"]}) == [{"id": made["id"]}]
    assert agent.done("list_contacts", metadata={"a": "b"}) == []
    assert client.events() == ["contact.created", "invoice.created", "invoice.sent"]
    # Refusals are the API's own, so that the next call can be right.
    error = agent.refused("invalid_state_transition", "send_invoice", id=made["id"])
    assert error["allowed_actions"] and error["type"] == "conflict" and error["request_id"]
    error = agent.refused("validation_failed", "create_invoice", body={"line_items": [{"unit_price": "x"}]})
    assert {fault["param"] for fault in error["details"]} >= {"client_id", "line_items[0].unit_price"}
    agent.refused("version_conflict", "update_invoice", id=made["id"], if_match=1, body={"notes": "x"})
    agent.refused("resource_not_found", "get_invoice", id="inv_/../../x?y")
    error = agent.refused("validation_failed", "get_invoice", colour="blue")
    assert [(each["param"], each["code"]) for each in error["details"]] == [
        ("colour", "unknown_field"),
        ("id", "required"),
    ]
    agent.refused("invalid_parameter", "list_invoices", per_page=1000)
    agent.refused("validation_failed", "update_invoice", id=made["id"], if_match="1")
    exact = agent.done("create_invoice", body={**bill, "line_items": [{**LINE, "unit_price": 0.07}]})
    assert str(exact["line_items"][0]["unit_price"]) == "0.07"


def test_an_app_that_lacks_a_scope_is_told_which_and_a_key_gets_the_error(client):
    error = Agent(client.key("contacts:read")).refused("insufficient_scope", "create_contact", body={"name": "A"})
    assert error["required_scope"] == "contacts:write"


def test_an_answer_has_at_most_200_kb_and_the_refusal_says_how_to_ask_for_less(client):
    agent = Agent(client)
    text = "é" * 4_000
    for number in range(30):
        client.post("/v1/contacts", {"name": f"Client {number}", "notes": text})
    error = agent.refused("answer_too_large", "list_contacts", per_page=30)
    assert error["fields"] == ["fields", "per_page"] and "`fields`" in error["message"]
    assert len(agent.done("list_contacts", per_page=30, fields=["name"])) == 30
    lines = [{"description": text[:2000], "unit_price": "1.00"}] * 60
    contact = client.get("/v1/contacts")["data"][0]["id"]
    result = agent.call("create_invoice", body={"client_id": contact, "line_items": lines})
    assert not result["isError"] and result["structuredContent"]["id"].startswith("inv_")
    assert len(str(result)) < MOST_ANSWERED_BYTES and "It is done" in result["content"][1]["text"]


@pytest.mark.either
@pytest.mark.whole
def test_of_many_tools_the_commonest_are_listed_and_the_others_found(make_app):
    client = Client(make_app(*first_party(), mail=MAIL, fresh=True))
    agent = Agent(client)
    listed = agent.tools()
    known = all_tools(client.app)
    assert listed.keys() == {*COMMONEST, "search_tools", "call_tool"} and {*COMMONEST} <= known.keys()
    found = agent.done("search_tools", query="void an invoice")["tools"]
    assert found[0]["name"] == "void_invoice" and found[0]["inputSchema"]["properties"]["id"]
    contact = agent.done("call_tool", name="create_contact", arguments={"body": {"name": "Ada"}})
    assert agent.done("call_tool", name="delete_contact", arguments={"id": contact["id"]})["deleted"] is True
    agent.refused("validation_failed", "search_tools", query=" ")
    for name in ("x", ""):  # call_tool is there, so this is for the model to mend
        error = agent.refused("validation_failed", "call_tool", name=name)
        assert "search_tools" in error["details"][0]["message"]
    # Every route that takes JSON, a stranger's too, is a tool: if it answers JSON, or reads a file.
    json, operations = "application/json", set()
    for path in client.app.openapi()["paths"].values():
        for method, each in path.items():
            answers = [each["responses"].get(status, {}).get("content", {}) for status in ("200", "201", "202")]
            takes_json = json in each["requestBody"]["content"] if "requestBody" in each else True
            answers_json = any(json in content for content in answers)
            if takes_json and each["security"] and (answers_json or method == "get"):
                operations.add(each["operationId"])
    assert sorted(operations) == [*known]
    assert all(len(name) <= 64 and tool.title and tool.schema["type"] == "object" for name, tool in known.items())


def test_a_batch_counts_as_many_calls_as_it_has_operations(make_app):
    client = Client(make_app("agents", "users", "contacts", "batch"))
    key = client.key(per_minute=20)
    one = {"method": "POST", "path": "/v1/contacts", "body": {"name": "A"}}
    Agent(key).done("carry_out_batch", body={"operations": [one] * 15})
    assert key.last.headers["X-RateLimit-Remaining"] == "5"
    Agent(key).refused("rate_limited", "carry_out_batch", body={"operations": [one] * 15})
