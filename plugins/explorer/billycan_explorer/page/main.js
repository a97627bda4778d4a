// The page: endpoints on the left, the form of the chosen one, and its code and answer.

import { answerView, badge } from "./answer.js";
import { asCurl, asPython, asTypeScript, emptyDraft, missing, requestOf, send } from "./call.js";
import { button, copyButton, div, make, prose, span, tabs } from "./dom.js";
import { blame, fields } from "./form.js";
import { forgetRecords, forgetReplaced, idFor, idNamed, learn, learnExamples, listsOf, makerFor, prefixOf, targetsOf, withOwnIds } from "./ids.js";
import { currentKey, keyPlace, zoneOf } from "./key.js";
import { logOf } from "./log.js";
import { operationsOf, shapeOf } from "./spec.js";
import { tailOf } from "./tail.js";

const base = new URL(".", location.href.replace(/[?#].*/, "")).href;
const place = (id) => document.getElementById(id);
const root = document.documentElement;
const PLACES = { path: "Path", query: "Query", header: "Headers" };
const MOST_CALLS = 50;

let operations = [];
let current; // the operation shown
let isBusy = false;
let codeAs = "curl";
let drawCode = () => {};
const drafts = new Map(); // what was entered, by operation
const begun = new Map(); // what each began with, as JSON
const calls = []; // newest first
let key;

const methodTag = ({ method }) => span(`method ${method.toLowerCase()}`, method === "DELETE" ? "DEL" : method);

const short = (path) => path.replace(/^\/v1\//, "/");

/** A path that breaks between its parts. */
const pathOf = (path, tag = "span") => make(tag, { class: "path" }, path.split(/(?=\/)/).flatMap((part) => [part, make("wbr")]));

function drawEndpoints() {
  const wanted = place("search").value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = ({ method, path, summary, id, tag }) => `${method} ${path} ${summary} ${id} ${tag}`.toLowerCase();
  const found = operations.filter((operation) => wanted.every((word) => text(operation).includes(word)));
  const link = (operation) => {
    const isCurrent = operation === current && "page";
    const members = { href: `#${operation.id}`, "aria-current": isCurrent, title: operation.summary };
    return make("li", {}, make("a", members, methodTag(operation), pathOf(short(operation.path))));
  };
  const groups = [...new Set(found.map(({ tag }) => tag))].map((tag) => {
    const own = found.filter((operation) => operation.tag === tag);
    const open = wanted.length > 0 || tag === (current ?? found[0]).tag;
    return make("details", { open }, make("summary", {}, tag.replaceAll("_", " "), span("count", String(own.length))), make("ul", {}, own.map(link)));
  });
  const none = make("p", { class: "empty" }, "No endpoint matches.");
  place("endpoints").replaceChildren(...(groups.length ? groups : [none]));
}

/** Move by arrow keys from link to link, and from the search into the links. */
function moveInNav(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const links = [...place("endpoints").querySelectorAll("details[open] a")];
  if (event.target === place("search") && event.key === "Enter") links[0]?.click();
  if (!step || !links.length) return;
  event.preventDefault();
  const next = links.indexOf(document.activeElement) + step;
  (links[next] ?? (next < 0 ? place("search") : links[links.length - 1])).focus();
}

function draftOf(operation) {
  if (!drafts.has(operation.id)) {
    const draft = emptyDraft();
    fillPath(operation, draft);
    if (takesBody(operation.body)) draft.body = written(startOf(operation, draft), operation);
    else if (operation.body?.isFile) draft.body = operation.body.examples[0]?.[1] ?? "";
    fillQuery(operation, draft);
    drafts.set(operation.id, draft);
    begun.set(operation.id, JSON.stringify(draft));
  }
  const draft = drafts.get(operation.id);
  fillPath(operation, draft);
  return draft;
}

function fillPath(operation, draft) {
  const example = operation.body?.examples[0]?.[1];
  for (const name of Object.keys(operation.sections.path.properties)) draft.path[name] ??= idFor(operation, name, example);
}

/** The calls before an operation's own, which make the record that its path lacks, as `{operation, draft}`. */
function before(operation, draft, after = []) {
  const maker = currentKey() && makerFor(operations, operation, missing(operation, draft));
  if (!maker || after.includes(maker)) return [];
  const step = { operation: maker, draft: draftOf(maker) };
  return [...before(maker, step.draft, [...after, maker]), step];
}

/** Values of a query: examples, and of required members a choice, one of the business's ids, or today. */
function fillQuery({ sections }, draft) {
  const { properties, required } = sections.query;
  for (const [name, given] of Object.entries(properties)) {
    const { kind, options, example } = shapeOf(given);
    const today = kind === "date" && new Date().toLocaleDateString("sv", { timeZone: zoneOf() });
    const value = example ?? (required.includes(name) ? today || (options[0] ?? idNamed(name)) : undefined);
    if (value !== undefined) draft.query[name] = value;
  }
}

/** Read the business's lists, so that drafts name real records, and refill drafts that nobody changed. */
async function meet(secret) {
  forgetRecords();
  const lists = secret ? listsOf(operations) : [];
  await Promise.all(lists.map(async (operation) => {
    const { include, per_page: perPage } = operation.sections.query.properties; // some lists have no pages
    const query = [perPage && "per_page=100", include && `include=${shapeOf(include).options}`].filter(Boolean);
    const url = `${base}${operation.path.slice(1)}?${query.join("&")}`;
    const { status, text } = await send({ method: "GET", url, headers: [] }, secret);
    if (status === 200) learn(operation, JSON.parse(text).data.reverse(), true);
  }));
  for (const [id, draft] of drafts) if (JSON.stringify(draft) === begun.get(id)) drafts.delete(id);
  if (current) open(current, false);
}

/** The initial body: an example, or only an item in each list that needs one. */
function startOf(operation, draft, example = operation.body.examples[0]) {
  if (example) return withOwnIds(operation, example[1], draft.path.id, zoneOf());
  const { body } = operation;
  const lists = (body.schema.required ?? []).filter((name) => shapeOf(body.schema.properties[name]).kind === "list");
  return lists.length ? Object.fromEntries(lists.map((name) => [name, [{}]])) : undefined;
}

const takesBody = (body) => Object.keys(body?.schema.properties ?? {}).length > 0;
const written = (value, { body }) => (value === undefined ? (body.required ? "{}" : "") : JSON.stringify(value, null, 2));

function open(operation, focus = true) {
  if (operation !== current) place("answer").replaceChildren(make("p", { class: "empty" }, "Run it to see the response."));
  current = operation;
  const draft = draftOf(operation);
  const { sections } = operation;
  const run = button("Run", () => call(), { class: "run", id: "run", title: "Ctrl Enter" });
  const form = make("form", { id: "form", onsubmit: (event) => event.preventDefault() });
  for (const [name, title] of Object.entries(PLACES)) {
    if (!Object.keys(sections[name].properties).length) continue;
    const slot = { get: () => draft[name], set: (value) => ((draft[name] = value), drawCode()) };
    const inner = div("fields", fields(sections[name], slot, "", true));
    if (name === "header") form.append(...bodyOf(operation, draft));
    form.append(section(title, name === "header" && newKey(inner), inner));
  }
  if (!Object.keys(sections.header.properties).length) form.append(...bodyOf(operation, draft));
  if (!form.children.length) form.append(make("p", { class: "empty" }, "Nothing to fill in."));
  const scopes = ["Scope ", make("code", {}, operation.scopes.join(", ") || "any key")];
  const hint = span("hint", make("kbd", {}, "Ctrl Enter"), " runs it");
  place("request").replaceChildren(
    div("what", methodTag(operation), pathOf(operation.path, "h1"), run),
    div("about",
      make("p", { class: "summary" }, prose(operation.summary)),
      operation.description.split(/\n\n+/).filter(Boolean).map((text) => make("p", {}, prose(text))),
      make("p", { class: "facts" },
        operation.deprecated && span("poor", "Deprecated"), operation.secured ? scopes : "No key needed", span("grow"), hint),
      form),
  );
  document.title = `${operation.method} ${operation.path} · billycan explorer`;
  drawEndpoints();
  drawCode = codeOf(operation, draft);
  showNav(false);
  if (focus) place("request").focus({ preventScroll: true });
}

const section = (title, beside, ...children) =>
  make("section", { "aria-label": title }, div("head", make("h2", {}, title), beside), children);

/** A button that enters a new idempotency key, if the endpoint takes one. */
function newKey(inner) {
  const input = inner.querySelector('[data-param="Idempotency-Key"]');
  const enter = () => {
    input.value = [...crypto.getRandomValues(new Uint8Array(12))].map((byte) => byte.toString(16).padStart(2, "0")).join("");
    input.dispatchEvent(new Event("input"));
  };
  return input && button("New idempotency key", enter);
}

function bodyOf(operation, draft) {
  if (operation.body?.isFile) return [fileSection(draft)];
  return takesBody(operation.body) ? [bodySection(operation, draft)] : [];
}

/** A body that is a file of this machine. */
function fileSection(draft) {
  const choose = () => (([draft.file] = input.files), drawCode());
  const input = make("input", { type: "file", "aria-label": "File", oninput: choose });
  return section("Body", false, input);
}

/** The body, as a form and as JSON; each follows the other. */
function bodySection(operation, draft) {
  const { body } = operation;
  const formPanel = div("fields");
  const said = make("p", { class: "note fault", role: "status" });
  const raw = make("textarea", { class: "mono raw", rows: "14", spellcheck: "false", "aria-label": "Body as JSON" });
  const rawPanel = div("", raw, said);
  const value = () => (draft.body ? attempt(() => JSON.parse(draft.body)) : undefined);
  const isFit = () => !draft.body || (typeof (value() ?? 0) === "object" && !Array.isArray(value()));
  const slot = { get: value, set: (next) => ((draft.body = written(next, operation)), drawCode()) };
  const draw = () => {
    formPanel.replaceChildren(...fields(body.schema, slot));
    raw.value = draft.body;
  };
  raw.addEventListener("input", () => {
    draft.body = raw.value;
    said.textContent = isFit() ? "" : "Not a JSON object yet.";
    drawCode();
  });
  const choice = tabs("Body", [{ name: "Form", panel: formPanel }, { name: "JSON", panel: rawPanel, may: isFit }], draw);
  choice.select(isFit() ? 0 : 1);
  const starts = [...body.examples, ["Empty", null]];
  const start = ({ target }) => {
    const [, example] = starts[Number(target.value)];
    slot.set(startOf(operation, draft, example && starts[Number(target.value)]));
    draw();
  };
  const option = ([name], index) => make("option", { value: String(index) }, name);
  const pick = starts.length > 1 && make("select", { "aria-label": "Start from", onchange: start }, starts.map(option));
  return section("Body", [pick, choice.list], formPanel, rawPanel);
}

/** Draw the code of an operation; return a function that redraws it after a change. */
function codeOf(operation, draft) {
  const panels = [["curl", asCurl], ["Python", asPython], ["TypeScript", asTypeScript]].map(([name, write]) => {
    return { name, write, panel: make("pre", { class: "mono", tabindex: "0" }) };
  });
  const choice = tabs("Code", panels, (name) => (codeAs = name));
  const text = () => panels.find(({ name }) => name === codeAs).panel.textContent;
  const first = make("p", { class: "note" });
  const draw = () => {
    const steps = before(operation, draft);
    const requests = [...steps, { operation, draft }].map((step) => requestOf(step.operation, step.draft, base));
    for (const { write, panel } of panels) panel.textContent = write(requests, operation.secured);
    const named = steps.map((step) => `\`${step.operation.method} ${step.operation.path}\``).join(", then ");
    const uses = missing(operation, draft).length > 0;
    const then = uses ? ", then uses the record that it creates. To use an existing record, enter its id" : "";
    first.replaceChildren(...prose(`First runs ${named}${then}.`));
    first.hidden = !steps.length;
  };
  place("code").replaceChildren(div("head", choice.list, copyButton(text)), first, ...panels.map(({ panel }) => panel));
  place("code").hidden = false;
  choice.select(panels.findIndex(({ name }) => name === codeAs));
  draw();
  return draw;
}

async function call() {
  if (isBusy || !current) return;
  const operation = current;
  const draft = draftOf(operation);
  if (operation.secured && !currentKey()) return key.ask();
  const lacking = missing(operation, draft);
  const steps = before(operation, draft);
  if (lacking.length && !steps.length) {
    blame(place("form"), lacking.map((param) => ({ param, message: "Required, because it is part of the path." })))?.focus();
    return;
  }
  isBusy = true;
  place("run").disabled = true;
  place("answer").ariaBusy = "true";
  let last;
  for (const step of [...steps, { operation, draft }]) {
    for (const name of missing(step.operation, step.draft)) step.draft.path[name] = last;
    const answer = await send(requestOf(step.operation, step.draft, base), operation.secured ? currentKey() : "");
    calls.unshift({ ...step, draft: structuredClone(step.draft), answer, at: new Date() });
    const data = attempt(() => JSON.parse(answer.text).data);
    if (!data || answer.status >= 300) break;
    learn(step.operation, data, true);
    if (answer.status === 200) forgetReplaced(step.draft.path.id, data);
    last = data.id;
  }
  isBusy = false;
  place("answer").ariaBusy = "false";
  if (place("run")) place("run").disabled = false;
  calls.length = Math.min(calls.length, MOST_CALLS);
  drawHistory();
  if (current === operation) {
    if (steps.length) open(operation, false); // with the id that it has now
    showAnswer(calls[0]);
  }
  if (operation.method !== "GET") lookForEvents();
  lookInLog();
}

function showAnswer({ operation, answer }) {
  const envelope = answer.headers?.get("content-type")?.includes("json") ? attempt(() => JSON.parse(answer.text)) : undefined;
  const page = async (cursor, way) => {
    const draft = draftOf(operation);
    const { page: _, ...query } = draft.query;
    draft.query = { ...query, cursor };
    open(operation, false);
    await call();
    place("answer").querySelector(`[data-way="${way}"]:enabled`)?.focus();
  };
  place("answer").replaceChildren(...answerView(answer, { ids, page }).filter(Boolean));
  const { error } = envelope ?? {};
  if (error && place("form") && current === operation) {
    const faults = error.details?.length ? error.details : error.param ? [error] : [];
    blame(place("form"), faults.filter(({ param }) => param));
  }
  if (matchMedia("(max-width: 800px)").matches) place("answer").scrollIntoView({ block: "start" });
}

function attempt(read) {
  try {
    return read();
  } catch {
    return undefined;
  }
}

function drawHistory() {
  place("history").replaceChildren(...calls.map((made) => {
    const { operation, draft, answer, at } = made;
    const again = () => {
      drafts.set(operation.id, structuredClone(draft));
      go(operation);
      showAnswer(made);
    };
    const path = pathOf(short(requestOf(operation, draft, "/").url));
    const parts = [methodTag(operation), path, badge({ ...answer, reason: "" })];
    return make("li", {}, button(parts, again, { class: "", title: at.toLocaleTimeString() }));
  }));
}

/** Return the action of clicking an id; none for other texts. */
const ids = (text) => prefixOf(text) && targetsOf(operations, text).length && (() => follow(text));

/** Offer the endpoints that an id fits. */
function follow(id) {
  const dialog = place("follow");
  const choose = ({ operation, place: where, name, many }) => {
    const draft = draftOf(operation);
    if (where === "body") draft.body = written({ ...attempt(() => JSON.parse(draft.body)), [name]: many ? [id] : id }, operation);
    else draft[where] = { ...draft[where], [name]: id };
    dialog.close();
    go(operation);
  };
  const links = targetsOf(operations, id).map((target) => {
    const parts = [methodTag(target.operation), pathOf(target.operation.path), span("as", target.place === "path" ? "" : `as ${target.name}`)];
    return make("li", {}, button(parts, () => choose(target), { class: "" }));
  });
  const heading = make("h2", { id: "follow-title", class: "mono" }, id);
  dialog.replaceChildren(
    div("head", heading, copyButton(() => id, "Copy id"), button("Close", () => dialog.close())),
    make("p", { class: "note" }, "Use this id in"), make("ul", {}, links));
  dialog.showModal();
  dialog.querySelector("li button")?.focus();
}

function go(operation) {
  open(operation);
  location.hash = operation.id;
}

/** Open the endpoint in the address, unless it is open already. */
function route(event) {
  const wanted = operations.find(({ id }) => `#${id}` === location.hash);
  if (wanted && wanted !== current) open(wanted, Boolean(event));
}

function showNav(isOpen) {
  root.classList.toggle("nav-open", isOpen);
  place("menu").ariaExpanded = String(isOpen);
}

function drawTheme() {
  const isDark = (root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light")) === "dark";
  place("theme").textContent = isDark ? "Light" : "Dark";
  place("theme").ariaLabel = `Use the ${isDark ? "light" : "dark"} theme`;
  return isDark ? "light" : "dark";
}

place("theme").addEventListener("click", () => {
  root.dataset.theme = drawTheme();
  attempt(() => localStorage.setItem("billycan-explorer-theme", root.dataset.theme));
  drawTheme();
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawTheme);
place("menu").addEventListener("click", () => showNav(!root.classList.contains("nav-open")));
place("skip").addEventListener("click", (event) => (event.preventDefault(), place("request").focus()));
place("search").addEventListener("input", drawEndpoints);
place("nav").addEventListener("keydown", moveInNav);
place("endpoints").addEventListener("click", (event) => event.target.closest("a") && showNav(false));
addEventListener("hashchange", route);
addEventListener("keydown", (event) => {
  if (!(event.ctrlKey || event.metaKey)) return;
  if (event.key === "Enter") call();
  if (event.key.toLowerCase() === "k") {
    event.preventDefault();
    showNav(true);
    place("search").select();
  }
});

drawTheme();
const lookForEvents = tailOf(place("tail-on"), place("tail"), place("tail-said"), base, ids);
const lookInLog = logOf(place("log-on"), place("log"), place("log-said"), base, (method, path) => {
  const found = operations.find((operation) => operation.method === method && operation.path === path);
  return found && (() => open(found));
});
// A stored key waits for the endpoints.
let ready;
const described = new Promise((done) => (ready = done));
key = keyPlace(place("key"), place("warning"), base, (secret) => described.then(() => meet(secret)));
place("endpoints").replaceChildren(make("p", { class: "empty" }, "Reading the endpoints …"));
const read = await send({ method: "GET", url: `${base}v1/openapi.json`, headers: [] });
if (read.status === 200) {
  operations = operationsOf(JSON.parse(read.text));
  learnExamples(operations);
  place("log-part").hidden = !operations.some(({ path }) => path === "/v1/requests");
  drawEndpoints();
  route();
} else {
  const why = `The API’s description could not be read: ${read.failed ?? read.status}. Reload the page to try again.`;
  place("request").replaceChildren(div("about", make("p", { class: "failed" }, why)));
  place("endpoints").replaceChildren();
}
ready();
