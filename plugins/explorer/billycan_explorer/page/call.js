// The request of a draft: sent, or shown as curl, as Python and as TypeScript.

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
    return { failed: error.name === "TimeoutError" ? `No answer within ${MOST_MS / 1000} s.` : `No answer: ${error.message}.` };
  }
}

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

/** As a curl command for a shell; the key is its variable KEY. */
export function asCurl({ method, url, headers, body }, secured) {
  const lines = [`curl ${method === "GET" ? "" : `-X ${method} `}${quoted(url)}`];
  if (secured) lines.push('-H "Authorization: Bearer $KEY"');
  for (const [name, value] of headers) lines.push(`-H ${quoted(`${name}: ${value}`)}`);
  if (body instanceof File) lines.push(`--data-binary ${quoted(`@${body.name}`)}`);
  else if (body !== undefined) lines.push(`--data-raw ${quoted(body)}`);
  return lines.join(" \\\n  ");
}

const treeOf = (body) => (typeof body === "string" ? parse(body) : undefined);

/** As a Python program; the key is the environment's KEY. */
export function asPython({ method, url, headers, body }, secured) {
  const tree = treeOf(body);
  const isJson = headers.some(([name, value]) => name === "Content-Type" && value === "application/json");
  const others = headers.filter(([name]) => !(tree && isJson && name === "Content-Type"));
  const given = others.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  if (secured) given.unshift(`"Authorization": f"Bearer {os.environ['KEY']}"`);
  const lines = [JSON.stringify(url)];
  if (given.length) lines.push(`headers={${given.join(", ")}}`);
  if (tree && isJson) lines.push(`json=${python(tree, "    ")}`);
  else if (body instanceof File) lines.push(`data=open(${JSON.stringify(body.name)}, "rb")`);
  else if (body !== undefined) lines.push(`data=${JSON.stringify(body)}.encode()`);
  lines.push("timeout=30");
  const imports = secured ? "import os\n\nimport requests" : "import requests";
  const call = `requests.${method.toLowerCase()}(\n${lines.map((line) => `    ${line},\n`).join("")})`;
  return `${imports}\n\nanswer = ${call}\nprint(answer.status_code, answer.text)\n`;
}

/** As a TypeScript program, a module that is JavaScript too; the key is the environment's KEY. */
export function asTypeScript({ method, url, headers, body }, secured) {
  const tree = treeOf(body);
  const given = headers.map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}`);
  if (secured) given.unshift("Authorization: `Bearer ${process.env.KEY}`");
  const lines = method === "GET" ? [] : [`method: ${JSON.stringify(method)}`];
  if (given.length) lines.push(`headers: {\n${given.map((line) => `    ${line},\n`).join("")}  }`);
  if (tree) lines.push(`body: JSON.stringify(${typescript(tree, "  ")})`);
  else if (body instanceof File) lines.push(`body: await readFile(${JSON.stringify(body.name)})`);
  else if (body !== undefined) lines.push(`body: ${JSON.stringify(body)}`);
  const options = lines.length ? `, {\n${lines.map((line) => `  ${line},\n`).join("")}}` : "";
  const imports = body instanceof File ? 'import { readFile } from "node:fs/promises";\n\n' : "";
  return `${imports}const answer = await fetch(${JSON.stringify(url)}${options});\nconsole.log(answer.status, await answer.text());\n`;
}
