"""Lay out the sources of the site: docs/, a page for each plugin, and the files that these link to.

    python docs/site/pages.py FOLDER

A plugin's page is its README followed by its routes and their members, from the OpenAPI document.
"""

import json
import posixpath
import re
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_LINK = re.compile(r"(!?\[[^\]]*\]\()(?!https?:|#)([^)#\s]+)([^)\s]*\))")
_LANGUAGES = {".py": "python", ".ts": "ts", ".toml": "toml", ".conf": "nginx", ".service": "ini"}
# Parameters of every list and errors of any request, which docs/api.md and docs/errors.md describe once.
_EVERY_LIST = re.compile(r"page|per_page|cursor|external_id|metadata|(created|updated)_at_(from|to)|updated_since")
_EVERYWHERE = re.compile(
    r"malformed_\w+|duplicate_key|too_deep|unknown_parameter|invalid_(parameter|filter|sort|cursor|api_key)|\w+_api_key"
    r"|insufficient_scope|\w+_not_found|not_acceptable|timeout|conflict|version_conflict|idempotency_\w+"
    r"|duplicate_external_id|payload_too_large|unsupported_media_type|validation_failed|rate_limited|internal_error"
    r"|unavailable"
)


def lay_out(folder: Path, document: dict[str, Any]) -> None:
    """Fill an empty folder with the pages, and point each link between them to its target's new place."""
    folder.mkdir(parents=True)
    folders = ("docs/*.md", "docs/decisions/*.md", "plugins/*/README.md", "examples/*/README.md")
    waiting = [path for pattern in folders for path in ROOT.glob(pattern)]
    done: set[Path] = set()
    while waiting:
        source = waiting.pop()
        if source in done:
            continue
        done.add(source)
        target = folder / _place(source)
        target.parent.mkdir(parents=True, exist_ok=True)
        if source.suffix in (".svg", ".png"):
            shutil.copy(source, target)
            continue
        text = _text(source, document)
        target.write_text(_turned(text, source, waiting), "utf-8")
    index = folder / "index.md"
    text = index.read_text("utf-8")
    index.write_text(text + _contents(text, folder), "utf-8")


def _place(source: Path) -> str:
    """Return the path in the site of a file of the repository."""
    path = source.relative_to(ROOT)
    if path.parts[0] == "docs":
        return path.relative_to("docs").as_posix()
    if path.name == "README.md" and len(path.parts) > 1:
        return f"{'resources' if path.parts[0] == 'plugins' else 'examples'}/{path.parts[1]}.md"
    return f"files/{path}" if path.suffix == ".md" else f"files/{path}.md"


def _text(source: Path, document: dict[str, Any]) -> str:
    path, text = source.relative_to(ROOT), source.read_text("utf-8")
    if source.suffix != ".md":
        language = _LANGUAGES.get(source.suffix, "text")
        return f"---\norphan: true\n---\n# {path}\n\n````{language}\n{text}````\n"
    if path.parts[0] == "plugins" or path.name == "core.md":
        text += reference(document, path.parts[1] if path.parts[0] == "plugins" else "core")
    if path.as_posix() == "docs/decisions/README.md":
        text += "\n" + _toctree("Decisions", sorted(other.stem for other in source.parent.glob("[0-9]*.md")))
    return text


def _turned(text: str, source: Path, waiting: list[Path]) -> str:
    """Rewrite the links of a text for the site; add the files they lead to to `waiting`."""

    def turn(link: re.Match[str]) -> str:
        before, target, after = link.groups()
        to = (source.parent / target).resolve()
        if not to.is_file():
            raise SystemExit(f"{source.relative_to(ROOT)}: {target} is no file")
        waiting.append(to)
        return f"{before}{posixpath.relpath(_place(to), posixpath.dirname(_place(source)) or '.')}{after}"

    parts = re.split(r"(^(`{3,}).*?^\2$)", text, flags=re.MULTILINE | re.DOTALL)
    # In each group of three parts, the second is a block of code and the third is its fence.
    return "".join(_LINK.sub(turn, part) if n % 3 == 0 else part for n, part in enumerate(parts) if n % 3 < 2)


def _contents(index: str, folder: Path) -> str:
    """Read the site's order from the lists of links under the headings of its first page."""
    out: list[str] = []
    listed: set[str] = set()
    for section in re.split(r"^## ", index, flags=re.MULTILINE)[1:]:
        pages = re.findall(r"\[(.+)\]\(([\w/-]+)\.md\)", section)
        listed.update(page for _, page in pages)
        out.append(_toctree(section.splitlines()[0], [f"{title} <{page}>" for title, page in pages]))
    for caption, kind in (("Other plugins", "resources"), ("Other examples", "examples")):
        others = {page.relative_to(folder).with_suffix("").as_posix() for page in folder.glob(f"{kind}/*.md")} - listed
        if others:
            out.append(_toctree(caption, sorted(others)))
    return "".join(["\n", *out])


def _toctree(caption: str, entries: list[str]) -> str:
    return "\n".join(["```{toctree}", ":hidden:", f":caption: {caption}", "", *entries, "```", "", ""])


def reference(document: dict[str, Any], plugin: str) -> str:
    """Write the routes of a plugin and the members they take and return; empty if it has none."""
    operations = [
        (method.upper(), path, operation)
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
        if method in ("get", "post", "patch", "delete") and plugin in operation["tags"]
    ]
    if not operations:
        return ""
    named = _named(document, [operation for _, _, operation in operations])
    lines = ["", "## Each route", ""]
    for method, path, operation in operations:
        lines += _operation(document, plugin, method, path, operation)
    lines += ["## Each member", ""]
    for name in named:
        lines += _members(document, plugin, name)
    return "\n".join(lines)


def _operation(document: dict[str, Any], plugin: str, method: str, path: str, operation: dict[str, Any]) -> list[str]:
    lines = [f"### `{method} {path}`", "", operation["summary"], "", operation.get("description", ""), ""]
    if operation.get("deprecated"):
        lines += ["**Deprecated.**", ""]
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {})
    answer = next(response for status, response in operation["responses"].items() if status < "300")
    given = answer.get("content", {})
    data = given.get("application/json", {}).get("schema", {}).get("properties", {}).get("data", {})
    empty = not body or body["schema"].get("$ref", "").endswith("/Empty")
    takes = "" if empty else f"Takes {_kind(body['schema'], plugin)}. "
    gives = f"Gives {_kind(data, plugin)}." if data else f"Gives `{', '.join(given)}`."
    lines += [takes + gives, ""]
    lines += _parameters(operation, plugin)
    if codes := list(_codes(document, operation)):
        lines += ["Refused with", "", *codes, ""]
    return lines


def _parameters(operation: dict[str, Any], plugin: str) -> list[str]:
    """Write a row for each parameter of this operation alone; both bounds of a range share one."""
    own = [
        p for p in operation.get("parameters", []) if p.get("in") == "query" and not _EVERY_LIST.fullmatch(p["name"])
    ]
    rows = []
    for parameter in own:
        name, kind, note = parameter["name"], parameter["schema"], parameter.get("description", "")
        if name == "sort":
            fields = re.findall(r"\w+", kind["pattern"].partition(")")[0])
            kind, note = {"enum": fields}, "`-` before one for descending, several with commas"
        if name.endswith("_to") and any(p["name"] == f"{name[:-3]}_from" for p in own):
            continue
        if name.endswith("_from") and any(p["name"] == f"{name[:-5]}_to" for p in own):
            name, note = f"{name}`, `{name[:-5]}_to", "both inclusive"
        rows.append((name, kind, note))
    return _rows("Parameter", rows, plugin) if rows else []


def _codes(document: dict[str, Any], operation: dict[str, Any]) -> Iterator[str]:
    """Yield the error codes of this operation alone."""
    for status, response in operation["responses"].items():
        if "$ref" in response:
            response = _named_part(document, response["$ref"])  # noqa: PLW2901
        if status >= "400":
            for code, meaning in re.findall(r"^- `(\w+)`: (.*)$", response["description"], re.MULTILINE):
                if not _EVERYWHERE.fullmatch(code):
                    yield f"- {status} `{code}`: {meaning}"


def _members(document: dict[str, Any], plugin: str, name: str) -> list[str]:
    schemas = document["components"]["schemas"]
    schema, like = schemas[name], _like(name, schemas)
    lines = [f"({_anchor(plugin, name)})=", f"### {name}", ""]
    if like and name.endswith("Change"):
        return [*lines, f"Any of the members of [{like}](#{_anchor(plugin, like)}); null clears.", ""]
    if like:
        left_out = sorted(schemas[like]["properties"].keys() - schema["properties"].keys())
        without = f" without {', '.join(f'`{member}`' for member in left_out)}" if left_out else ""
        return [*lines, f"As [{like}](#{_anchor(plugin, like)}){without}. {schema.get('description', '')}", ""]
    lines += [schema.get("description", ""), ""]
    required = schema.get("required", []) if name.startswith("New") else []
    rows = []
    for member, kind in schema.get("properties", {}).items():
        note = "" if "$ref" in kind else kind.get("description", "")
        rows.append((member, kind, f"Required. {note}" if member in required else note))
    return lines + (_rows("Member", rows, plugin) if rows else [])


def _like(name: str, schemas: dict[str, Any]) -> str | None:
    """Return the schema whose members another shares: NewInvoice for InvoiceChange, Invoice for ListedInvoice."""
    other = f"New{name.removesuffix('Change')}" if name.endswith("Change") else name.removeprefix("Listed")
    return other if other != name and other in schemas else None


def _rows(first: str, rows: list[tuple[str, dict[str, Any], str]], plugin: str) -> list[str]:
    lines = [f"| {first} | Takes | |" if first == "Parameter" else f"| {first} | | |", "|---|---|---|"]
    lines += [f"| `{name}` | {_kind(kind, plugin)} | {' '.join(note.split())} |" for name, kind, note in rows]
    return [*lines, ""]


def _kind(schema: dict[str, Any], plugin: str) -> str:
    """Describe a value's type in a few words."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{_anchor(plugin, name)})"
    if "enum" in schema:
        return ", ".join(f"`{value}`" for value in schema["enum"])
    for union in ("anyOf", "oneOf"):
        if union in schema:
            kinds = dict.fromkeys(_kind(part, plugin) for part in schema[union])
            if {"number", "text"} == set(kinds) - {"null"}:  # Amounts are taken as numbers and as decimal strings.
                kinds = dict.fromkeys(kind for kind in kinds if kind != "text")
            return " or ".join(kinds)
    if schema.get("type") == "array":
        items = _kind(schema.get("items", {}), plugin)
        return f"list of {items}" if not items.startswith("`") else f"list: {items}"
    if schema.get("type") == "string":
        return {"date": "date", "date-time": "time"}.get(schema.get("format", ""), "text")
    kind = str(schema.get("type", "any"))
    return {"object": "map"}.get(kind, kind)


def _anchor(plugin: str, name: str) -> str:
    return f"{plugin}-{name}".lower().replace("_", "-")


def _named(document: dict[str, Any], operations: list[dict[str, Any]]) -> list[str]:
    """List the schemas that operations take and return, and those within them, in order of appearance."""
    found: dict[str, None] = {}
    schemas = document["components"]["schemas"]

    def visit(value: Any) -> None:
        if isinstance(value, dict):
            name = str(value.get("$ref", "")).removeprefix("#/components/schemas/")
            if "$ref" in value and "/" not in name and name != "Empty" and name not in found:
                found[name] = None
                visit(schemas[name])
                visit({"$ref": f"#/components/schemas/{like}"} if (like := _like(name, schemas)) else {})
            for key, part in value.items():
                if key not in ("example", "examples", "default"):
                    visit(part)
        elif isinstance(value, list):
            for part in value:
                visit(part)

    for operation in operations:
        visit(operation.get("requestBody", {}))
        for status, response in operation["responses"].items():
            if status < "300":
                content = response.get("content", {}).get("application/json", {}).get("schema", {})
                visit(content.get("properties", {}).get("data", {}))
    return list(found)


def _named_part(document: dict[str, Any], reference: str) -> dict[str, Any]:
    found = document
    for name in reference.removeprefix("#/").split("/"):
        found = found[name]
    return found


if __name__ == "__main__":
    lay_out(Path(sys.argv[1]), json.load(sys.stdin))
