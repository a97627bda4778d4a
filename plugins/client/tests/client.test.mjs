/** The TypeScript client against a real server: `URL` and `KEY` are in the environment, node:test runs it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inspect } from "node:util";
import * as client from "billycan-client";
import { verify, VerificationError } from "billycan-client/webhooks";
import * as example from "./example.js";

const { KEY, URL: url, OTHER_KEY, SIGNED } = process.env;

/** A client whose requests are kept, whose first answers may be others, and whose waits take no time. */
function connect(settings = {}, key = KEY) {
  const sent = [], waits = [], instead = [];
  const api = new client.Billycan(`${url}/`, key, {
    random: () => 0.5,
    sleep: async (seconds) => void waits.push(seconds),
    fetch: async (target, request) => {
      sent.push({ path: target.slice(url.length), ...request });
      const other = instead.shift();
      return other ? other(target, request) : fetch(target, request);
    },
    ...settings,
  });
  return Object.assign(api, { sent, waits, instead });
}

const lost = (error) => async () => { throw error; };
const busy = (status, headers) => async () => new Response("<html>busy", { status, headers });

test("a week from a contact to a paid invoice", async () => {
  const api = connect();
  const invoice = await example.week(api);
  // 1100.00 - 10 % + 3 x 95.50, and 10 % GST of it
  assert.deepEqual([invoice.status, invoice.total, invoice.amount_due], ["paid", 1404.15, 0]);
  assert.equal(invoice.external_id, "job 7");
  const contact = await api.contacts.get(invoice.client_id);
  assert.deepEqual([contact.billing_address.line1, contact.billing_address.suburb], ["14 Salamanca Place", "Hobart"]);
  const other = await api.invoices.create({ client_id: contact.id, line_items: [example.labour("0.1")] });
  assert.equal(await example.outcome(api, other.id), "invalid_state_transition, but one may send, pay, duplicate");
  await api.invoices.send(other.id);
  assert.equal((await example.owed(api)).get("Salamanca Bakery"), 1051);
  assert.equal(await example.outcome(api, other.id), "void");
  assert.equal(await example.outcome(api, "inv_nope"), "gone");
});

test("lists are lazy and whole", async () => {
  const api = connect();
  const made = [];
  for (let n = 0; n < 7; n++) {
    made.push((await api.contacts.create({ name: `Contact ${n}`, metadata: { odd: `${n % 2}` }, tags: ["list"] })).id);
  }
  api.sent.length = 0;
  const listing = api.contacts.list({ tag: "list", per_page: 3, sort: "name" });
  assert.equal(api.sent.length, 0);
  const found = [];
  for await (const contact of listing) {
    found.push(contact.id);
    if (found.length === 3) {
      assert.equal(api.sent.length, 1);
      await api.contacts.create({ name: "Aaron", tags: ["list"] });
    }
  }
  assert.deepEqual(found, made, "a row added meanwhile repeats none");
  assert.equal((await listing.all()).length, 8, "each loop starts anew");
  const sizes = [];
  for await (const page of listing.pages()) sizes.push(page.data.length);
  assert.deepEqual(sizes, [3, 3, 2]);
  assert.equal((await listing.first()).name, "Aaron");
  assert.equal(await listing.total(), 8);
  assert.equal(await api.contacts.list({ metadata: { odd: "1" }, tag: "list" }).total(), 3);
  assert.equal((await api.contacts.list({ tag: "list", page: 2, per_page: 3, sort: "name" }).all()).length, 5);
  assert.equal(await api.contacts.list({ status: ["active", "archived"], tag: "list" }).total(), 8);
  assert.equal(await api.contacts.list({ search: "nobody" }).first(), undefined);
});

test("each error is a class of its own, with its code", async () => {
  const api = connect();
  const ada = await api.contacts.create({ name: "Ada" });
  await api.contacts.update(ada.id, { name: "Ada B" });
  const refused = async (kind, status, code, call) => {
    const error = await call().then(() => assert.fail(code), (error) => error);
    assert.deepEqual([error.constructor, error.name, error.status, error.code], [kind, kind.name, status, code]);
    assert.ok(error instanceof client.BillycanError && error.requestId && error.message.includes(error.requestId));
    return error;
  };
  await refused(client.InvalidRequest, 400, "invalid_sort", () => api.contacts.list({ sort: "colour" }).first());
  await refused(client.Unauthenticated, 401, "invalid_api_key", () => connect({}, "svc_test_nonsense").me.get());
  const scope = await refused(client.Forbidden, 403, "insufficient_scope", () =>
    connect({}, OTHER_KEY).contacts.get(ada.id));
  assert.equal(scope.requiredScope, "contacts:read");
  await refused(client.NotFound, 404, "resource_not_found", () => api.contacts.get("con_none"));
  await refused(client.NotFound, 404, "route_not_found", () => api.contacts.get("../me?x=/#"));
  assert.equal(api.sent.at(-1).path, "/v1/contacts/..%2Fme%3Fx%3D%2F%23");
  await refused(client.VersionConflict, 412, "version_conflict", () => api.contacts.delete(ada.id, { ifMatch: 1 }));
  const invalid = await refused(client.Invalid, 422, "validation_failed", () =>
    api.contacts.create({ name: "", email: "no" }));
  assert.deepEqual(invalid.details.map((fault) => [fault.param, fault.code]),
    [["name", "required"], ["email", "invalid_value"]]);
  assert.match(invalid.message, /\nemail: /);
  for (const none of ["", ".", ".."]) assert.throws(() => api.contacts.delete(none), /is no id/);
});

test("a lost answer changes nothing twice", async () => {
  const api = connect();
  api.instead.push(async (target, request) => {
    await fetch(target, request);
    throw new TypeError("reset");
  });
  const made = await api.contacts.create({ name: "Once", tags: ["once"] });
  const keys = api.sent.map((request) => request.headers["Idempotency-Key"]);
  assert.ok(keys.length === 2 && keys[0] && keys[0] === keys[1]);
  assert.equal(await api.contacts.list({ tag: "once" }).total(), 1);
  assert.equal(api.sent.at(-1).headers["Idempotency-Key"], undefined);
  const key = { idempotencyKey: `line 7 of ${made.id}` };
  const first = await api.contacts.create({ name: "Bob" }, key);
  assert.equal((await api.contacts.create({ name: "Bob" }, key)).id, first.id);
});

test("what may pass is tried again, later and later, and what may not is not", async () => {
  const api = connect();
  api.instead.push(busy(503, { "Retry-After": "2" }), busy(429), lost(new TypeError("refused")));
  assert.equal((await api.me.get()).environment, "live");
  assert.deepEqual(api.waits, [2.25, 0.5, 1]);
  api.instead.push(...Array(4).fill(lost(new TypeError("refused"))));
  await assert.rejects(api.me.get(), (error) => error instanceof client.ConnectionFailed && error.status === null);
  api.instead.push(busy(500));
  await assert.rejects(api.me.get(), (error) => error instanceof client.UnexpectedAnswer && error.status === 500);
  api.instead.push(busy(429, { "Retry-After": "61" }));
  await assert.rejects(api.me.get(), (error) => error.retryAfter === 61);
  const wait = { type: "conflict", code: "idempotency_in_progress", message: "Wait." };
  api.instead.push(async () => Response.json({ data: null, pagination: null, error: wait }, { status: 409 }));
  assert.equal((await api.contacts.create({ name: "Ada" })).name, "Ada");
  for (const text of ["", "<html>", "{}", "[]", "null"]) {
    api.instead.push(async () => new Response(text));
    await assert.rejects(api.me.get(), client.UnexpectedAnswer);
  }
  assert.equal(api.instead.length, 0);
});

test("a call ends when its signal says so, and an attempt when its time is up", async () => {
  const aborted = AbortSignal.abort(new Error("enough"));
  const api = connect({ retries: 0, timeoutSeconds: 0.05 });
  await assert.rejects(api.me.get({ signal: aborted }), /enough/);
  const open = setTimeout(() => {}, 60_000); // as a socket would, it keeps the process alive
  api.instead.push((_, { signal }) => new Promise((_, reject) => (signal.onabort = () => reject(signal.reason))));
  await assert.rejects(api.me.get(), (error) => error instanceof client.ConnectionFailed && /Timeout/.test(error.message));
  clearTimeout(open);
  const ends = new AbortController();
  const waiting = new client.Billycan(url, KEY, { fetch: async () => (ends.abort(), new Response("", { status: 503 })) });
  await assert.rejects(waiting.me.get({ signal: ends.signal }), /abort/);
});

test("what is no JSON is bytes", async () => {
  const api = connect();
  const ada = await api.contacts.create({ name: "Ada" });
  const made = await api.attachments.add(new Blob(["%PDF-1.4\n%%EOF"]), { resource: ada.id, filename: "a.pdf" });
  assert.equal(made.content_type, "application/pdf");
  assert.equal(new TextDecoder().decode(await api.attachments.getContent(made.id)), "%PDF-1.4\n%%EOF");
  const csv = await api.invoices.summariseAsCsv();
  assert.match(new TextDecoder().decode(csv), /^[a-z_]+,/);
});

test("a token may be fetched anew for each request", async () => {
  let asked = 0;
  const api = connect({}, async () => (asked++, KEY));
  await api.me.get();
  await api.me.get();
  assert.equal(asked, 2);
});

test("the key is never shown", async () => {
  const api = new client.Billycan(url, KEY, { retries: 0, fetch: lost(new TypeError("refused")) });
  const error = await api.me.get().catch((error) => error);
  const seen = inspect([api, api.contacts, error], { depth: 9, showHidden: true }) + JSON.stringify(api) + error.stack;
  assert.ok(error instanceof client.ConnectionFailed && !seen.includes(KEY));
});

test("deliveries are verified", async () => {
  const { secret, headers, body, now } = JSON.parse(SIGNED);
  const at = { now: () => now * 1000 };
  const event = await verify(secret, headers, body, at);
  assert.deepEqual([event.event, event.id, event.environment], ["contact.created", "evt_1", "sandbox"]);
  assert.equal(event.data.name, "Ada");
  const bytes = new TextEncoder().encode(body);
  assert.equal((await verify(secret, new Headers(headers), bytes, at)).id, "evt_1");
  const two = { ...headers, "webhook-signature": `v1,eA== v2,x ${headers["webhook-signature"]}` };
  assert.equal((await verify(secret, two, bytes.buffer, at)).id, "evt_1");
  const changed = (name, value) => ({ ...headers, [name]: value });
  for (const [wrong, text] of [
    [headers, `${body} `],
    [changed("webhook-id", "evt_2"), body],
    [changed("webhook-timestamp", `${now + 1}`), body],
    [changed("webhook-timestamp", "soon"), body],
    [changed("webhook-signature", ""), body],
    [changed("webhook-signature", "v1,"), body],
    [changed("webhook-signature", "v1,ünïcode"), body],
    [changed("webhook-signature", headers["webhook-signature"].replace("v1,", "v2,")), body],
    [{}, body],
  ]) {
    await assert.rejects(verify(secret, wrong, text, at), VerificationError);
  }
  for (const away of [-301, 301]) {
    const later = { now: () => (now + away) * 1000 };
    await assert.rejects(verify(secret, headers, body, later), /too old or from the future/);
    assert.equal((await verify(secret, headers, body, { ...later, toleranceSeconds: 400 })).id, "evt_1");
  }
  const hidden = await verify("whsec_not*base64", headers, body, at).catch((error) => error);
  assert.ok(hidden instanceof TypeError && !hidden.message.includes("not*"));
});
