/** A few calls as one would write them, with fetch and the generated types; the suite checks them with `tsc --strict`. */

import type { components, operations, paths, webhooks } from "./billycan";

type Schemas = components["schemas"];

type Invoices = Schemas["ListedInvoice"][];
type InvoiceQuery = NonNullable<operations["list_invoices"]["parameters"]["query"]>;
type NewInvoice = paths["/v1/invoices"]["post"]["requestBody"]["content"]["application/json"];
type InvoicePaid = webhooks["invoice.paid"]["post"]["requestBody"]["content"]["application/json"];

const URL = "https://api.example.com";

async function call<T>(key: string, method: string, path: string, body?: unknown): Promise<T> {
  const response = await fetch(URL + path, {
    method,
    headers: { Authorization: `Bearer ${key}`, "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  const envelope: { data: T } | Schemas["ErrorEnvelope"] = await response.json();
  if ("error" in envelope && envelope.error) throw new Error(`${envelope.error.code}: ${envelope.error.message}`);
  return envelope.data as T;
}

export async function bill(key: string, clientId: string): Promise<string> {
  // Money is sent as a string: a JavaScript number would be a binary float.
  const invoice: NewInvoice = { client_id: clientId, line_items: [{ description: "Labour", unit_price: "95.50" }] };
  const made = await call<Schemas["Invoice"]>(key, "POST", "/v1/invoices", invoice);
  return made.number;
}

export async function owed(key: string): Promise<number> {
  const query: InvoiceQuery = { status: ["sent", "partially_paid"], sort: "due_date", per_page: 100 };
  const parameters = new URLSearchParams(Object.entries(query).map(([name, value]) => [name, String(value)]));
  const invoices = await call<Invoices>(key, "GET", `/v1/invoices?${parameters}`);
  return invoices.reduce((cents, invoice) => cents + Math.round(invoice.amount_due * 100), 0) / 100;
}

export function thanks(event: InvoicePaid): string {
  return `${event.data.number}: ${event.data.total} by ${event.data.payment_method ?? "unknown means"}`;
}

export function refused(): unknown[] {
  return [
    // @ts-expect-error: there is no such GST code
    { client_id: "con_1", line_items: [{ description: "Labour", unit_price: "1.00", gst_code: "VAT" }] } satisfies NewInvoice,
    // @ts-expect-error: there is no such status
    { status: ["payed"] } satisfies InvoiceQuery,
    // @ts-expect-error: there is no such member
    (invoice: Schemas["Invoice"]) => invoice.colour,
  ];
}
