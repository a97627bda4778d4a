// A client of the Model Context Protocol: lists the tools, calls one, and reads an error, a resource and a prompt.
// Prints what it got as JSON.
// Of the two packages, `sdk` begins with a handshake, and `client` speaks 2026-07-28 if it is told to.
const [url, key, name, version] = process.argv.slice(2);
const modern = name === "client" ? await import("@modelcontextprotocol/client") : null;
const { Client } = modern ?? (await import("@modelcontextprotocol/sdk/client/index.js"));
const { StreamableHTTPClientTransport } =
  modern ?? (await import("@modelcontextprotocol/sdk/client/streamableHttp.js"));
const client = new Client(
  { name: "test", version: "1.0.0" },
  version === "2026-07-28"
    ? { versionNegotiation: { mode: { pin: version } }, capabilities: { elicitation: { form: {} } } }
    : {},
);
// The person in front of the client fills in each form.
if (version === "2026-07-28")
  client.setRequestHandler("elicitation/create", async ({ params }) => ({
    action: "accept",
    content: Object.fromEntries(params.requestedSchema.required.map((name) => [name, "Grace"])),
  }));
const headers = { Authorization: `Bearer ${key}` };
await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
const { tools } = await client.listTools();
const made = await client.callTool({ name: "create_contact", arguments: { body: { name: "Ada" } } });
const wrong = await client.callTool({ name: "create_contact", arguments: { body: { name: "" } } });
const { contents } = await client.readResource({ uri: `billycan://${made.structuredContent.id}` });
const chasing = "chase_overdue_invoices";
const { messages } = await client.getPrompt({ name: chasing, arguments: { client: "Ada" } });
const picture = (await client.callTool({ name: "call_tool", arguments: { name: "test_image_content" } })).content[0];
const form =
  version === "2026-07-28" ? await client.getPrompt({ name: "test_input_required_result_prompt" }) : null;
const argument = { name: "client", value: "a" };
const { completion } = await client.complete({ ref: { type: "ref/prompt", name: chasing }, argument });
const told = {
  server: client.getServerVersion().name,
  version: client.getNegotiatedProtocolVersion?.() ?? null,
  tools: tools.map((tool) => tool.name),
  made: made.structuredContent,
  is_error: wrong.isError,
  error: wrong.structuredContent,
  read: JSON.parse(contents[0].text).data,
  resources: (await client.listResources()).resources.map((each) => each.name),
  prompts: (await client.listPrompts()).prompts.map((each) => each.name),
  prompt: messages[0].content.text,
  completed: completion.values,
  picture: [picture.type, picture.mimeType],
  filled_in: form && form.messages[0].content.text,
};
await client.close();
console.log(JSON.stringify(told));
