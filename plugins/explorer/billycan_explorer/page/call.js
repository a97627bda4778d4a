// The request of a draft: sent, or shown as curl, as Python and as TypeScript. Code is of requests one after the other:
// where the path of one lacks an id, that is the id of the record in the answer before it.

import { parse, python, typescript } from "./json.js";

const MOST_MS = 60_000;

/** A draft with nothing entered. */
export const emptyDraft = () => ({ path: {}, query: {}, header: {}, body: "", file: undefined });

/** The names of path parameters that a draft lacks. */
export const missing = (operation, draft) => Object.keys(operation.sections.path.properties).filter((name) => !draft.path[name]);

/** Return `{method, url, headers, body}`, without the key. */
export function requestOf(operation, draft, base) {
  const filled = (whole, name) => (draft.path[name] ? encodeURIComponent(draft.path[name]) : whole);
  const path = operation.path.replace(/\{(\w+)\}/g, filled);
  const query = new URLSearchParams();
  for (const parameter of operation.parameters) {
    const value = draft.query[parameter.name];
    if (parameter.in === "query" && value !== undefined && value !== null) append(query, parameter, value);
  }
  const search = query.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
  const body = draft.file ?? (operation.body && draft.body ? draft.body : undefined);
  const headers = Object.entries(draft.header).map(([name, value]) => [name, String(value)]);
  if (body !== undefined) headers.push(["Content-Type", operation.body.contentType]);
  return { method: operation.method, url: `${base}${path.replace(/^\//, "")}${search && `?${search}`}`, headers, body };
}

function append(query, { name, style, explode = (style ?? "form") === "form" }, value) {
  if (Array.isArray(value) && !explode) query.append(name, value.join(","));
  else if (Array.isArray(value)) for (const item of value) query.append(name, item);
  else if (style === "deepObject") for (const [key, item] of Object.entries(value)) query.append(`${name}[${key}]`, item);
  else query.append(name, value);
}

/** Send it; return `{status, reason, headers, text, ms}`, or `{failed}` without an answer. */
export async function send({ method, url, headers, body }, key) {
  const started = performance.now();
  try {
    const response = await fetch(url, {
      method,
      headers: [...headers, ...(key ? [["Authorization", `Bearer ${key}`]] : [])],
      body,
      cache: "no-store",
      credentials: "omit",
      redirect: "error",
      referrerPolicy: "no-referrer",
      signal: AbortSignal.timeout(MOST_MS),
    });
    const text = await response.text();
    const ms = Math.round(performance.now() - started);
    return { status: response.status, reason: response.statusText, headers: new Map(response.headers), text, ms };
  } catch (error) {
    return { failed: error.name === "TimeoutError" ? `No response within ${MOST_MS / 1000} s.` : `No response: ${error.message}.` };
  }
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

const LACKING = /\{\w+\}/;
const isNamed = (request) => Boolean(request && LACKING.test(request.url));
const FIRST_ID = `| grep -o '"id":"[^"]*' | head -n 1 | cut -d '"' -f 4)`;

/** As curl commands for a shell; the key is its variable KEY. */
export const asCurl = (requests, secured) => requests.map((request, at) => {
  const command = curl(request, secured, at > 0);
  return isNamed(requests[at + 1]) ? `id=$(${command.replace("curl ", "curl -s ")} \\\n  ${FIRST_ID}` : command;
}).join("\n\n");

function curl({ method, url, headers, body }, secured, isNext) {
  const to = isNext ? quoted(url).replace(LACKING, `'"$id"'`).replace(/''$/, "") : quoted(url);
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${to}`];
  if (secured) lines.push('-H "Authorization: Bearer $KEY"');
  for (const [name, value] of headers) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body instanceof File) lines.push(`--data-binary ${quoted(`@${body.name}`)}`);
  else if (body !== undefined) lines.push(`--data-raw ${quoted(body)}`);
  return lines.join(" \\\n  ");
}

const treeOf = (body) => (typeof body === "string" ? parse(body) : undefined);

/** As a Python program; the key is the environment's KEY. */
export function asPython(requests, secured) {
  const calls = requests.map((request, at) => {
    const call = pythonCall(request, secured, at > 0);
    if (isNamed(requests[at + 1])) return `made = ${call}.json()["data"]\n`;
    return at < requests.length - 1 ? `${call}\n` : `answer = ${call}\nprint(answer.status_code, answer.text)\n`;
  });
  return `${secured ? "import os\n\nimport requests" : "import requests"}\n\n${calls.join("\n")}`;
}

function pythonCall({ method, url, headers, body }, secured, isNext) {
  const tree = treeOf(body);
  const isJson = headers.some(([name, value]) => name === "Content-Type" && value === "application/json");
  const others = headers.filter(([name]) => !(tree && isJson && name === "Content-Type"));
  const given = others.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  if (secured) given.unshift(`"Authorization": f"Bearer {os.environ['KEY']}"`);
  const whole = JSON.stringify(url);
  const lines = [isNext && LACKING.test(url) ? `f${whole.replace(LACKING, "{made['id']}")}` : whole];
  if (given.length) lines.push(`headers={${given.join(", ")}}`);
  if (tree && isJson) lines.push(`json=${python(tree, "    ")}`);
  else if (body instanceof File) lines.push(`data=open(${JSON.stringify(body.name)}, "rb")`);
  else if (body !== undefined) lines.push(`data=${JSON.stringify(body)}.encode()`);
  lines.push("timeout=30");
  return `requests.${method.toLowerCase()}(\n${lines.map((line) => `    ${line},\n`).join("")})`;
}

/** As a TypeScript program, a module that is JavaScript too; the key is the environment's KEY. */
export function asTypeScript(requests, secured) {
  const calls = requests.map((request, at) => {
    const call = fetchCall(request, secured, at > 0);
    if (isNamed(requests[at + 1])) {
      const isFirst = !requests.slice(1, at + 1).some(isNamed);
      return `${isFirst ? "let made" : "made"} = (await (${call}).json()).data;\n`;
    }
    return at < requests.length - 1 ? `${call};\n` : `const answer = ${call};\nconsole.log(answer.status, await answer.text());\n`;
  });
  const imports = requests.some(({ body }) => body instanceof File) ? 'import { readFile } from "node:fs/promises";\n\n' : "";
  return `${imports}${calls.join("\n")}`;
}

function fetchCall({ method, url, headers, body }, secured, isNext) {
  const tree = treeOf(body);
  const given = headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  if (secured) given.unshift("Authorization: `Bearer ${process.env.KEY}`");
  const lines = method === "GET" ? [] : [`method: ${JSON.stringify(method)}`];
  if (given.length) lines.push(`headers: {\n${given.map((line) => `    ${line},\n`).join("")}  }`);
  if (tree) lines.push(`body: JSON.stringify(${typescript(tree, "  ")})`);
  else if (body instanceof File) lines.push(`body: await readFile(${JSON.stringify(body.name)})`);
  else if (body !== undefined) lines.push(`body: ${JSON.stringify(body)}`);
  const options = lines.length ? `, {\n${lines.map((line) => `  ${line},\n`).join("")}}` : "";
  const to = isNext && LACKING.test(url) ? `\`${url.replace(LACKING, "${made.id}")}\`` : JSON.stringify(url);
  return `await fetch(${to}${options})`;
}
