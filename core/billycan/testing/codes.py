"""Find error codes that a plugin raises or documents without declaring them."""

import ast
import inspect
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from .. import problems
from ..describe.codes import CODES, of_manifests
from ..manifest import Manifest
from ..members import structs_within
from ..platform import manifest as platform
from ..problems import Problem
from ..starting import packages, plugins, signatures
from .samples import literals

_PROBLEMS = {n: p for n, p in vars(problems).items() if isinstance(p, type) and issubclass(p, Problem)}


def undeclared(manifest: Manifest, folder: Path | None) -> Iterator[str]:
    """Describe each code that core, the plugin and the plugins it requires or uses do not declare, with the cure.

    `folder` holds the plugin's source files; it is None if there are none to read.
    """
    near = [platform, *_find_manifests((*manifest.requires, *manifest.uses)), manifest]
    codes = {**CODES, **of_manifests(*near)}
    for path in sorted(folder.rglob("*.py")) if folder else ():
        for line, code, status in raised(path.read_text("utf-8")):
            where = f"{path.name}:{line} raises `{code}`"
            if code not in codes:
                cure = f'add codes={{"{code}": ({status or 409}, "…")}} to the manifest, or correct the code'
                yield f"{where}, which nobody declares: {cure}"
            elif status and codes[code].status != status:
                yield f"{where} with the status {status}, and it is declared with {codes[code].status}: make them agree"
    known = {*codes, *(word for each in near for word in _known_words(each))}
    for route in manifest.routes:
        for name in re.findall(r"`([a-z]+(?:_[a-z]+)+)`", inspect.getdoc(route.handler) or ""):
            if name not in known:
                what = f"the docstring of {route.handler.__name__} names `{name}`"
                yield f"{what}, which is no member and no declared error code: declare it in codes, or correct the name"


def raised(source: str) -> Iterator[tuple[int, str, int | None]]:
    """Yield the line of each error code in Python source, the code, and its status if its Problem is core's."""
    tree = ast.parse(source)
    constants = {
        target.id: node.value.value
        for node in tree.body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Constant)
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    raises = {node.exc for node in ast.walk(tree) if isinstance(node, ast.Raise)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            kind = _PROBLEMS.get(name := _last_word(node.func))
            given = next((k.value for k in node.keywords if k.arg == "code"), None) if kind or node in raises else None
            if name == "take_slot" and len(node.args) > 1:
                kind, given = problems.RateLimited, node.args[1]
        elif isinstance(node, ast.ClassDef):
            kind = next((_PROBLEMS[base] for b in node.bases if (base := _last_word(b)) in _PROBLEMS), None)
            assigned = (s for s in node.body if kind and isinstance(s, ast.Assign))
            given = next((s.value for s in assigned if [_last_word(t) for t in s.targets] == ["code"]), None)
        else:
            continue
        code = constants.get(_last_word(given)) if isinstance(given, ast.Name) else getattr(given, "value", None)
        if isinstance(code, str):
            yield node.lineno, code, kind.status if kind else None


def _last_word(node: ast.AST) -> str:
    """Return the last word of a name such as `problems.Conflict`, or an empty string for any other expression."""
    return str(getattr(node, "attr", getattr(node, "id", "")))


def _find_manifests(names: Iterable[str]) -> Iterator[Manifest]:
    return (plugins.read_manifest(name) for name in names if name in packages.installed())


def _known_words(manifest: Manifest) -> Iterator[str]:
    """Collect the other words that docstrings may put in backticks: paths, settings, members and their values."""
    yield manifest.name
    yield from manifest.settings.__struct_fields__ if manifest.settings else ()
    for route in manifest.routes:
        yield from re.findall(r"\w+", route.path)
        signature = signatures.read_signature(route)
        kinds = (signature.body, signature.query, signature.answer)
        for kind in (struct for each in kinds for struct in structs_within(each)):
            for field in msgspec.structs.fields(kind):
                yield field.encode_name
                yield from literals(field.type)
