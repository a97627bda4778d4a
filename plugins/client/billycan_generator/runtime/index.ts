/** A typed client for billycan's API: `await new Billycan("https://api.example.com", key).invoices.send(id)`. */

export { Billycan } from "./api.js";
export type { Amount, Content, Many, Options, Page, Pagination, Settings } from "./connection.js";
export * from "./errors.js";
export { Listing } from "./listing.js";
export type * as models from "./models.js";
