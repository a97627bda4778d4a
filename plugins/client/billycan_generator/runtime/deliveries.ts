/** Deliveries of webhooks: verified by Standard Webhooks, then read. */

import { UnexpectedAnswer } from "./errors.js";

/** A delivery with a wrong signature, or one that is too old: answer 401 and do nothing. */
export class VerificationError extends Error {
  override readonly name = "VerificationError";
}

/** An event. The same one may come again: keep the ids of the last three days. */
export interface Delivery<Name extends string, Data> {
  event: Name;
  timestamp: string;
  data: Data;
  id: string;
  environment: string;
}

/** Headers as a framework has them: an object of the Fetch API, or of Node. */
export type ReceivedHeaders = Headers | Record<string, string | string[] | undefined>;

export interface Verifying {
  /** How old a delivery may be; 300 unless given. */
  toleranceSeconds?: number;
  /** The time in milliseconds. */
  now?: () => number;
}

/** Return the event of a delivery. Throw VerificationError for a wrong signature or time. */
export async function verified(
  secret: string,
  headers: ReceivedHeaders,
  body: string | Uint8Array | ArrayBuffer,
  { toleranceSeconds = 300, now = Date.now }: Verifying = {},
): Promise<Delivery<string, unknown>> {
  const key = decoded(secret.replace(/^whsec_/, ""));
  // The message must not show it.
  if (key === null) throw new TypeError("a webhook secret is whsec_ and base64");
  const found = new Map(headers instanceof Headers ? headers : Object.entries(headers).map(lowered));
  const [id, timestamp, signatures] = ["id", "timestamp", "signature"].map((name) => found.get(`webhook-${name}`));
  if (id === undefined || signatures === undefined || !/^\d+$/.test(timestamp ?? "")) {
    throw new VerificationError("the webhook- headers are missing or malformed");
  }
  if (Math.abs(now() / 1000 - Number(timestamp)) > toleranceSeconds) {
    throw new VerificationError("the delivery is too old or from the future");
  }
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : new Uint8Array(body);
  const signed = await new Blob([`${id}.${timestamp}.`, bytes]).arrayBuffer();
  const hmac = { name: "HMAC", hash: "SHA-256" };
  const imported = await crypto.subtle.importKey("raw", key, hmac, false, ["verify"]);
  // For a day after a secret is rotated there are several signatures; one match is enough.
  for (const signature of signatures.split(" ").filter((each) => each.startsWith("v1,"))) {
    const offered = decoded(signature.slice(3));
    if (offered !== null && (await crypto.subtle.verify("HMAC", imported, offered, signed))) {
      return read(bytes, id, found.get("billycan-environment") ?? "");
    }
  }
  throw new VerificationError("no signature matches");
}

function read(bytes: Uint8Array, id: string, environment: string): Delivery<string, unknown> {
  try {
    const event = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    if (typeof event.event === "string" && typeof event.timestamp === "string" && "data" in event) {
      return { ...event, id, environment };
    }
  } catch {
    // Told below.
  }
  throw new UnexpectedAnswer("a verified delivery holds what this client does not know", "unexpected_answer");
}

function lowered([name, value]: [string, string | string[] | undefined]): [string, string] {
  return [name.toLowerCase(), Array.isArray(value) ? value.join(" ") : (value ?? "")];
}

function decoded(base64: string): Uint8Array<ArrayBuffer> | null {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return null;
  }
}
