/** Requests to one deployment with one key: sent, retried and read. */

import { BillycanError, ConnectionFailed, UnexpectedAnswer, errorOf } from "./errors.js";

const FIRST_WAIT_SECONDS = 0.5;
const LONGEST_BACKOFF_SECONDS = 8;

/** Money, a quantity or a percentage to send. A string is sent as it is; a number must be what it looks like. */
export type Amount = string | number;

/** One or several values of a filter, any of which will do. */
export type Many<T> = T | readonly T[];

/** A file's bytes. */
export type Content = Blob | ArrayBuffer | Uint8Array;

/** Options of any call. */
export interface Options {
  /** Ends the call, and waiting for another attempt. */
  signal?: AbortSignal;
}

export interface ChangeOptions extends Options {
  /** Give one if another process may repeat the request; else each call has one of its own. */
  idempotencyKey?: string;
}

export interface VersionOptions extends ChangeOptions {
  /** The version, or its ETag, that is to be changed: the call fails with VersionConflict if there is a later one. */
  ifMatch?: number | string;
}

export interface Settings {
  /** For one attempt; 30 unless given. */
  timeoutSeconds?: number;
  /** How often a request is repeated; 3 unless given. */
  retries?: number;
  /** A longer pause in Retry-After is an error; 60 unless given. */
  longestWaitSeconds?: number;
  fetch?: typeof fetch;
  sleep?: (seconds: number, signal?: AbortSignal) => Promise<void>;
  random?: () => number;
}

/** The position of a page in its list. */
export interface Pagination {
  page: number;
  per_page: number;
  total: number;
  has_more: boolean;
  next_cursor: string | null;
  prev_cursor: string | null;
}

/** One page of a list. */
export interface Page<T> {
  data: T[];
  pagination: Pagination;
}

interface Sent extends VersionOptions {
  query?: object;
  body?: unknown;
  content?: Content;
}

interface Answer {
  status: number;
  bytes: Uint8Array;
}

/**
 * A deployment's address and a key for it, or a function that returns an access token.
 *
 * A request without an answer, or answered 429, 502, 503, 504 or 409 `idempotency_in_progress`, is sent up to `retries`
 * times more, after a random part of a growing pause or after the pause in Retry-After. A change always has an idempotency
 * key, the same on each attempt, so it is made once.
 */
export class Connection {
  readonly url: string;
  readonly #key: () => string | Promise<string>;
  readonly #settings: Required<Settings>;

  constructor(url: string, key: string | (() => string | Promise<string>), settings: Settings = {}) {
    this.url = url.replace(/\/+$/, "");
    this.#key = typeof key === "string" ? () => key : key;
    this.#settings = {
      timeoutSeconds: settings.timeoutSeconds ?? 30,
      retries: settings.retries ?? 3,
      longestWaitSeconds: settings.longestWaitSeconds ?? 60,
      fetch: settings.fetch ?? ((...request) => fetch(...request)),
      sleep: settings.sleep ?? sleep,
      random: settings.random ?? Math.random,
    };
  }

  /** Send a request and return the answer's `data`. */
  async call<T>(method: string, path: string, sent: Sent = {}): Promise<T> {
    return (await this.#envelope<T>(method, path, sent)).data;
  }

  /** Return one page of a list. */
  async page<T>(path: string, query: object, options: Options): Promise<Page<T>> {
    const { data, pagination } = await this.#envelope<T[]>("GET", path, { query, ...options });
    return { data, pagination: pagination as Pagination };
  }

  /** Return the answer's bytes: a calendar, a document, a PDF. */
  async bytes(method: string, path: string, sent: Sent = {}): Promise<Uint8Array> {
    return (await this.#send(method, path, sent, "*/*")).bytes;
  }

  async #envelope<T>(method: string, path: string, sent: Sent): Promise<{ data: T; pagination: Pagination | null }> {
    const answer = await this.#send(method, path, sent, "application/json");
    try {
      const envelope = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(answer.bytes));
      if ("data" in envelope) return envelope;
    } catch {
      // Told below.
    }
    const message = `${method} ${path} answered what this client does not know`;
    throw new UnexpectedAnswer(message, "unexpected_answer", { status: answer.status });
  }

  async #send(method: string, path: string, sent: Sent, accept: string): Promise<Answer> {
    const headers: Record<string, string> = { Accept: accept };
    if (method !== "GET") headers["Idempotency-Key"] = sent.idempotencyKey ?? crypto.randomUUID();
    if (sent.ifMatch !== undefined) headers["If-Match"] = etag(sent.ifMatch);
    let body: BodyInit | null = null;
    if (sent.content !== undefined) {
      headers["Content-Type"] = "application/octet-stream";
      body = sent.content as BodyInit;
    } else if (sent.body !== undefined) {
      headers["Content-Type"] = "application/json";
      body = JSON.stringify(sent.body);
    }
    const { retries, longestWaitSeconds, random } = this.#settings;
    for (let attempt = 0; ; attempt++) {
      const answer = await this.#once(path + written(sent.query ?? {}), { method, headers, body }, sent.signal);
      if (!(answer instanceof BillycanError)) return answer;
      const pause = answer.retryAfter ?? 0;
      if (attempt >= retries || !isPassing(answer) || pause > longestWaitSeconds) throw answer;
      // Clients that failed together must not retry together.
      const backoff = random() * Math.min(LONGEST_BACKOFF_SECONDS, FIRST_WAIT_SECONDS * 2 ** attempt);
      await this.#settings.sleep(pause + backoff, sent.signal);
    }
  }

  async #once(target: string, request: RequestInit, signal?: AbortSignal): Promise<Answer | BillycanError> {
    const headers = { ...request.headers, Authorization: `Bearer ${(await this.#key()).trim()}` };
    const timeout = AbortSignal.timeout(this.#settings.timeoutSeconds * 1000);
    const ends = signal ? AbortSignal.any([signal, timeout]) : timeout;
    try {
      const response = await this.#settings.fetch(this.url + target, { ...request, headers, signal: ends });
      const bytes = new Uint8Array(await response.arrayBuffer());
      if (response.ok) return { status: response.status, bytes };
      return errorOf(response.status, new TextDecoder().decode(bytes), seconds(response.headers.get("Retry-After")));
    } catch (cause) {
      signal?.throwIfAborted();
      const message = `${request.method} ${target.split("?")[0]}: ${cause}`;
      return new ConnectionFailed(message, "connection_failed", { cause });
    }
  }
}

/** Escape an id as one segment of a path. */
export function segment(id: string): string {
  if (/^\.*$/.test(id.trim())) throw new TypeError(`${JSON.stringify(id)} is no id`);
  return encodeURIComponent(id);
}

/** Write a query: several values joined by commas, objects as `name[key]`, nothing for undefined. */
function written(query: object): string {
  const found = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue;
    if (value === null || typeof value !== "object" || Array.isArray(value)) found.set(name, String(value));
    else for (const [key, item] of Object.entries(value)) found.set(`${name}[${key}]`, String(item));
  }
  return String(found) && `?${found}`;
}

function etag(version: number | string): string {
  return typeof version === "number" ? `"${version}"` : version;
}

/** Tell whether the same request may succeed a little later. */
function isPassing(error: BillycanError): boolean {
  const busy = error.status !== null && [429, 502, 503, 504].includes(error.status);
  return busy || error instanceof ConnectionFailed || error.code === "idempotency_in_progress";
}

/** Read Retry-After. The API never sends the other form, a date, which would need both clocks to agree. */
function seconds(retryAfter: string | null): number | null {
  return retryAfter !== null && /^\d+$/.test(retryAfter) ? Number(retryAfter) : null;
}

function sleep(seconds: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const ended = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", ended);
      resolve();
    }, seconds * 1000);
    if (signal?.aborted) ended();
    else signal?.addEventListener("abort", ended, { once: true });
  });
}
