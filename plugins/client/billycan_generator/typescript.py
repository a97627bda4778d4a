"""Write a client in TypeScript: `api`, `models` and `webhooks` as in Python, beside the modules of `runtime`."""

import json
import re
import textwrap
from collections.abc import Container, Iterable
from pathlib import Path
from typing import Any

from .document import (
    SCHEMAS,
    Json,
    answer_of,
    body_of,
    class_name,
    events_of,
    groups_of,
    is_listed,
    members_of,
    options_of,
    read_document,
    struct_of,
    structs_of,
    takes_bytes,
    text_of,
)

WIDTH = 120
SIMPLE = {"integer": "number", "number": "number", "boolean": "boolean", "string": "string", "null": "null"}
# Names that the bodies of methods use.
TAKEN = {"body", "content", "query", "options", "segment", "models"}
ANY_OTHER = "(string & {})"
# Names the member that says of which list a record is.
RECORD_OF = "x-record-of"

MODELS = """/** Types that the API takes and answers; written by `python -m billycan_generator --typescript`. */

{imports}"""

API = """/** One method for each operation of the API; written by `python -m billycan_generator --typescript`. */

{imports}"""

WEBHOOKS = """/** Events that webhooks deliver; written by `python -m billycan_generator --typescript`. */

import { verified } from "./deliveries.js";
import type { Delivery, ReceivedHeaders, Verifying } from "./deliveries.js";
{imports}
export { VerificationError } from "./deliveries.js";

/** Return the event of a delivery, whose body is as it was received. Throw VerificationError if it is not genuine. */
export async function verify(
  secret: string,
  headers: ReceivedHeaders,
  body: string | Uint8Array | ArrayBuffer,
  options: Verifying = {},
): Promise<Event> {
  return (await verified(secret, headers, body, options)) as Event;
}
"""


def modules(document: Json) -> dict[str, str]:
    """Map file names to sources: those that follow from the document, and those that are the same for each."""
    document = read_document(document)
    same = {path.name: path.read_text("utf-8") for path in (Path(__file__).parent / "runtime").glob("*.ts")}
    return {**same, "api.ts": _api(document), "models.ts": _models(document), "webhooks.ts": _webhooks(document)}


def _models(document: Json) -> str:
    schemas = document["components"]["schemas"]
    sent, shown = structs_of(document)
    bodies = {body_of(operation).get("$ref", "").removeprefix(SCHEMAS) for operation in _operations(document)}
    names = sorted((sent | shown | bodies) - {""})
    parts = [_codes(document), _listed_records(document)]
    for name in names:
        declared = _declare(class_name(name), schemas[name], sent=name not in shown)
        parts.append(_comment(schemas[name].get("description")) + declared)
    whole = "\n".join(parts)
    return MODELS.replace("{imports}", _imports(whole, types="Amount")) + "\n" + whole


def _codes(document: Json) -> str:
    """Return the type of the codes of errors, which the descriptions of answers list."""
    answers = (answer for operation in _operations(document) for answer in operation["responses"].values())
    codes = {code for answer in answers for code in re.findall(r"(?m)^- `(\w+)`: ", answer.get("description", ""))}
    lines = "".join(f"\n  | {json.dumps(code)}" for code in sorted(codes)) or " string"
    return f"/** Codes of errors. */\nexport type ErrorCode ={lines};\n"


def _listed_records(document: Json) -> str:
    """Return a type that maps the name of each list, the last part of its path, to the type of its records."""
    lines = []
    for operations in groups_of(document).values():
        for _, method, path, operation in operations:
            if method == "get" and "{" not in path and is_listed(operation):
                item = _type((answer_of(operation) or {})["items"], False)
                lines.append(f"  {_key(path.rpartition('/')[2])}: {item};\n")
    return f"/** The records of each list, by its name. */\nexport interface ListedRecords {{\n{''.join(lines)}}}\n"


def _declare(name: str, struct: Json, *, sent: bool) -> str:
    """Return a Struct's type; one with a record of any list is a choice of types, told apart by the list's name."""
    naming = [each[RECORD_OF] for _, kind in members_of(struct, sent) for each in options_of(kind) if RECORD_OF in each]
    members = textwrap.indent(_members(struct, naming, sent=sent), "  ")
    if naming:
        return f"export type {name} = {{ [R in keyof ListedRecords]: {{\n{members}}} }}[keyof ListedRecords];\n"
    return f"export interface {name} {{\n{members}}}\n"


def _members(struct: Json, naming: Container[str] = (), *, sent: bool) -> str:
    lines = []
    for member, kind in members_of(struct, sent):
        # Records lack the members of plugins that are off.
        required = member in struct.get("required", ()) and "x-plugin" not in kind
        type_ = "R" if member in naming else _type(kind, sent)
        hint = f"{_key(member)}{'' if required else '?'}: {type_};"
        lines.append(f"{_comment(text_of(kind))}{hint}\n")
    return "".join(lines)


def _api(document: Json) -> str:
    queries, classes, members = [], [], []
    for group, operations in groups_of(document).items():
        members.append(f"  readonly {_camel(group)} = new {class_name(group)}(this);\n")
        methods = []
        for name, method, path, operation in operations:
            asked = f"{class_name(name)}{class_name(group)}Query"
            if parameters := _asked(operation):
                queries.append(f"\nexport interface {asked} {{\n{textwrap.indent(parameters, '  ')}}}\n")
            method_ = _method(document, _camel(name), method, path, operation, asked if parameters else "")
            methods.append(textwrap.indent(method_, "  "))
        head = "  readonly #api: Connection;\n\n  constructor(api: Connection) {\n    this.#api = api;\n  }\n"
        classes.append("\n".join([f"\nexport class {class_name(group)} {{\n{head}", *methods]) + "}\n")
    title = _comment(f"The API of {document['info']['title']}.")
    whole = f"\n{title}export class Billycan extends Connection {{\n{''.join(members)}}}\n"
    text = "".join([whole, *classes, *queries])
    types = "Amount ChangeOptions Content Many Options VersionOptions"
    return API.replace("{imports}", _imports(text, "Connection segment", types)) + text


def _webhooks(document: Json) -> str:
    lines, names = list[str](), list[str]()
    for name, event, says in sorted(events_of(document), key=lambda event: event[0]):
        names.append(class_name(name))
        delivery = f"Delivery<{json.dumps(name)}, {_type(event['data'], False, 'models.')}>"
        lines.append(f"\n{_comment(says)}export type {names[-1]} = {delivery};\n")
    union = "".join(f"\n  | {name}" for name in names) or " Delivery<string, unknown>"
    says = "An event. Those that a later version adds are none of these: let a `default` of your `switch` leave them."
    text = "".join([*lines, f"\n{_comment(says)}export type Event ={union};\n"])
    return WEBHOOKS.replace("{imports}", _imports(text)) + text


def _method(document: Json, name: str, method: str, path: str, operation: Json, asked: str) -> str:
    parameters, answer, listed = operation["parameters"], answer_of(operation), is_listed(operation)
    headers = {parameter["name"].lower() for parameter in parameters if parameter["in"] == "header"}
    options = "ChangeOptions" if "idempotency-key" in headers else "Options"
    options = "VersionOptions" if "if-match" in headers else options
    names = {p["name"]: _argument(p["name"]) for p in parameters if p["in"] == "path"}
    signature, sent = [f"{own}: string" for own in names.values()], []
    required, optional = _body_argument(document, operation)
    if takes_bytes(operation):
        sent.append("content")
    elif "requestBody" in operation:
        sent.append("body" if required or optional else "body: {}")
    if asked:
        needed = any(p.get("required") for p in parameters if p["in"] == "query")
        (required if needed else optional).append(f"query: {asked}{'' if needed else ' = {}'}")
        sent.append("query")
    signature += [*required, *optional, f"options: {options} = {{}}"]

    target = re.sub(r"{(\w+)}", lambda found: f"${{segment({names[found[1]]})}}", path)
    place = f"`{target}`" if names else json.dumps(path)
    if listed and answer:
        item = _type(answer["items"], False, "models.")
        most = next((p["schema"]["maximum"] for p in parameters if p["name"] == "per_page"), None)
        query = f"{{ per_page: {most}, ...query }}" if most else "query"  # fewer requests for the same items
        returns, call = f"Listing<{item}>", f"new Listing(this.#api, {place}, {query}, options)"
    else:
        called = ", ".join([json.dumps(method.upper()), place, f"{{ {', '.join([*sent, '...options'])} }}"])
        kind = "Uint8Array" if answer is None else _type(answer, False, "models.")
        way = "bytes" if answer is None else f"call<{kind}>"
        returns, call = f"Promise<{kind}>", f"this.#api.{way}({called})"
    says = "\n\n".join(part for part in (operation.get("summary"), operation.get("description")) if part)
    deprecated = "\n\n@deprecated It will be removed." if operation.get("deprecated") else ""
    return f"{_comment(says + deprecated)}{_head(name, signature, returns)}  return {call};\n}}\n"


def _head(name: str, signature: list[str], returns: str) -> str:
    line = f"{name}({', '.join(signature)}): {returns} {{\n"
    if len(line) < WIDTH:
        return line
    return "".join([f"{name}(\n", *(f"  {each},\n" for each in signature), f"): {returns} {{\n"])


def _body_argument(document: Json, operation: Json) -> tuple[list[str], list[str]]:
    """Return the argument for a body among those that are required, or among those that are not."""
    if takes_bytes(operation):
        return ["content: Content"], []
    schema = body_of(operation)
    struct = struct_of(document["components"]["schemas"], schema)
    hint = f"body: {_type(schema, True, 'models.')}"
    if not schema or struct.get("properties") == {}:
        return [], []
    if "properties" in struct and not struct.get("required"):
        return ([], [f"{hint} = {{}}"]) if not operation["requestBody"].get("required") else ([hint], [])
    return [hint], []


def _asked(operation: Json) -> str:
    """Return the members of a query; types have every member, so `fields`, which omits members, is not among them."""
    lines = []
    for parameter in operation["parameters"]:
        if parameter["in"] == "query" and parameter["name"] != "fields":
            schema = parameter.get("schema", {})
            hint = _type(schema, True, "models.")
            if schema.get("type") == "array":
                hint = f"Many<{_type(schema.get('items'), True, 'models.')}>"
            says = _comment(parameter.get("description") or text_of(schema))
            lines.append(f"{says}{_key(parameter['name'])}{'' if parameter.get('required') else '?'}: {hint};\n")
    return "".join(lines)


def _type(schema: Any, sent: bool, prefix: str = "") -> str:
    """Return a schema as a type: for answers, open to the additions of a later server."""
    if not isinstance(schema, dict):
        return "unknown"
    if "$ref" in schema:
        return prefix + class_name(schema["$ref"].removeprefix(SCHEMAS))
    if values := schema.get("enum", [schema["const"]] if "const" in schema else []):
        is_open = not sent and all(isinstance(value, str) for value in values)
        return " | ".join([*map(json.dumps, values), *([ANY_OTHER] if is_open else [])])
    if options := options_of(schema):
        kinds = list(dict.fromkeys(_type(option, sent, prefix) for option in options))
        if sent and {"number", "string"} <= {*kinds}:
            kinds = ["Amount", *(kind for kind in kinds if kind not in ("number", "string"))]
        return " | ".join(kinds)
    if RECORD_OF in schema:
        return "ListedRecords[R]"
    match schema.get("type"):
        case "array":
            return f"{'ReadonlyArray' if sent else 'Array'}<{_type(schema.get('items'), sent, prefix)}>"
        case "object":
            return f"Record<string, {_type(schema.get('additionalProperties'), sent, prefix)}>"
        case kind:
            return SIMPLE.get(kind or "", "unknown")


def _imports(text: str, values: str = "", types: str = "") -> str:
    """Return the imports of what a module uses: compilers may refuse others."""
    lines = []
    for kind, names in (("import", values), ("import type", types)):
        if used := [name for name in names.split() if re.search(rf"\b{name}\b", text)]:
            lines.append(f'{kind} {{ {", ".join(used)} }} from "./connection.js";\n')
    lines += ['import { Listing } from "./listing.js";\n'] * ("new Listing(" in text)
    lines += ['import type * as models from "./models.js";\n'] * ("models." in text)
    return "".join(lines)


def _operations(document: Json) -> Iterable[Json]:
    return (operation for each in groups_of(document).values() for *_, operation in each)


def _argument(name: str) -> str:
    own = _camel(name)
    return f"{own}_" if own in TAKEN else own


def _camel(name: str) -> str:
    first, *rest = re.split(r"[^a-zA-Z0-9]+", name)
    return first + "".join(word[:1].upper() + word[1:] for word in rest)


def _key(name: str) -> str:
    return name if re.fullmatch(r"[a-zA-Z_$][\w$]*", name) else json.dumps(name)


def _comment(text: str | None) -> str:
    """Return a comment for tools that show it; empty without a text."""
    if not text:
        return ""
    lines: list[str] = []
    # Wrap a paragraph as a whole, since its own lines may be too long.
    whole = re.sub(r"(?<=\S)\n(?![-*@\s]|```)", " ", text.replace("*/", "* /").strip())
    for line in whole.splitlines():
        hangs = "  " if re.match(r"\s*[-*] ", line) else ""
        lines += textwrap.wrap(line, WIDTH - 8, subsequent_indent=hangs, break_on_hyphens=False) or [""]
    if len(lines) == 1:
        return f"/** {lines[0]} */\n"
    return "/**\n" + "".join(f" * {line}".rstrip() + "\n" for line in lines) + " */\n"
