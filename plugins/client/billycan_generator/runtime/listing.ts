/** Lists: every item of every page, fetched as needed. */

import type { Connection, Options, Page } from "./connection.js";

/**
 * `for await (const invoice of api.invoices.list({ status: "sent" }))`: all of them, page after page.
 *
 * A page is fetched when the loop reaches it, the first one with the first item. Rows added or removed in the meantime
 * neither repeat nor vanish. Each loop starts anew.
 */
export class Listing<T> implements AsyncIterable<T> {
  readonly #connection: Connection;
  readonly #path: string;
  readonly #query: Record<string, unknown>;
  readonly #options: Options;

  constructor(connection: Connection, path: string, query: object, options: Options) {
    this.#connection = connection;
    this.#path = path;
    this.#query = { ...query };
    this.#options = options;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    for await (const page of this.pages()) yield* page.data;
  }

  /** Yield the pages, from the requested one on. */
  async *pages(): AsyncGenerator<Page<T>, void, undefined> {
    let page = await this.#page(this.#query);
    yield page;
    const { page: _, ...rest } = this.#query;
    while (page.pagination.next_cursor !== null) {
      page = await this.#page({ ...rest, cursor: page.pagination.next_cursor });
      yield page;
    }
  }

  /** Return the first item; undefined if the list is empty. */
  async first(): Promise<T | undefined> {
    return (await this.#page(this.#one)).data[0];
  }

  /** Return the number of items on all pages. */
  async total(): Promise<number> {
    return (await this.#page(this.#one)).pagination.total;
  }

  /** All items in an array: for lists that are known to be short. */
  async all(): Promise<T[]> {
    const found: T[] = [];
    for await (const item of this) found.push(item);
    return found;
  }

  get #one(): object {
    // A cursor and a page's number are valid only for one page size.
    return this.#query.page || this.#query.cursor ? this.#query : { ...this.#query, per_page: 1 };
  }

  #page(query: object): Promise<Page<T>> {
    return this.#connection.page<T>(this.#path, query, this.#options);
  }
}
