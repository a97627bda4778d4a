/** Errors: one class for each type of error that the API answers with. */

import type { ErrorCode } from "./models.js";

/** One fault of a body: the member, and how to fix it. */
export interface Fault {
  param: string | null;
  code: string;
  message: string;
}

/** The `error` of an answer. Members that some codes add are here under their own names. */
export interface ErrorBody {
  type: string;
  code: string;
  message: string;
  param?: string | null;
  details?: Fault[];
  request_id?: string | null;
  allowed_actions?: string[];
  required_scope?: string;
  [member: string]: unknown;
}

/** A code that the API has, or one that a later version adds. */
export type Code = ErrorCode | (string & {});

/** A failed call. Members missing from the answer are null or empty; `body` is the whole `error` of the envelope. */
export class BillycanError extends Error {
  readonly code: Code;
  /** The HTTP status; null where no answer came. */
  readonly status: number | null;
  readonly body: Partial<ErrorBody>;
  /** Seconds to wait before another attempt. */
  readonly retryAfter: number | null;

  constructor(
    message: string,
    code: Code,
    answer: { status?: number; body?: ErrorBody; retryAfter?: number | null; cause?: unknown } = {},
  ) {
    const details = answer.body?.details ?? [];
    const faults = details.length > 1 ? details.map((fault) => `\n${fault.param}: ${fault.message}`) : [];
    const known = [code, answer.body?.request_id].filter(Boolean).join(", ");
    super(`${message} (${known})${faults.join("")}`, { cause: answer.cause });
    this.name = new.target.name;
    this.code = code;
    this.status = answer.status ?? null;
    this.body = answer.body ?? {};
    this.retryAfter = answer.retryAfter ?? null;
  }

  get param(): string | null {
    return this.body.param ?? null;
  }

  get details(): Fault[] {
    return this.body.details ?? [];
  }

  get requestId(): string | null {
    return this.body.request_id ?? null;
  }

  get allowedActions(): string[] {
    return this.body.allowed_actions ?? [];
  }

  get requiredScope(): string | null {
    return this.body.required_scope ?? null;
  }
}

/** The request is malformed: 400, 404 of a path, 405, 413, 415 and the like. */
export class InvalidRequest extends BillycanError {}

/** The key is missing, wrong, revoked or expired: 401. */
export class Unauthenticated extends BillycanError {}

/** The key lacks `requiredScope`: 403. */
export class Forbidden extends BillycanError {}

/** The record does not exist in this business: 404. */
export class NotFound extends BillycanError {}

/** The record's state does not allow the call: 409. `allowedActions` lists the actions it allows. */
export class Conflict extends BillycanError {}

/** The record changed since the version in `ifMatch`: 412. */
export class VersionConflict extends BillycanError {}

/** The body breaks a rule: 422. `details` names each member and its fault. */
export class Invalid extends BillycanError {}

/** Too many requests, after all retries: 429. */
export class RateLimited extends BillycanError {}

/** The server failed: 500, 503. */
export class ServerFault extends BillycanError {}

/** No answer, after all retries. A change may have been made nevertheless. */
export class ConnectionFailed extends BillycanError {}

/** An answer that the API never gives, such as a proxy's page. */
export class UnexpectedAnswer extends BillycanError {}

const TYPES: Record<string, typeof BillycanError> = {
  invalid_request: InvalidRequest,
  authentication: Unauthenticated,
  permission: Forbidden,
  not_found: NotFound,
  conflict: Conflict,
  precondition: VersionConflict,
  validation: Invalid,
  rate_limit: RateLimited,
  api: ServerFault,
};

/** Return the error of an answer other than 2xx. */
export function errorOf(status: number, text: string, retryAfter: number | null): BillycanError {
  try {
    const body: ErrorBody = JSON.parse(text).error;
    return new (TYPES[body.type] ?? BillycanError)(body.message, body.code, { status, body, retryAfter });
  } catch {
    const message = `HTTP ${status} without the API's envelope; is the URL right?`;
    return new UnexpectedAnswer(message, "unexpected_answer", { status, retryAfter });
  }
}
