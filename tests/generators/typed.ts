/** An invoice with the types of openapi-typescript, whose defaults make a member with a `default` one that must be sent. */

import type { paths } from "./billycan";

type Sent<Path extends "/v1/contacts" | "/v1/invoices"> =
  paths[Path]["post"]["requestBody"]["content"]["application/json"];
type Made<Path extends "/v1/contacts" | "/v1/invoices"> =
  paths[Path]["post"]["responses"][201]["content"]["application/json"]["data"];

declare const process: { env: Record<string, string> };

async function create<Path extends "/v1/contacts" | "/v1/invoices">(path: Path, body: Sent<Path>): Promise<Made<Path>> {
  const headers = { Authorization: `Bearer ${process.env.KEY}`, "Content-Type": "application/json" };
  const answer = await fetch(process.env.URL + path, { method: "POST", headers, body: JSON.stringify(body) });
  return (await answer.json()).data;
}

async function main(): Promise<void> {
  const contact = await create("/v1/contacts", { name: "Ada" });
  const line_items = [{ description: "Labour", unit_price: "95.50" }];
  const invoice = await create("/v1/invoices", { client_id: contact.id, line_items });
  console.log(invoice.status, invoice.total);
}

void main();
