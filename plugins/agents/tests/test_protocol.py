"""The Model Context Protocol as each version has it: messages, headers, versions and what is refused."""

import pytest

from billycan.testing import Client
from billycan_agents.protocol import HANDSHAKE, MODERN, SUPPORTED
from billycan_agents.testing import META, Agent

pytestmark = pytest.mark.either


@pytest.fixture(params=[MODERN, *HANDSHAKE])
def agent(request, client):
    return Agent(client, request.param)


def test_a_client_begins_as_its_version_has_it_and_calls_a_tool(agent):
    if agent.version == MODERN:
        found = agent.send("server/discover")["result"]
        assert found["supportedVersions"] == [MODERN, *HANDSHAKE] and found["resultType"] == "complete"
        assert found["ttlMs"] >= 0 and found["cacheScope"] == "public" and "tools" in found["capabilities"]
        assert found["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "billycan"
    else:
        begun = {"protocolVersion": agent.version, "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
        found = agent.send("initialize", begun, headers={"MCP-Protocol-Version": None})["result"]
        assert found["protocolVersion"] == agent.version and found["serverInfo"]["name"] == "billycan"
        assert agent.post({"jsonrpc": "2.0", "method": "notifications/initialized"}, 202) is None
        assert agent.send("ping")["result"] == {}
        assert "mcp-session-id" not in {name.lower() for name in agent.client.last.headers}
    assert "never an instruction" in found["instructions"]
    listed = agent.send("tools/list")["result"]
    assert [tool["name"] for tool in listed["tools"]] == sorted(tool["name"] for tool in listed["tools"])
    assert ("ttlMs" in listed, listed.get("cacheScope")) == (
        (True, "private") if agent.version == MODERN else (False, None)
    )
    made = agent.done("create_contact", body={"name": "Ada"})
    assert agent.client.get(f"/v1/contacts/{made['id']}")["data"] == made
    result = agent.call("list_contacts", fields=["name"])
    assert agent.done("list_contacts", fields=["name"]) == [{"id": made["id"], "name": "Ada"}]
    # Of a list, only the newest version has it as a value.
    assert ("structuredContent" in result) == (agent.version == MODERN)
    assert '"total":1' in result["content"][1]["text"]


def test_another_version_is_refused_with_those_that_are_spoken(client):
    agent = Agent(client)
    meta = {**META, "io.modelcontextprotocol/protocolVersion": "1900-01-01"}
    header = {"MCP-Protocol-Version": "1900-01-01"}
    error = agent.send("tools/list", status=400, meta=meta, headers=header)["error"]
    assert error["code"] == -32022 and error["data"] == {"supported": [*SUPPORTED], "requested": "1900-01-01"}
    for more in ({"meta": meta}, {"headers": header}):  # what is refused first is that they differ
        assert agent.send("tools/list", status=400, **more)["error"]["code"] == -32020
    found = agent.post({"jsonrpc": "2.0", "id": 1, "method": "tools/list"}, 400, {"MCP-Protocol-Version": "2027-01-01"})
    assert found["error"]["code"] == -32022
    begun = {"protocolVersion": "2024-11-05", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    found = agent.post({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": begun})
    assert found["result"]["protocolVersion"] == HANDSHAKE[0]


@pytest.mark.parametrize(
    "headers",
    [
        {"Mcp-Method": None},
        {"Mcp-Method": "tools/list"},
        {"Mcp-Name": None},
        {"Mcp-Name": "delete_contact"},
        {"Mcp-Name": "=?base64?eA==?="},
        {"Mcp-Name": "=?base64?!?="},
        {"MCP-Protocol-Version": None},
    ],
)
def test_headers_that_differ_from_the_body_are_refused(client, headers):
    agent = Agent(client)
    given = {"name": "create_contact", "arguments": {"body": {"name": "Ada"}}}
    error = agent.send("tools/call", given, 400, headers=headers)["error"]
    assert error["code"] == -32020 and client.get("/v1/contacts")["data"] == []
    agent.send("tools/call", given, headers={"Mcp-Name": "=?base64?Y3JlYXRlX2NvbnRhY3Q=?="})
    assert len(client.get("/v1/contacts")["data"]) == 1


def test_messages_that_are_none_are_refused(client):
    agent = Agent(client)
    for raw, code in ((b"{", -32700), (b"[]", -32600), (b"null", -32600), (b'{"method": "ping", "id": 1}', -32600)):
        answer = client.call("POST", "/mcp", raw=raw, status=400)
        assert answer.json["error"]["code"] == code and answer.json["jsonrpc"] == "2.0"
    assert client.call("POST", "/mcp", raw=b"{}", status=415, headers={"Content-Type": "text/plain"})
    deep = b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": ' + b"[" * 100_000
    assert client.call("POST", "/mcp", raw=deep, status=400).json["error"]["code"] == -32700
    error = agent.refused("payload_too_large", "create_contact", body={"name": "Ada", "notes": [[]] * 20_000})
    assert "20,000 lists" in error["message"]
    assert agent.send("tools/list", status=400, meta={**META, "io.modelcontextprotocol/clientCapabilities": None})
    assert agent.send("resources/subscribe", status=404)["error"]["code"] == -32601
    assert agent.send("ping", status=404)["error"]["code"] == -32601  # 2026-07-28 has none
    assert agent.send("initialize", status=404)["error"]["code"] == -32601
    older = Agent(client, HANDSHAKE[0])
    assert older.send("resources/subscribe")["error"]["code"] == -32601
    assert older.send("tools/call", {"name": "drop_tables"})["error"] == {
        "code": -32602,
        "message": "Unknown tool: drop_tables",
    }
    for method in ("GET", "DELETE", "PUT"):
        assert client.call(method, "/mcp", status=405).headers["Allow"]


def test_a_page_of_another_site_is_refused_before_its_key_is_looked_at(client):
    agent = Agent(client)
    for origin in ("https://evil.example", "null", "http://127.0.0.1:8001", "http://127.0.0.1:8000.evil.example"):
        assert agent.send("tools/list", status=403, headers={"Origin": origin})["error"]
    assert agent.send("tools/list", headers={"Origin": client.app.public_url})["result"]["tools"]


def test_without_a_key_it_says_which_server_gives_tokens(client, make_app):
    answer = client.call("POST", "/mcp", {}, 401, {"Authorization": ""})
    resource = f"{client.app.public_url}/.well-known/oauth-protected-resource"
    scopes = "agents:read contacts:read contacts:write invoices:read invoices:write"
    assert answer.headers["WWW-Authenticate"] == f'Bearer resource_metadata="{resource}", scope="{scopes}"'
    assert answer.json["error"]["data"]["code"] == "missing_api_key"
    for path in ("", "/mcp"):
        found = client.web.get(f"/.well-known/oauth-protected-resource{path}").json
        assert found["resource"] == f"{client.app.public_url}/mcp"
        assert found["authorization_servers"] == [client.app.public_url]
        assert {"invoices:read", "invoices:write"} <= {*found["scopes_supported"]}
    alone = Client(make_app("agents", "users", "contacts"))
    assert alone.call("POST", "/mcp", {}, 401, {"Authorization": ""}).headers["WWW-Authenticate"] == "Bearer"
    alone.web.get("/.well-known/oauth-protected-resource", status=404)


def test_a_message_counts_as_a_call_of_the_api(client):
    key = client.key(per_minute=3)
    agent = Agent(key)
    for _ in range(3):
        agent.tools()
    assert key.last.headers["X-RateLimit-Remaining"] == "0"
    error = agent.send("tools/list", status=429)["error"]
    assert error["data"]["code"] == "rate_limited" and key.last.headers["Retry-After"]
    key.refused(429, "rate_limited", "GET", "/v1/contacts")
