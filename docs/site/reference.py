"""Write docs/reference.md from the signatures and docstrings of the public modules that docs/versions.md lists.

An entry `name: text` in a docstring, below its first paragraph, tells of a member or parameter. A string below the
assignment of a value tells of that. A function whose docstring ends with "For core alone." is left out.
"""

import ast
import importlib.util
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
HEAD = """\
# Reference for plugin authors

All that a plugin may import, module by module. `make fix` writes this page from the docstrings in the code.
[Versions](versions.md#plugin-api) says what stays stable, [Write a plugin](write-a-plugin.md) is the place to begin,
and [Topics for plugin authors](plugin-topics.md) explains what several of these names do together. Give the members of
a Struct by their names, as in `Manifest(name="assets")`: most Structs take them in no other way.
"""
_PRIVATE = "For core alone."
_ENTRY = re.compile(r"^(\w+(?:, \w+)*): (?=\S)", re.MULTILINE)
_WIDTH = 120


class Found(NamedTuple):
    """The code that defines a name, the docstring that goes with it, and the module where it stands."""

    node: ast.AST
    docstring: str
    module: ModuleType


def write() -> str:
    """Return the text of docs/reference.md; exit with a message if a name is not explained."""
    versions = (ROOT / "docs" / "versions.md").read_text("utf-8")
    parts = [HEAD]
    for module, purpose in re.findall(r"^\| `(billycan[.\w]*)` \| (.*?) \|", versions, re.MULTILINE):
        parts += [f"## `{module}`", f"{purpose[0].upper()}{purpose[1:]}."]
        found = {name: find(module, name) for name in importlib.import_module(module).__all__}
        values = [name for name, each in found.items() if not isinstance(each.node, ast.ClassDef | ast.FunctionDef)]
        parts.append("\n".join(_value(name, found[name]) for name in values))
        for name, each in found.items():
            if name not in values:
                parts += section(name, each)
    return "\n\n".join(text for part in parts if (text := part.rstrip("\n"))) + "\n"


def find(module: str, name: str) -> Found:
    """Find where a public name is defined, however many modules import it from one another."""
    home = importlib.import_module(module)
    node, docstring = _defined(home)[name]
    if not isinstance(node, ast.ImportFrom):
        return Found(node, docstring, home)
    package = module if hasattr(home, "__path__") else module.rpartition(".")[0]
    other = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
    return find(other, next(alias.name for alias in node.names if (alias.asname or alias.name) == name))


@cache
def _defined(module: ModuleType) -> dict[str, tuple[ast.AST, str]]:
    return {name: (node, text) for name, node, text in _names(ast.parse(inspect.getsource(module)).body)}


def _names(body: list[ast.stmt]) -> Iterator[tuple[str, ast.AST, str]]:
    """Yield each name that statements define or import, with its node and docstring."""
    for node, below in zip_longest(body, body[1:]):
        if isinstance(node, ast.If | ast.Try):
            yield from _names(node.body)
        elif isinstance(node, ast.ClassDef | ast.FunctionDef):
            yield node.name, node, ast.get_docstring(node) or ""
        elif isinstance(node, ast.ImportFrom):
            yield from ((alias.asname or alias.name, node, "") for alias in node.names)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            text = getattr(below.value, "value", None) if isinstance(below, ast.Expr) else None
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            names = (name for target in targets for name in getattr(target, "elts", [target]))
            yield from (
                (name.id, node, inspect.cleandoc(text) if isinstance(text, str) else "")
                for name in names
                if isinstance(name, ast.Name)
            )


def _value(name: str, found: Found) -> str:
    """Write an item for a constant or a type; the rule of a type describes it."""
    value = getattr(found.module, name)
    if not found.docstring and hasattr(value, "__metadata__"):
        return _item(f"{name}: {value.__origin__.__name__}", value.__metadata__[-1].schema["description"], name)
    return _item(name, found.docstring, name)


def section(name: str, found: Found, level: int = 3) -> list[str]:
    heading = f"{'#' * level} `{name}`"
    if isinstance(found.node, ast.FunctionDef):
        return [heading, _block(found.node, name), _text(found.docstring, {}, name)]
    body: list[ast.stmt] = getattr(found.node, "body", [])
    kind: Any = found.module
    for part in name.split("."):
        kind = getattr(kind, part)
    fields: tuple[str, ...] = getattr(kind, "__struct_fields__", ())
    bodies = [*(_private_base(base) for base in kind.__mro__[1:]), body]
    inherited = {each for base in kind.__mro__[1:] if not _is_ours(base) for each in vars(base)}
    named = {n: (node, text) for each in bodies for n, node, text in _names(each) if n not in inherited}
    codes = {n: _code(node, n) for n, (node, _) in named.items()}
    told = _told(found.docstring)
    own = {n for n, _, _ in _names(body)}
    rest = []
    for n, (node, text) in named.items():
        is_function = isinstance(node, ast.FunctionDef)
        is_private = n.startswith(("_", "test_")) or text.endswith(_PRIVATE) or "pytest.fixture" in _decorators(node)
        if is_private or n in told or isinstance(node, ast.ClassDef):
            continue
        if n in fields or (n in own and (is_function or text)):
            explained = f"`{n}`" in found.docstring
            rest.append(_item(codes[n], text, "" if explained else f"{name}.{n}"))
    start = next((node for n, node, _ in _names(body) if n == "__init__"), None)
    parts = [heading, _block(start, name) if isinstance(start, ast.FunctionDef) else ""]
    shared = [f"`{base.__name__}`" for base in kind.__bases__ if _is_ours(base) and not base.__name__.startswith("_")]
    parts += [_text(found.docstring, codes, name), f"Inherits {', '.join(shared)}." if shared else "", "\n".join(rest)]
    for n, node, text in _names(body):
        if isinstance(node, ast.ClassDef) and not n.startswith("_"):
            parts += section(f"{name}.{n}", Found(node, text, found.module), level + 1)
    return parts


def _is_ours(kind: type) -> bool:
    return kind.__module__.partition(".")[0] == "billycan"


def _private_base(kind: type) -> list[ast.stmt]:
    """Return the body of a base that is not public, whose members are shown as those of the class."""
    if not _is_ours(kind) or not kind.__name__.startswith("_"):
        return []
    node = find(kind.__module__, kind.__name__).node
    return node.body if isinstance(node, ast.ClassDef) else []


def _code(node: ast.AST, name: str) -> str:
    """Write what defines a name in one line."""
    if isinstance(node, ast.FunctionDef):
        is_property = not _decorators(node).isdisjoint({"property", "cached_property"})
        return f"{name}: {_kind(node.returns)}" if is_property else _call(node, name)
    if isinstance(node, ast.AnnAssign):
        return f"{name}: {_kind(node.annotation)}" + (f" = {_source(node.value)}" if node.value else "")
    return name


def _decorators(node: ast.AST) -> set[str]:
    return {ast.unparse(each) for each in getattr(node, "decorator_list", ())}


def _call(node: ast.FunctionDef, name: str) -> str:
    answer = _kind(node.returns)
    if "contextmanager" in _decorators(node):
        answer = f"AbstractContextManager{answer[answer.index('[') :]}"
    return f"{name}({', '.join(_arguments(node))})" + (f" -> {answer}" if answer not in ("", "None") else "")


def _block(node: ast.FunctionDef, name: str) -> str:
    """Write a call as a block of code, with a line for each parameter if it is long."""
    text = _call(node, name)
    if len(text) > _WIDTH:
        lines = [f"    {each}," for each in _arguments(node)]
        text = text.replace(f"({', '.join(_arguments(node))})", "\n".join(["(", *lines, ")"]), 1)
    return f"```text\n{text}\n```"


def _arguments(node: ast.FunctionDef) -> Iterator[str]:
    """Yield the parameters of a function as it declares them, but self."""
    given = node.args
    plain = [*given.posonlyargs, *given.args]
    defaults = [None] * (len(plain) - len(given.defaults)) + [*given.defaults]
    for n, (each, default) in enumerate(zip(plain, defaults, strict=True)):
        if n or each.arg not in ("self", "cls"):
            yield _argument(each, default)
        if n and n == len(given.posonlyargs) - 1:
            yield "/"
    if given.vararg or given.kwonlyargs:
        yield f"*{_argument(given.vararg) if given.vararg else ''}"
    yield from (_argument(*each) for each in zip(given.kwonlyargs, given.kw_defaults, strict=True))
    if given.kwarg:
        yield f"**{_argument(given.kwarg)}"


def _argument(node: ast.arg, default: ast.expr | None = None) -> str:
    kind = f": {_kind(node.annotation)}" if node.annotation else ""
    return f"{node.arg}{kind}" + (f"{' = ' if kind else '='}{_source(default)}" if default else "")


class _Unquoted(ast.NodeTransformer):
    """Takes the quotation marks off types that are defined later."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        return node if ast.unparse(node.value) == "Literal" else self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        return self.visit(ast.parse(node.value, mode="eval").body) if isinstance(node.value, str) else node


def _kind(node: ast.expr | None) -> str:
    return _source(_Unquoted().visit(node)) if node else ""


def _source(node: ast.AST) -> str:
    return ast.unparse(node).replace("'", '"')


def _told(docstring: str) -> set[str]:
    """List the members that the entries of a docstring tell of."""
    below = docstring.partition("\n\n")[2]
    return {name for names in _ENTRY.findall(below) for name in names.split(", ")}


def _text(docstring: str, codes: dict[str, str], name: str, width: int = _WIDTH) -> str:
    """Write a docstring as Markdown; its entries become a list, each with the code of its member."""
    if not docstring:
        raise SystemExit(f"docs/reference.md needs a docstring of {name}")
    first, *more = re.split(r"\n{2,}", docstring)
    parts = [_wrapped(first, width=width)]
    for paragraph in more:
        if paragraph.startswith("    "):
            parts.append(f"```text\n{textwrap.dedent(paragraph)}\n```")
        elif _ENTRY.match(paragraph):
            entries = (entry.partition(": ") for entry in re.split(r"\n(?=\S)", paragraph))
            parts.append(
                "\n".join(_item(", ".join(codes.get(n, n) for n in ns.split(", ")), t) for ns, _, t in entries)
            )
        else:
            parts.append(_wrapped(paragraph, width=width))
    return "\n\n".join(parts)


def _item(code: str, text: str, name: str = "") -> str:
    """Write an item of a list: code and the docstring that goes with it, which may be missing if there is no name."""
    if not text and name:
        raise SystemExit(f"docs/reference.md needs a docstring of {name}")
    first, _, more = text.partition("\n\n")
    item = _wrapped(f"- `{code}`" + (f": {first}" if first else ""), "  ")
    return item + (f"\n\n{textwrap.indent(_text(more, {}, name, _WIDTH - 2), '  ')}" if more else "")


def _wrapped(text: str, indent: str = "", width: int = _WIDTH) -> str:
    words = " ".join(text.split())
    lines = textwrap.wrap(words, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
    return "\n".join(lines)


if __name__ == "__main__":
    sys.stdout.write(write())
