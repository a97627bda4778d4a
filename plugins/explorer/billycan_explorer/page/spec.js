// Reads an OpenAPI document: its operations, and the kind of field for each schema.

const METHODS = ["get", "post", "put", "patch", "delete"];
let whole = {};

/** The operations of a document, in its order. */
export function operationsOf(openapi) {
  whole = openapi;
  return Object.entries(openapi.paths ?? {}).flatMap(([path, item]) =>
    METHODS.filter((method) => item[method]).map((method) => operation(method, path, item)),
  );
}

function operation(method, path, item) {
  const found = item[method];
  const body = resolved(found.requestBody ?? {});
  const [contentType, content] = Object.entries(body.content ?? {})[0] ?? [];
  const parameters = [...(item.parameters ?? []), ...(found.parameters ?? [])].map(resolved);
  const security = found.security ?? whole.security ?? [];
  return {
    id: found.operationId ?? `${method}_${path}`,
    method: method.toUpperCase(),
    path,
    tag: found.tags?.[0] ?? "other",
    summary: found.summary ?? "",
    description: found.description ?? "",
    deprecated: Boolean(found.deprecated),
    scopes: [...new Set(security.flatMap((needed) => Object.values(needed).flat()))],
    secured: security.length > 0,
    parameters,
    sections: Object.fromEntries(["path", "query", "header"].map((place) => [place, asObject(parameters, place)])),
    body: content && {
      schema: shapeOf(content.schema ?? {}).schema,
      contentType,
      isFile: resolved(content.schema ?? {}).format === "binary",
      required: Boolean(body.required),
      examples: examples(content),
    },
    answers: found.responses ?? {},
  };
}

/** The parameters of one place as the schema of an object, so that one kind of form serves all. */
function asObject(parameters, place) {
  const here = parameters.filter((parameter) => parameter.in === place);
  const member = ({ name, description, example, examples, schema, explode }) => {
    const shown = example ?? Object.values(examples ?? {})[0]?.value;
    const said = { description: description ?? schema?.description, ...(shown !== undefined && { examples: [shown] }) };
    return [name, { ...schema, ...said, commas: explode === false }];
  };
  return {
    type: "object",
    properties: Object.fromEntries(here.map(member)),
    required: here.filter(({ required }) => required).map(({ name }) => name),
  };
}

/** Examples of a body, by name. */
function examples({ example, examples: named, schema }) {
  const entries = Object.entries(named ?? {}).map(([name, given]) => [resolved(given).summary ?? name, resolved(given).value])
    .filter(([, value]) => value !== undefined);
  const { example: own, examples: others } = resolved(schema ?? {});
  const loose = [example, own, ...(others ?? [])].filter((value) => value !== undefined);
  return [...entries, ...loose.map((value, index) => [index ? `Example ${index + 1}` : "Example", value])];
}

/** The target of a `$ref`. */
export function resolved(schema) {
  let found = schema;
  for (let hops = 0; found?.$ref && hops < 20; hops += 1) {
    const { $ref, ...beside } = found;
    const plain = (name) => decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
    const names = $ref.replace(/^#\//, "").split("/").map(plain);
    found = { ...names.reduce((place, name) => place?.[name], whole), ...beside };
  }
  return found ?? {};
}

/** The alternatives of a schema, each with one type or none. */
function alternatives(schema) {
  const { anyOf, oneOf, allOf, ...own } = resolved(schema);
  if (allOf) return alternatives(allOf.map(resolved).reduce(merged, own));
  const options = anyOf ?? oneOf;
  if (options) return options.flatMap((option) => alternatives(option).map((one) => ({ ...own, ...one })));
  return Array.isArray(own.type) ? own.type.map((type) => ({ ...own, type })) : [own];
}

const merged = (one, other) => ({
  ...one,
  ...other,
  properties: { ...one.properties, ...other.properties },
  required: [...(one.required ?? []), ...(other.required ?? [])],
});

/** The field for a schema's value: `{kind, nullable, schema, options}`. */
export function shapeOf(schema) {
  const every = alternatives(schema);
  const some = every.filter(({ type }) => type !== "null");
  const types = new Set(some.map(({ type, properties }) => type ?? (properties && "object")));
  const formats = new Set(some.map(({ format }) => format));
  const options = some.flatMap((one) => one.enum ?? ("const" in one ? [one.const] : [])).filter((option) => option !== null);
  const [first = {}] = some;
  const whole = resolved(schema);
  const { description = first.description, "x-default": standard = whole.default, examples: shown = first.examples, readOnly } = whole;
  const example = shown?.[0] ?? first.example;
  const shape = { schema: first, options, nullable: some.length < every.length, description, standard, example, readOnly };
  const only = (...names) => [...types].every((type) => names.includes(type));
  if (options.length) return { ...shape, kind: "choice" };
  if (!types.size || types.has(undefined)) return { ...shape, kind: "any" };
  if (only("boolean")) return { ...shape, kind: "choice", options: [true, false] };
  if (only("integer")) return { ...shape, kind: "integer" };
  if (only("integer", "number")) return { ...shape, kind: "number" };
  if (only("integer", "number", "string")) return { ...shape, kind: only("string") ? text(first, formats) : "decimal" };
  if (only("object")) return { ...shape, kind: first.properties ? "object" : "map" };
  if (!only("array")) return { ...shape, kind: "any" };
  const items = shapeOf(first.items ?? {});
  if (items.options.length) return { ...shape, kind: "choices", options: items.options };
  return { ...shape, kind: first.commas ? "commas" : "list" };
}

function text({ maxLength }, formats) {
  if (formats.size === 1 && formats.has("date")) return "date";
  if (formats.size === 1 && formats.has("date-time")) return "moment";
  return maxLength >= 1000 && !formats.has("iri") ? "long" : "text";
}
