// Endpoints that an id leads to, and records that an example may name: learned from answers and the document's
// examples, guessed from names until then.

const ID = /^([a-z]{2,5})_[0-9a-z]{10,40}$/;
const learned = new Map(); // a path's word, or a member's name, to the prefix of its ids
const seen = new Map(); // the business's records by id, the newest last
const recorded = new Map(); // operations to the day of their examples, in milliseconds

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
  }
}

/** Forget the records of a business, when its key goes. */
export const forgetRecords = () => seen.clear();

function remember(value) {
  if (Array.isArray(value)) value.forEach(remember);
  else if (value && typeof value === "object") {
    Object.values(value).forEach(remember);
    if (value.deleted) seen.delete(value.id);
    if (!prefixOf(value.id) || Object.keys(value).length < 3) return; // what only names another record tells nothing
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
          for (const { created_at } of [value?.data].flat().filter(Boolean))
            if (created_at) recorded.set(operation, Math.max(Date.parse(created_at), recorded.get(operation) ?? 0));
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
  const owner = ownerOf(path, name);
  const action = method === "POST" && /\}\/(\w+)$/.exec(path)?.[1];
  const inner = JSON.stringify(example ?? null).match(/"id":"[a-z]+_/g) ?? [];
  if (method === "DELETE") return undefined; // what goes for good is chosen by hand
  const allows = (record) => !action || names.length > 1 || record.allowed_actions?.includes(action) !== false;
  const fits = [...seen.values()].filter((record) =>
    means(prefixOf(record.id), owner) && allows(record) && inner.every((start) => JSON.stringify(record).includes(start)));
  if (names.length > 1 && name === names[0]) {
    // A record within a record: it names the outer one.
    const within = idFor(operation, names[1]);
    return Object.values(seen.get(within) ?? {}).find((value) => means(prefixOf(value) ?? "?", owner));
  }
  // A record that is no longer a draft may be locked, or need more than the example has.
  return (fits.findLast(({ status }) => status === "draft") ?? fits.at(-1))?.id;
}

/** The last id seen for a member's name, such as `service_id`. */
export const idNamed = (name) => [...seen.keys()].filter((id) => means(prefixOf(id), name)).at(-1);

/** An example that can run repeatedly: with the business's own ids, dates as far ahead as when recorded, and no external id. */
export function withOwnIds(operation, value, owner, zone, name = "") {
  const inside = (inner, of) => withOwnIds(operation, inner, owner, zone, of);
  if (Array.isArray(value)) return value.map((item) => inside(item, name.replace(/s$/, ""))).filter((item) => item !== undefined);
  if (value && typeof value === "object") {
    const entries = Object.entries(value).map(([key, inner]) => [key, inside(inner, key)]);
    return Object.fromEntries(entries.filter(([key, inner]) => inner !== undefined && key !== "external_id"));
  }
  return prefixOf(value) ? ownId(value, owner, name) : moved(value, zone, recorded.get(operation) ?? Math.max(0, ...recorded.values()));
}

function ownId(example, owner, name) {
  const prefix = prefixOf(example);
  const within = new RegExp(`"id":"(${prefix}_[0-9a-z]+)"`).exec(JSON.stringify(seen.get(owner) ?? null));
  if (name === "id") return within?.[1];
  const role = name.replace(/_id$/, "");
  const plays = (roles) => name === "into" || (roles?.includes(role) ?? true); // a record is merged into any other one
  const suits = ({ id, roles, status }) => prefixOf(id) === prefix && id !== owner && plays(roles) && status !== "archived";
  return [...seen.values()].findLast(suits)?.id;
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
