"""A client of the Model Context Protocol, with the package `mcp`: does what client.mjs does."""

import asyncio
import json
import sys

import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.types import ElicitResult, PromptReference


async def fill_in(context, params):
    """Answer a form as the person in front of a client does."""
    return ElicitResult(action="accept", content=dict.fromkeys(params.requested_schema["required"], "Grace"))


async def main(url, key, mode):
    async with (
        httpx2.AsyncClient(headers={"Authorization": f"Bearer {key}"}, timeout=30) as http,
        Client(streamable_http_client(url, http_client=http), mode=mode, elicitation_callback=fill_in) as client,
    ):
        tools = (await client.list_tools()).tools
        made = await client.call_tool("create_contact", {"body": {"name": "Ada"}})
        wrong = await client.call_tool("create_contact", {"body": {"name": ""}})
        resource = await client.read_resource(f"billycan://{made.structured_content['id']}")
        chasing = "chase_overdue_invoices"
        prompt = await client.get_prompt(chasing, {"client": "Ada"})
        picture = (await client.call_tool("call_tool", {"name": "test_image_content"})).content[0]
        form = await client.get_prompt("test_input_required_result_prompt") if mode != "legacy" else None
        completed = await client.complete(PromptReference(name=chasing), {"name": "client", "value": "a"})
        told = {
            "server": client.server_info.name if client.server_info else "billycan",
            "version": client.protocol_version,
            "tools": [tool.name for tool in tools],
            "made": made.structured_content,
            "is_error": wrong.is_error,
            "error": wrong.structured_content,
            "read": json.loads(resource.contents[0].text)["data"],
            "resources": [each.name for each in (await client.list_resources()).resources],
            "prompts": [each.name for each in (await client.list_prompts()).prompts],
            "prompt": prompt.messages[0].content.text,
            "completed": completed.completion.values,
            "picture": [picture.type, picture.mime_type],
            "filled_in": form and form.messages[0].content.text,
        }
    print(json.dumps(told))


asyncio.run(main(*sys.argv[1:]))
