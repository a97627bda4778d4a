// Endpoints that an id leads to, and records that an example may name: learned from answers and the document's
// examples, guessed from names until then.

const ID = /^([a-z]{2,5})_[0-9a-z]{10,40}$/;
const learned = new Map(); // a path's word, or a member's name, to the prefix of its ids
const seen = new Map(); // the business's records by id, the newest last
const made = new Set(); // those of them that were made in this page
const recorded = new Map(); // operations to the day of their examples, in milliseconds
const answered = new Set(); // operations that were answered in this page
const makers = new Map(); // prefixes to the operations that make such a record
const governed = new Set(); // actions that a record allows or not, such as `inv void`

/** The prefix of an id; undefined if a text is not an id. */
export const prefixOf = (text) => (typeof text === "string" ? ID.exec(text)?.[1] : undefined);

/** Record the ids in an operation's answer; `real` ones may be offered again. */
export function learn(operation, data, real) {
  const collection = words(operation.path).filter((word) => !word.startsWith("{"));
  const isAction = /\}\/\w+$/.test(operation.path);
  for (const record of [data].flat()) {
    if (!isAction && prefixOf(record?.id)) learned.set(collection.at(-1), prefixOf(record.id));
    walk(record, "");
    if (real) remember(record);
    if (real && makes(operation)) made.add(record.id);
  }
  if (real) answered.add(operation);
}

/** Tell whether an operation answers with a new record. */
const makes = ({ method, answers }) => method === "POST" && Boolean(answers[201] ?? answers[202]);

/** Forget the records of a business, when its key goes. */
export function forgetRecords() {
  for (const known of [seen, made, answered]) known.clear();
}

/** Forget a record that a call replaced by another one, such as a contact merged into another. */
export function forgetReplaced(id, data) {
  if (data?.id !== id && prefixOf(data?.id) === prefixOf(id)) seen.delete(id);
}

function remember(value) {
  if (Array.isArray(value)) value.forEach(remember);
  else if (value && typeof value === "object") {
    for (const [name, inner] of Object.entries(value)) if (name !== "preview") remember(inner); // nobody has made that
    if (value.deleted) seen.delete(value.id);
    for (const action of value.allowed_actions ?? []) governed.add(`${prefixOf(value.id)} ${action}`);
    if (!prefixOf(value.id) || Object.keys(value).length < 3) return; // what only names another record tells nothing
    if (seen.get(value.id)?.version && !value.version) return; // nor does what shows a part of one
    seen.delete(value.id); // so that the last one set is the newest
    seen.set(value.id, value);
  }
}

function walk(value, name) {
  if (Array.isArray(value)) value.forEach((item) => walk(item, name.replace(/s$/, "")));
  else if (value && typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) {
      walk(inner, key === "id" ? "" : key);
      if (prefixOf(inner?.id)) learned.set(`${key}_id`, prefixOf(inner.id));
    }
  } else if (prefixOf(value)) {
    if (name.endsWith("_id")) learned.set(name, prefixOf(value));
  }
}

/** Record the ids in a document's examples. */
export function learnExamples(operations) {
  for (const operation of operations)
    for (const answer of Object.values(operation.answers))
      for (const { example, examples = {} } of Object.values(answer.content ?? {}))
        for (const value of [example, ...Object.values(examples).map((one) => one.value)]) {
          learn(operation, value?.data, false);
          const { id: first } = value?.data ?? {};
          const isShorter = () => operation.path.length < (makers.get(prefixOf(first))?.path.length ?? Infinity);
          if (makes(operation) && prefixOf(first) && isShorter()) makers.set(prefixOf(first), operation);
          for (const { id, created_at, allowed_actions = [] } of [value?.data].flat().filter(Boolean)) {
            if (created_at) recorded.set(operation, Math.max(Date.parse(created_at), recorded.get(operation) ?? 0));
            for (const action of allowed_actions) governed.add(`${prefixOf(id)} ${action}`);
          }
        }
}

const words = (path) => path.split("/").filter(Boolean);

/** Tell whether a word means ids of this prefix: `bookings` and `booking_id` mean `bkg`. */
function means(prefix, word) {
  if (learned.has(word)) return learned.get(word) === prefix;
  const pattern = new RegExp(`^${prefix.split("").join("[a-z]*")}`);
  return word.replace(/_ids?$/, "").split("_").some((part) => pattern.test(part));
}

/** The word before a path parameter, such as `contacts` before `{id}`; `{pay_id}` is a word itself. */
function ownerOf(path, name) {
  const parts = words(path);
  return name === "id" ? parts[parts.findIndex((part) => part.startsWith(`{${name}}`)) - 1] : name;
}

/** The operations an id fits, as `{operation, place, name, many}`: first of the record, then of records that name it. */
export function targetsOf(operations, id) {
  const prefix = prefixOf(id);
  if (!prefix) return [];
  const direct = operations.flatMap((operation) =>
    Object.keys(operation.sections.path.properties)
      .filter((name) => means(prefix, ownerOf(operation.path, name)))
      .map((name) => ({ operation, place: "path", name })),
  );
  const shortest = Math.min(...direct.map(({ operation }) => operation.path.length));
  const root = direct.find(({ operation }) => operation.path.length === shortest)?.operation.path;
  const isSure = ({ path }, name) => name !== "id" || learned.has(ownerOf(path, name)) || path.startsWith(root);
  const own = direct.filter(({ operation, name }) => isSure(operation, name));
  const referring = operations.flatMap((operation) => [
    ...named(operation.sections.query, prefix).map((found) => ({ operation, place: "query", ...found })),
    ...(operation.body ? named(operation.body.schema, prefix).map((found) => ({ operation, place: "body", ...found })) : []),
  ]);
  return [...own, ...referring];
}

const named = (schema, prefix) =>
  Object.entries(schema?.properties ?? {})
    .filter(([name, { readOnly }]) => !readOnly && /_ids?$/.test(name) && name !== "external_id")
    .filter(([name]) => means(prefix, name.replace(/s$/, "")))
    .map(([name]) => ({ name, many: name.endsWith("s") }));

/** The lists of the records that paths name. */
export const listsOf = (operations) =>
  operations.filter(({ method, path, sections }) =>
    method === "GET" && !path.includes("{") && !sections.query.required?.length && operations.some((other) => other.path === `${path}/{id}`));

/** An id for a path parameter, if one was seen that the operation accepts as it is. */
export function idFor(operation, name, example) {
  const { method, path } = operation;
  const names = Object.keys(operation.sections.path.properties);
  if (names.length > 1) return pairFor(path, names)[names.indexOf(name)];
  const action = method === "POST" && /\}\/(\w+)$/.exec(path)?.[1];
  const inner = JSON.stringify(example ?? null).match(/"id":"[a-z]+_/g) ?? [];
  const found = [...seen.values()].filter((record) =>
    means(prefixOf(record.id), ownerOf(path, name)) && allows(record, action) && !isRefused(operation, record) &&
    (method !== "DELETE" || (made.has(record.id) && NEW.test(record.status))) && // what was made here
    inner.every((start) => JSON.stringify(record).includes(start)));
  // A record that is no longer a draft may be locked, or need more than the example has.
  return (found.findLast(({ status }) => status === "draft") ?? found.findLast(({ status }) => !OVER.test(status)) ?? found.at(-1))?.id;
}

/** The ids of a record and of one within it, such as an invoice and its payment. */
function pairFor(path, [outer, inner]) {
  const parts = words(path);
  const collection = parts[parts.indexOf(`{${inner}}`) - 1];
  for (const record of [...seen.values()].reverse()) {
    if (!means(prefixOf(record.id), ownerOf(path, outer))) continue;
    const within = record[collection]?.findLast?.(({ status }) => !OVER.test(status));
    if (within) return [record.id, within.id];
  }
  return [];
}

const allows = ({ id, allowed_actions: allowed }, action) =>
  !governed.has(`${prefixOf(id)} ${action}`) || Boolean(allowed?.includes(action));

// The records that an operation refuses if it names this error.
const REFUSED = { nothing_due: ({ status, amount_due }) => status === "draft" || !Number(amount_due) };

const isRefused = ({ answers }, record) =>
  Object.entries(REFUSED).some(([code, is]) => JSON.stringify(answers[409] ?? "").includes(code) && is(record));

/** The operation to run before another one: what makes the record that it lacks; undefined if it lacks none. */
export function makerFor(operations, operation, lacking) {
  if (lacking.length) return lacking.length === 1 ? makerOf(ownerOf(operation.path, lacking[0])) : undefined;
  // What there is only one of, such as a sandbox's clock, is read and changed once it was made.
  const { method, path } = operation;
  const isOne = (other) => other.method === "GET" && !other.sections.query.properties.cursor;
  const maker = operations.find((other) => other !== operation && makes(other) && !other.path.includes("{") &&
    (path === other.path || path.startsWith(`${other.path}/`)) && operations.some((one) => one.path === other.path && isOne(one)));
  return maker && !answered.has(maker) && !(method === "POST" && path === maker.path) ? maker : undefined;
}

const makerOf = (word) => [...makers].find(([prefix]) => means(prefix, word))?.[1];

/** The last id seen for a member's name, such as `service_id`. */
export const idNamed = (name) => [...seen.keys()].filter((id) => means(prefixOf(id), name)).at(-1);

/** An example that can run repeatedly: with the business's own ids, dates as far ahead as when recorded, and no external id. */
export function withOwnIds(operation, example, owner, zone) {
  const chosen = [owner ?? anchorOf(operation, example)].filter(Boolean);
  const since = recorded.get(operation) ?? Math.max(0, ...recorded.values());

  function inside(value, name, taken) {
    if (Array.isArray(value)) return listed(value, name.replace(/s$/, ""));
    if (!value || typeof value !== "object") return prefixOf(value) ? own(value, name, taken) : keyOf(operation, value, name, taken) ?? moved(value, zone, since);
    const entries = Object.entries(value).map(([key, inner]) => [key, inside(inner, key, taken)]);
    return Object.fromEntries(entries.filter(([key, inner]) => inner !== undefined && key !== "external_id"));
  }
  function listed(values, name) {
    const taken = new Set(); // each of a list names another record
    const own = values.map((value) => inside(value, name, taken)).filter((value) => value !== undefined);
    const isWhole = (value, at) => !Object.keys(Object(values[at])).some((key) => key.endsWith("_id") && !(key in value));
    const whole = own.filter(isWhole);
    return whole.length ? whole : own;
  }
  function own(value, name, taken) {
    const id = !owner && chosen[0] && prefixOf(chosen[0]) === prefixOf(value) && !taken?.size ? chosen[0] : ownId(operation, value, name, chosen, taken);
    taken?.add(id);
    return id;
  }
  return inside(example, "");
}

/** The number or code of a record of the business, for a member such as `account_code`; undefined for other members. */
function keyOf(operation, example, name, taken) {
  const [, word, key] = /^(\w+)_(number|code)$/.exec(name) ?? [];
  if (!word) return undefined;
  const records = [...seen.values()].filter((record) => record[key] && means(prefixOf(record.id), word) && isUsable(operation, record));
  const values = records.sort((one, other) => (one.id < other.id ? -1 : 1)).map((record) => record[key]); // the newest last
  const found = values.includes(example) ? example : values.findLast((value) => !taken?.has(value));
  taken?.add(found);
  return found;
}

/** The record that an example is about: the newest that names others of its kinds, such as an invoice with its client. */
function anchorOf(operation, example) {
  const prefixes = [...new Set(JSON.stringify(example).match(/"[a-z]{2,5}(?=_[0-9a-z]{10,40}")/g))].map((found) => found.slice(1));
  const others = (record) => prefixes.filter((prefix) => prefix !== prefixOf(record.id) && JSON.stringify(record).includes(`"${prefix}_`));
  const found = [...seen.values()].filter((record) => prefixes.includes(prefixOf(record.id)) && isUsable(operation, record));
  const most = Math.max(1, ...found.map((record) => others(record).length));
  return found.findLast((record) => others(record).length === most)?.id;
}

const NEW = /^(undefined|active|draft)$/;
const OVER = /^(draft|void|credited|written_off|reversed|archived|cancelled|declined)$/;
const isUsable = ({ path }, record) => !OVER.test(record.status) && words(path).every((word) => allows(record, word));

function ownId(operation, example, name, chosen, taken) {
  const prefix = prefixOf(example);
  const records = chosen.map((id) => seen.get(id));
  const named = [...JSON.stringify(records).matchAll(new RegExp(`"(id|${name})":"(${prefix}_[0-9a-z]+)"`, "g"))];
  // An `id` in a record is that of a part of it, or of a record that it names, which has a version.
  const isOwn = ([, member, id]) => seen.has(id) && !chosen.includes(id) && (member !== "id" || !seen.get(id).version);
  const inner = named.filter(isOwn).map(([, , id]) => id);
  if (name === "id" || inner.length) return inner.find((id) => !taken?.has(id));
  const role = name.replace(/_id$/, "");
  const plays = (roles) => name === "into" || (roles?.includes(role) ?? true); // a record is merged into any other one
  const clients = new Set(records.map((record) => record?.client_id).filter(Boolean));
  const suits = (record) => prefixOf(record.id) === prefix && !chosen.includes(record.id) && !taken?.has(record.id) &&
    plays(record.roles) && (!clients.size || !record.client_id || clients.has(record.client_id));
  const found = [...seen.values()].filter(suits);
  const usable = found.findLast((record) => isUsable(operation, record));
  return (taken ? usable : (usable ?? found.findLast(({ status }) => status !== "archived")))?.id;
}

/** A date or time of an example, moved by whole weeks to be as far from today as from the day of recording. */
function moved(value, zone, since) {
  const [, day, time, offset] = /^(\d{4}-\d\d-\d\d)(T\d\d:\d\d:\d\d)?(Z|[+-]\d\d:\d\d)?$/.exec(value) ?? [];
  if (!day || !since) return value;
  const gone = (Date.now() - since) / (7 * 86400e3);
  const weeks = Date.parse(value) < since ? Math.floor(gone) : Math.ceil(gone);
  const at = new Date(Date.parse(`${day}T00:00:00Z`) + weeks * 7 * 86400e3);
  const date = at.toISOString().slice(0, 10);
  if (!time || offset === "Z") return `${date}${time ?? ""}${offset ?? ""}`;
  return `${date}${time}${offsetOf(new Date(`${date}${time}${offset}`), zone) ?? offset}`;
}

function offsetOf(at, zone) {
  if (!zone) return undefined;
  const parts = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(at);
  return parts.find(({ type }) => type === "timeZoneName").value.replace("GMT", "") || "+00:00";
}
