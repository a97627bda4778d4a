"""An agent that uses the API's tools by the Model Context Protocol, with the public package `mcp`.

    pip install mcp
    BILLYCAN_KEY=svc_test_… python examples/agent/agent.py --url http://127.0.0.1:8000

It contains nothing of billycan but the address. Instead of a model, it follows a plan: it looks for a client, drafts an
invoice, and says what has to be approved. With `--wait` it also says what was decided.
"""

import argparse
import asyncio
import json
import os
from typing import Any

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client


async def call(client: Any, name: str, *, waits: bool, **arguments: Any) -> Any:
    """Call a tool, print what happened, and return what it answered, or None if it was refused."""
    result = await client.call_tool(name, arguments)
    answer = json.loads(result.content[0].text)
    if not result.is_error:
        print(f"{name}: done")
        return answer
    print(f"{name}: {answer['code']}: {answer['message']}")
    if url := answer.get("approval_url"):
        print(f"  to be approved at {url}")
        if waits:
            print(f"  {await decided(client, answer['proposal_id'])}")
    return None


async def decided(client: Any, proposal_id: str) -> str:
    """Wait until somebody has decided a proposal, and return what became of it."""
    while True:
        result = await client.call_tool("get_proposal", {"id": proposal_id})
        proposal = json.loads(result.content[0].text)
        if result.is_error or proposal["status"] != "pending":
            return str(proposal["message"] if result.is_error else proposal["status"])
        await asyncio.sleep(2)


async def work(url: str, key: str, *, waits: bool) -> None:
    headers = {"Authorization": f"Bearer {key}"}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        tools = await client.list_tools()
        print(f"{len(tools.tools)} tools: {', '.join(tool.name for tool in tools.tools)}")
        found = await call(client, "list_contacts", waits=waits, per_page=1, fields=["name"])
        if not found:
            return
        line = {"description": "Replace tap washers", "quantity": 2, "unit_price": "45.00"}
        body = {"client_id": found[0]["id"], "line_items": [line]}
        invoice = await call(client, "create_invoice", waits=waits, body=body)
        if invoice:
            print(f"  {invoice['number']} for {found[0]['name']}: {invoice['total']}")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://127.0.0.1:8000")
    parser.add_argument("--wait", action="store_true", help="wait until somebody has decided what has to be approved")
    given = parser.parse_args()
    asyncio.run(work(given.url, os.environ["BILLYCAN_KEY"], waits=given.wait))
