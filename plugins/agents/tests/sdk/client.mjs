// A client of the Model Context Protocol: lists the tools, calls one, and reads an error. Prints what it got as JSON.
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const [url, key] = process.argv.slice(2);
const client = new Client({ name: "test", version: "1.0.0" });
const headers = { Authorization: `Bearer ${key}` };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const { tools } = await client.listTools();
const made = await client.callTool({ name: "create_contact", arguments: { body: { name: "Ada" } } });
const wrong = await client.callTool({ name: "create_contact", arguments: { body: { name: "" } } });
if (!wrong.isError) throw new Error("an error was expected");
const told = {
  server: client.getServerVersion().name,
  tools: tools.map((tool) => tool.name),
  made: made.structuredContent,
  error: wrong.structuredContent,
};
await client.close();
console.log(JSON.stringify(told));
