// Write billycan.d.ts from an OpenAPI document: node types.mjs openapi.json billycan.d.ts
import { readFile, writeFile } from "node:fs/promises";
import openapiTS, { astToString } from "openapi-typescript";

const [from, to] = process.argv.slice(2);
// Examples are for readers of the document; as comments they would be most of the file.
const document = JSON.parse(await readFile(from, "utf8"), (_, value) => {
  if (value && typeof value === "object" && "schema" in value) delete value.examples, delete value.example;
  return value;
});
// A member with a default may be left out of what is sent.
const types = await openapiTS(document, { defaultNonNullable: false, emptyObjectsUnknown: true });
await writeFile(to, `/** The types of billycan's API, written from its OpenAPI document. */\n\n${astToString(types)}`);
