/** An invoice and its PDF by the functions of @hey-api/openapi-ts. */

import { client } from "./hey/client.gen";
import { createContact, createInvoice, getInvoiceAsPdf } from "./hey/sdk.gen";

declare const process: { env: Record<string, string> };

client.setConfig({ baseUrl: process.env.URL, auth: process.env.KEY });

async function main(): Promise<void> {
  const contact = await createContact({ body: { name: "Ada" }, throwOnError: true });
  const line_items = [{ description: "Labour", unit_price: "95.50" }];
  const body = { client_id: contact.data.data.id, line_items };
  const invoice = await createInvoice({ body, throwOnError: true });
  const { status, total, id } = invoice.data.data;
  const paper = await getInvoiceAsPdf({ path: { id }, throwOnError: true });
  const file: Blob | File = paper.data;
  console.log(status, total, (await file.text()).slice(0, 4));
}

void main();
