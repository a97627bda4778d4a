// Which endpoints an id leads to: learned from answers and the document's examples, guessed from names until then.

const ID = /^([a-z]{2,5})_[0-9a-z]{10,40}$/;
const learned = new Map(); // a path's word, or a member's name, to the prefix of its ids
const newest = new Map(); // the last id seen of each prefix

/** The prefix of an id; undefined where a text is none. */
export const prefixOf = (text) => (typeof text === "string" ? ID.exec(text)?.[1] : undefined);

/** Note whose ids an answer of an operation holds; `real` ones may be offered again. */
export function learn(operation, data, real) {
  const collection = words(operation.path).filter((word) => !word.startsWith("{"));
  const isAction = /\}\/\w+$/.test(operation.path);
  for (const record of [data].flat()) {
    if (!isAction && prefixOf(record?.id)) learned.set(collection.at(-1), prefixOf(record.id));
    walk(record, real, "");
  }
}

function walk(value, real, name) {
  if (Array.isArray(value)) value.forEach((item) => walk(item, real, name.replace(/s$/, "")));
  else if (value && typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) {
      walk(inner, real, key === "id" ? "" : key);
      if (prefixOf(inner?.id)) learned.set(`${key}_id`, prefixOf(inner.id));
    }
  } else if (prefixOf(value)) {
    if (name.endsWith("_id")) learned.set(name, prefixOf(value));
    if (real) newest.delete(prefixOf(value)); // so that the last one set is the newest
    if (real) newest.set(prefixOf(value), value);
  }
}

/** Note what the examples of a document say. */
export function learnExamples(operations) {
  for (const operation of operations)
    for (const answer of Object.values(operation.answers))
      for (const { example, examples = {} } of Object.values(answer.content ?? {}))
        for (const value of [example, ...Object.values(examples).map((one) => one.value)]) learn(operation, value?.data, false);
}

const words = (path) => path.split("/").filter(Boolean);

/** Whether ids of this prefix are meant by a word: `bkg` by `bookings`, and by `booking_id`. */
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

/** The operations an id fits, as `{operation, place, name, many}`: where it is the record, then where it is referred to. */
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

/** The newest id that fits a path parameter, if any was seen. */
export function newestFor(operation, name) {
  const owner = ownerOf(operation.path, name);
  return [...newest].reverse().find(([prefix]) => means(prefix, owner))?.[1];
}

/** An example that can be run, and again: with the newest ids for its own where any were seen, and no external id. */
export function withOwnIds(value) {
  if (Array.isArray(value)) return value.map(withOwnIds).filter((item) => item !== undefined);
  if (value && typeof value === "object") {
    const entries = Object.entries(value).map(([key, inner]) => [key, withOwnIds(inner)]);
    return Object.fromEntries(entries.filter(([key, inner]) => inner !== undefined && key !== "external_id"));
  }
  return prefixOf(value) ? newest.get(prefixOf(value)) : value;
}
