"""Add a resource to an existing plugin: a folder like that of a new plugin, and its lines in the manifest."""

import ast
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

from ..starting import packages
from . import scaffold
from .scaffold import Unfit, Words

_FILES = ("handlers.py", "resource.py")
_LISTS = ("requires", "tables", "events", "routes", "records")


def write_resource(plugin: str, words: Words) -> list[Path]:
    """Write the resource into an installed plugin, with its migration and a section of the README; return the files.

    Raise Unfit, and write nothing, if the manifest is not written as literals, so that its lines cannot be added.
    """
    module = import_module(packages.installed()[plugin].value)
    source = Path(str(module.__file__))
    folder = source.parent / words.name
    if folder.exists():
        raise Unfit(f"{folder} already exists: choose another NAME")
    if packages.migrations_of(plugin) is None:
        raise Unfit(f"{plugin} has no migrations: put the first into the folder migrations beside {source}")
    changed = _with_resource(source.read_text("utf-8"), plugin, words)
    folder.mkdir()
    texts = {folder / name: _fill_template(f"billycan_gadgets/{name}", plugin, words) for name in _FILES}
    texts |= {folder / "__init__.py": "", source: changed}
    readme = source.parents[1] / "README.md"
    if readme.exists():
        texts[readme] = readme.read_text("utf-8").rstrip() + f"\n\n## {words.name}\n\n" + _readme_part(plugin, words)
    for path, text in texts.items():
        path.write_text(text, "utf-8")
    # In a process that has not imported the old version of the plugin.
    what = f"Create the table of {words.name.replace('_', ' ')}"
    command = [sys.executable, "-m", "billycan.tools.cli", "plugins", "new-migration", plugin, what]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise Unfit(f"the migration could not be written: {done.stderr.strip()}")
    return [*texts, Path(done.stdout.strip())]


def _fill_template(path: str, plugin: str, words: Words) -> str:
    """Return a file of a new plugin, with this plugin's table and scopes."""
    text = scaffold.fit_template(scaffold.TEMPLATE / f"{path}.txt", words)
    text = re.sub(rf'(\bresource\(\s*)"{words.name}"', rf'\1"{plugin}_{words.name}"', text)
    return re.sub(rf'"{words.name}:(read|write)"', rf'"{plugin}:\1"', text)


def _readme_part(plugin: str, words: Words) -> str:
    lines = _fill_template("README.md", plugin, words).splitlines(keepends=True)
    first = next(i for i, line in enumerate(lines) if line.startswith("- "))
    last = next(i for i, line in enumerate(lines) if i > first and not line.strip())
    return "".join(lines[first:last]).replace(f"`{words.name}:", f"`{plugin}:")


def _with_resource(source: str, plugin: str, words: Words) -> str:
    """Return the source of a manifest with the lines of a resource added."""
    template = _fill_template("billycan_gadgets/plugin.py", plugin, words)
    ours, theirs = _manifest_members(template), _manifest_members(source)
    lines = source.splitlines(keepends=True)
    # From last to first, so that earlier positions stay valid.
    for name in sorted(_LISTS, key=lambda name: theirs[name].lineno if name in theirs else 0, reverse=True):
        parts = _list_parts(template, ours[name])
        if name not in theirs:
            raise Unfit(
                f"the manifest of {plugin} has no {name}: add {name}={'{}' if name == 'events' else '()'} to it"
            )
        there = theirs[name]
        known = _list_parts(source, there)
        parts = [part for part in parts if part not in known]
        if parts:
            _insert_parts(lines, there, parts, brackets="{}" if name == "events" else "()")
    imports = [line for line in _list_imports(template) if line.startswith("from .")]
    return _add_imports("".join(lines), [re.sub(r"^from \.", f"from .{words.name}.", line) for line in imports])


def _add_imports(source: str, imports: list[str]) -> str:
    """Return the source with more imports from the plugin's own modules, sorted in by module."""
    lines = source.splitlines(keepends=True)
    own = [node for node in ast.parse(source).body if isinstance(node, ast.ImportFrom) and node.level]
    if not own:
        raise Unfit("the manifest's module imports nothing from the plugin's own modules: add the resource by hand")
    first, last = own[0].lineno - 1, own[-1].end_lineno or 0
    every = [*("".join(lines[node.lineno - 1 : node.end_lineno]) for node in own), *(f"{line}\n" for line in imports)]
    return "".join([*lines[:first], *sorted(every, key=lambda line: line.split()[1]), *lines[last:]])


def _manifest_members(source: str) -> dict[str, ast.Tuple | ast.Dict]:
    """Map names to the tuples and dicts of the manifest in a module."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Manifest":
            return {
                keyword.arg: keyword.value
                for keyword in node.keywords
                if keyword.arg and isinstance(keyword.value, ast.Tuple | ast.Dict)
            }
    raise Unfit("there is no Manifest(…) in the module that the plugin's entry point names: add the resource by hand")


def _list_parts(source: str, value: ast.Tuple | ast.Dict) -> list[str]:
    """List the source of each member of a tuple or dict."""
    if isinstance(value, ast.Tuple):
        return [ast.get_source_segment(source, each) or "" for each in value.elts]
    pairs = zip(value.keys, value.values, strict=True)
    return [": ".join(ast.get_source_segment(source, each) or "" for each in pair if each) for pair in pairs]


def _insert_parts(lines: list[str], value: ast.Tuple | ast.Dict, parts: list[str], brackets: str) -> None:
    """Add members at the end of a tuple or dict, each on a line of its own unless all are on one line."""
    end = (value.end_lineno or 1) - 1
    line, at = lines[end], (value.end_col_offset or 1) - 1
    if value.lineno - 1 < end:
        new = "".join(f"        {part},\n" for part in parts)
        lines[end] = f"{new}{line}"
        return
    inside = line[value.col_offset + 1 : at].rstrip(", ")
    both = ", ".join([*([inside] if inside else []), *parts])
    comma = "," if brackets == "()" and "," not in both else ""
    lines[end] = line[: value.col_offset] + brackets[0] + both + comma + brackets[1] + line[at + 1 :]


def _list_imports(source: str) -> list[str]:
    """List the import statements of a module, each as its source."""
    tree = ast.parse(source)
    found = [node for node in tree.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return [ast.get_source_segment(source, node) or "" for node in found]
