"""An agent for tests: a client of the protocol, in the words of each version."""

import json
from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from billycan import Context, Identity
from billycan.testing import Client

from . import policies
from .protocol import MODERN

META: Mapping[str, Any] = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


class Agent:
    """A client of POST /mcp with the key of a client of the API; `version` is the one it speaks."""

    def __init__(self, client: Client, version: str = MODERN) -> None:
        self.client, self.version = client, version

    def send(
        self,
        method: str,
        params: Mapping[str, Any] | None = None,
        status: int = 200,
        *,
        meta: Mapping[str, Any] = META,
        headers: Mapping[str, Any] | None = None,
    ) -> Any:
        """Send a message as its version has it; return the decoded answer."""
        given, sent = dict(params or {}), {"MCP-Protocol-Version": self.version}
        if self.version == MODERN:
            given["_meta"] = meta
            sent["Mcp-Method"] = method
            if method in ("tools/call", "prompts/get", "resources/read"):
                sent["Mcp-Name"] = given["uri" if method == "resources/read" else "name"]
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": given}
        return self.post(message, status, {**sent, **(headers or {})})

    def post(self, message: Any, status: int = 200, headers: Mapping[str, Any] | None = None) -> Any:
        """Post a message; return the decoded answer, None if it is empty."""
        given = {name: value for name, value in (headers or {}).items() if value is not None}
        answer = self.client.call("POST", "/mcp", message, status, given)
        return json.loads(answer.body, parse_float=Decimal) if answer.body else None

    def tools(self) -> dict[str, Any]:
        """Return the tools that are listed, by name."""
        return {tool["name"]: tool for tool in self.send("tools/list")["result"]["tools"]}

    def call(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool; return its result."""
        return self.send("tools/call", {"name": name, "arguments": arguments})["result"]

    def done(self, name: str, /, **arguments: Any) -> Any:
        """Call a tool that must succeed; return what it answered."""
        result = self.call(name, **arguments)
        assert not result["isError"], result
        return json.loads(result["content"][0]["text"], parse_float=Decimal)

    def refused(self, code: str, name: str, /, **arguments: Any) -> Any:
        """Call a tool that must be refused with this code; return the error."""
        result = self.call(name, **arguments)
        assert result["isError"] and result["structuredContent"]["code"] == code, result
        return result["structuredContent"]


def agent_of(
    client: Client, mode: Any = "limits", scopes: tuple[str, ...] = ("read", "write"), **members: Any
) -> Client:
    """Return a client with a key of its own that has a policy."""
    agent = client.key(*scopes)
    set_policy(agent, Identity.Policy(mode=mode, **members))
    return agent


def set_policy(client: Client, policy: Identity.Policy) -> None:
    """Set what a client's key may do alone, as an owner does."""
    limits: Any = {"scopes": (), "per_minute": 1, "per_second": 1}
    owner = Identity(id="usr_owner", tenant_id=client.tenant_id, environment="live", name="Owner", **limits)
    ctx = Context(client.app, client.tenant_id, owner)
    with ctx.transaction():
        policies.set_policy(ctx, client.key_id, policy)


def bill(client: Client, amount: Any, contact: str = "") -> dict[str, Any]:
    """Return the body of an invoice of this total, for a new contact if none is given."""
    contact = contact or client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    line = {"description": "Labour", "unit_price": str(amount), "gst_code": "gst_free"}
    return {"client_id": contact, "line_items": [line]}
