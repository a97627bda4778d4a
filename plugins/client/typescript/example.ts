/** A plumber's week with the client: sample code that `tsc --strict` checks and a test runs against the API. */

import { Billycan, Conflict, Invalid, NotFound, type Amount } from "billycan-client";
import type { Contact, Invoice, LineChange, NewLine } from "billycan-client/models";
import { verify } from "billycan-client/webhooks";

/** Go from a contact to a paid invoice. */
export async function week(api: Billycan): Promise<Invoice> {
  const address = { line1: "12 Salamanca Place", suburb: "Hobart", state: "TAS", postcode: "7000" } as const;
  let bakery: Contact = await api.contacts.create({ name: "Salamanca Bakery", billing_address: address, tags: ["north"] });
  const moved = { billing_address: { line1: "14 Salamanca Place" }, notes: null };
  bakery = await api.contacts.update(bakery.id, moved, { ifMatch: bakery.version });

  const unit = { description: "Hot water unit", unit_price: "1100.00" };
  let quote = await api.quotes.create({
    client_id: bakery.id,
    title: "New hot water",
    line_items: [unit, labour("2.5")],
  });
  quote = await api.quotes.send(quote.id);
  quote = await api.quotes.accept(quote.id, { name: "Ada Baker" }, { ifMatch: quote.version });
  await api.quotes.convert(quote.id, { to: "invoice" });

  const draft = await api.invoices.list({ quote_id: quote.id, include: "line_items" }).first();
  if (draft === undefined) throw new Error(quote.id);
  const [first] = (await api.invoices.get(draft.id)).line_items;
  const kept: LineChange = { id: first!.id, discount_percent: "10" };
  await api.invoices.update(draft.id, { line_items: [kept, labour(3)], external_id: "job 7" });

  const sent = await api.invoices.send(draft.id);
  const invoice = await api.invoices.addPayment(sent.id, { amount: "404.15", payment_method: "card" });
  return api.invoices.addPayment(invoice.id, { amount: invoice.amount_due, payment_method: "bank_transfer" });
}

export function labour(hours: Amount): NewLine {
  return { description: "Labour", quantity: hours, unit: "hour", unit_price: "95.50" };
}

/** Sum the amount due of each client, over all pages, in cents: a sum of floats would not be exact. */
export async function owed(api: Billycan): Promise<Map<string, number>> {
  const cents = new Map<string, number>();
  for await (const invoice of api.invoices.list({ status: ["sent", "partially_paid"], sort: "due_date" })) {
    const { name } = invoice.client;
    cents.set(name, (cents.get(name) ?? 0) + Math.round(invoice.amount_due * 100));
  }
  return cents;
}

/** Void an invoice, and describe the result. */
export async function outcome(api: Billycan, id: string): Promise<string> {
  try {
    return (await api.invoices.void(id, { reason: "Entered twice" })).status;
  } catch (error) {
    if (error instanceof NotFound) return "gone";
    if (error instanceof Conflict && error.code === "has_payments") return "partly paid";
    if (error instanceof Conflict) return `${error.code}, but one may ${error.allowedActions.join(", ")}`;
    if (error instanceof Invalid) return error.details.map((fault) => `${fault.param}: ${fault.message}`).join("; ");
    throw error;
  }
}

/** Describe a webhook delivery. */
export async function heard(secret: string, headers: Headers, body: string): Promise<string> {
  const event = await verify(secret, headers, body);
  switch (event.event) {
    case "invoice.paid":
      return `${event.data.number} was paid`;
    case "quote.accepted":
      return `${event.data.number} was accepted by ${event.data.accepted_by}`;
    case "contact.created":
      return `${event.data.name} was added`;
    default:
      return event.event;
  }
}

/** Mistakes that the type checker must report: one that it does not is an error of its own. */
export function refused(api: Billycan): unknown[] {
  return [
    // @ts-expect-error: a contact has a name
    () => api.contacts.create({}),
    // @ts-expect-error: there is no such member
    () => api.contacts.create({ name: "Ada", colour: "blue" }),
    // @ts-expect-error: there is no such status
    () => api.invoices.list({ status: ["payed"] }),
    // @ts-expect-error: there is no such way to pay
    () => api.invoices.pay("inv_1", { payment_method: 7 }),
    // @ts-expect-error: only what shows a version takes one
    () => api.attachments.delete("att_1", { ifMatch: 1 }),
    // @ts-expect-error: there is no such member
    (invoice: Invoice) => invoice.colour,
  ];
}
