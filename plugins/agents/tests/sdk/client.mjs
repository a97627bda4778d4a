// A client of the Model Context Protocol: lists the tools, calls one, and reads an error. Prints what it got as JSON.
// Of the two packages, `sdk` begins with a handshake, and `client` speaks 2026-07-28 if it is told to.
const [url, key, name, version] = process.argv.slice(2);
const modern = name === "client" ? await import("@modelcontextprotocol/client") : null;
const { Client } = modern ?? (await import("@modelcontextprotocol/sdk/client/index.js"));
const { StreamableHTTPClientTransport } =
  modern ?? (await import("@modelcontextprotocol/sdk/client/streamableHttp.js"));
const client = new Client(
  { name: "test", version: "1.0.0" },
  version === "2026-07-28" ? { versionNegotiation: { mode: { pin: version } } } : {},
);
const headers = { Authorization: `Bearer ${key}` };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const { tools } = await client.listTools();
const made = await client.callTool({ name: "create_contact", arguments: { body: { name: "Ada" } } });
const wrong = await client.callTool({ name: "create_contact", arguments: { body: { name: "" } } });
const told = {
  server: client.getServerVersion().name,
  version: client.getNegotiatedProtocolVersion?.() ?? null,
  tools: tools.map((tool) => tool.name),
  made: made.structuredContent,
  is_error: wrong.isError,
  error: wrong.structuredContent,
};
await client.close();
console.log(JSON.stringify(told));
