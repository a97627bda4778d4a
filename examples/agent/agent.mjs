// An agent like agent.py, with the public package `@modelcontextprotocol/client`:
//
//     npm install --no-save @modelcontextprotocol/client
//     BILLYCAN_KEY=svc_test_… node agent.mjs
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

const url = new URL("/mcp", process.env.BILLYCAN_URL ?? "http://127.0.0.1:8000");
const headers = { Authorization: `Bearer ${process.env.BILLYCAN_KEY}` };
const client = new Client({ name: "agent", version: "1.0.0" });
await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }));

/** Call a tool, print what happened, and return what it answered, or null if it was refused. */
async function call(name, args) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const answer = JSON.parse(content[0].text);
  console.log(`${name}: ${isError ? `${answer.code}: ${answer.message}` : "done"}`);
  if (answer.approval_url) console.log(`  to be approved at ${answer.approval_url}`);
  return isError ? null : answer;
}

const { tools } = await client.listTools();
console.log(`${tools.length} tools: ${tools.map((tool) => tool.name).join(", ")}`);
const [contact] = (await call("list_contacts", { per_page: 1, fields: ["name"] })) ?? [];
if (contact) {
  const line = { description: "Replace tap washers", quantity: 2, unit_price: "45.00" };
  const invoice = await call("create_invoice", { body: { client_id: contact.id, line_items: [line] } });
  if (invoice) console.log(`  ${invoice.number} for ${contact.name}: ${invoice.total.toFixed(2)}`);
}
await client.close();
