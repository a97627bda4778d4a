"""Write a new plugin: the files of `template/` or `template_hooks/`, with the plugin's own words."""

import ast
import builtins
import itertools
import keyword
import re
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path

from msgspec import Struct

from ..manifest import Manifest
from ..platform import manifest as platform
from ..starting import checks, packages, plugins
from ..starting.settings import Settings

TEMPLATE, HOOKS = Path(__file__).parent / "template", Path(__file__).parent / "template_hooks"
# What the first party's ids begin with, installed or not.
_OURS = """
    acc adj agb ags agw ahe all app arc att bkg bkr cat chk cho clk cnx con cuf dig dlv eml ent epy exp gpr hel
    hld ics imc imm imp ims inv itm job led lex lin lnk ltr mfl nam ntr oac oat opb opl opn ort pay pmt prp quo
    rcp rec rfd rmd rst rul sec ses slt srv stf sup trk usr whk
"""
TAKEN = frozenset(_OURS.split())
_NAME = re.compile(r"[a-z][a-z0-9]*(_[a-z0-9]+)*")
_LONGEST, _WIDTH = 30, 120
_RULE = f"use lower-case words joined by _, at most {_LONGEST} characters, such as vehicles or work_orders"


class Unfit(Exception):
    """A plugin cannot have this name or form; the message says why, and what to do."""


class Words(Struct, frozen=True):
    """The words of a new plugin: its name, the name of one of its records, the prefix of their ids, and its purpose."""

    name: str
    one: str
    prefix: str
    about: str


def words(name: str, one: str | None, prefix: str | None, about: str | None) -> Words:
    """Return the words of a new plugin, deriving missing ones from its name; raise Unfit if they cannot be used."""
    for option, word in (("NAME", name), ("--one", one)):
        if word is not None:
            _check_rule(option, word)
    one = one or singular_of(name)
    if one == name:
        raise Unfit(
            f"{name} is not a plural: give the singular with --one, such as --one {name}_item, or choose a plural for"
            f" NAME, such as {name}_items"
        )
    _check_free(name, (name, one, _class_name(one)), "choose another NAME or --one")
    _check_others(name, one)
    prefix = prefix or next(free_prefixes(one))
    if not re.fullmatch(r"[a-z]{3}", prefix) or prefix in taken_prefixes():
        raise Unfit(f"--prefix: {prefix} is not allowed: use three lower-case letters that no other ids start with")
    about = about or f"{_words_of(name).capitalize()} of a business, and which contact looks after each"
    _check_about(about)
    return Words(name, one, prefix, about)


def hooks_words(name: str, about: str | None) -> Words:
    """Return the words of a new plugin without a resource; raise Unfit if they cannot be used."""
    _check_rule("NAME", name)
    _check_free(name, (name,), "choose another")
    about = about or "What nobody may do here"
    _check_about(about)
    return Words(name, name, "", about)


def _check_rule(option: str, word: str) -> None:
    if not (_NAME.fullmatch(word) and len(word) <= _LONGEST):
        raise Unfit(f"{option}: {word} is not allowed: {_RULE}")


def _check_free(name: str, used: Iterable[str], cure: str) -> None:
    identifiers = _template_identifiers()
    for word in used:
        if word in identifiers or keyword.iskeyword(word) or hasattr(builtins, word):
            raise Unfit(f"Python or the plugin's own files use the word {word}: {cure}")
    paths = {route.path.split("/")[2] for route in platform.routes}
    if name in {"core", "platform", *Settings.__struct_fields__, *paths}:
        raise Unfit(f"core uses the name {name}: choose another")
    if name in packages.renamed():
        raise Unfit(f"{packages.explain_mistake(name)}; choose another name for a plugin of your own")
    if name in packages.installed():
        raise Unfit(f"a plugin named {name} is already installed: choose another name, or uninstall it")


def _check_others(name: str, one: str) -> None:
    """Raise Unfit if the records of an installed plugin have the path or the events that a resource would have."""
    for manifest in _manifests():
        if any(route.path.split("/")[2] == name for route in manifest.routes):
            raise Unfit(f"the path /v1/{name} of {manifest.name} already exists: choose another NAME")
        if any(event.partition(".")[0] == one for event in manifest.events):
            raise Unfit(f"{manifest.name} already has events of a {one}: choose another NAME or --one")


def _check_about(about: str) -> None:
    if not re.fullmatch(r"[^\"\\\n\r]{1,100}", about) or about != about.strip(" ."):
        raise Unfit('--about: use one line of at most 100 characters, without ", \\ or a full stop at the end')


def write(words: Words, into: Path) -> list[Path]:
    """Write the plugin into a folder that does not exist yet, or is empty; return its files.

    Words without a prefix are those of a plugin without a resource.
    """
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise Unfit(f"{into} already exists: name another folder with --into, or remove it")
    written = []
    template = TEMPLATE if words.prefix else HOOKS
    for path in sorted(template.rglob("*.txt")):
        target = into / _in_own_words(str(path.relative_to(template)), words).removesuffix(".txt")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(fit_template(path, words), "utf-8")
        written.append(target)
    return written


def fit_template(path: Path, words: Words) -> str:
    """Return a template's file in the plugin's words, formatted as the formatter would."""
    text = _in_own_words(path.read_text("utf-8"), words)
    return "".join(map(_format_line, text.splitlines(keepends=True))) if path.name.endswith(".py.txt") else text


def next_steps(words: Words, folder: Path) -> list[str]:
    """List the commands that install, test, serve and call the new plugin, as typed in this folder."""
    python = Path(sys.executable)
    if python.is_relative_to(Path.cwd()):
        python = python.relative_to(Path.cwd())
    pip = f"{python} -m pip install" if find_spec("pip") else f"uv pip install --python {python}"
    enabled = f"+{words.name}" if packages.first_party() else f"contacts,{words.name}"
    # pip takes text that begins with a dot or a slash for a path.
    where = shlex.quote(f"{folder if folder.is_absolute() else f'./{folder}'}[test]")
    steps = [
        f"{pip} -e {where}",
        f"{python} -m pytest {shlex.quote(str(folder))}",
        f"BILLYCAN_PLUGINS={enabled} {python.parent / 'billycan'} serve",
    ]
    if not words.prefix:
        return steps
    return [
        *steps,
        f'curl -s http://127.0.0.1:8000/v1/{words.name} -H "Authorization: Bearer $KEY"'
        """ -H 'Content-Type: application/json' -d '{"name": "Van", "cost": "31500.00"}'""",
    ]


def singular_of(name: str) -> str:
    """Return the singular of `name`, by the rules of English that have few exceptions."""
    for plural, one in (("ies", "y"), ("sses", "ss"), ("ches", "ch"), ("shes", "sh"), ("xes", "x"), ("ss", "ss")):
        if name.endswith(plural):
            return name.removesuffix(plural) + one
    return name.removesuffix("s")


def taken_prefixes() -> set[str]:
    """Return the prefixes of ids in use: core's, the first party's and those of every installed plugin."""
    return {*checks.PREFIXES, *TAKEN, *(prefix for manifest in _manifests() for prefix in checks.id_prefixes(manifest))}


def _manifests() -> Iterator[Manifest]:
    """Yield the manifests of the installed plugins."""
    for name in packages.installed():
        with suppress(plugins.PluginError):  # Another command reports a plugin that cannot be imported.
            yield plugins.read_manifest(name)


def free_prefixes(one: str) -> Iterator[str]:
    """Yield free prefixes made of three letters of a word, in their order."""
    taken = taken_prefixes()
    letters = re.sub(r"[^a-z]", "", one) + "xyz"
    return ("".join(found) for found in itertools.combinations(letters, 3) if "".join(found) not in taken)


def _in_own_words(text: str, words: Words) -> str:
    """Return a template's text in the plugin's words: its gadgets in code, its doodads in prose."""
    prose = _words_of(words.one)
    a = "an" if prose[0] in "aeiou" else "a"
    own = {
        "gadgets": words.name,
        "gadget": words.one,
        "Gadgets": _class_name(words.name),
        "Gadget": _class_name(words.one),
        "doodads": _words_of(words.name),
        "a doodad": f"{a} {prose}",
        "A doodad": f"{a.capitalize()} {prose}",
        "doodad": prose,
        "gdg": words.prefix,
        "ABOUT": words.about,
    }
    longest_first = sorted(own, key=len, reverse=True)
    return re.sub("|".join(longest_first), lambda found: own[found[0]], text)


def _format_line(line: str) -> str:
    """Return a line of code as the formatter would have it, however long its words are."""
    if line.startswith("from ."):
        start, _, names = line.rstrip().partition(" import ")
        # As imports are sorted: constants, classes, and the rest.
        each = sorted(names.split(", "), key=lambda n: (not n.isupper(), n.islower() or n[0].islower(), n))
        line = f"{start} import {', '.join(each)}\n"
        if len(line) > _WIDTH + 1:
            return f"{start} import (\n" + "".join(f"    {name},\n" for name in each) + ")\n"
    if len(line) <= _WIDTH + 1 or "(" not in line or line.lstrip().startswith("#"):
        return line
    indent = line[: len(line) - len(line.lstrip())]
    head, _, rest = line.partition("(")
    inside, _, tail = rest.rpartition(")")
    if len(indent) + 4 + len(inside) > _WIDTH:
        inside = f",\n{indent}    ".join(inside.split(", ")) + ","
    return f"{head}(\n{indent}    {inside}\n{indent}){tail}"


def _class_name(word: str) -> str:
    return "".join(part.capitalize() for part in word.split("_"))


def _words_of(word: str) -> str:
    return word.replace("_", " ")


def _template_identifiers() -> set[str]:
    """Return the names in the template's code, except those that stand for the plugin's own."""
    found: set[str] = set()
    for path in [*TEMPLATE.rglob("billycan_*/**/*.py.txt"), *HOOKS.rglob("billycan_*/**/*.py.txt")]:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            found.update(_names_in(node))
    return {name for name in found if "gadget" not in name.lower()}


def _names_in(node: ast.AST) -> Iterable[str]:
    if isinstance(node, ast.Name):
        yield node.id
    elif isinstance(node, ast.arg):
        yield node.arg
    elif isinstance(node, ast.alias):
        yield node.asname or node.name
