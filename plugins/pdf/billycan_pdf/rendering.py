"""A Paper as a PDF file, made by Typst: its texts reach the template as data, and are never read as markup."""

import logging
import re
import subprocess
import sys
import tempfile
import unicodedata
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import typst

from billycan.paper import Paper
from billycan.web import run_apart

from .settings import Settings

log = logging.getLogger("billycan.pdf")

OWN = Path(__file__).parent / "document.typ"
# Archived for long (PDF/A-2a, ISO 19005-2), and read out by screen readers (PDF/UA-1, ISO 14289-1).
STANDARDS: list[Any] = ["a-2a", "ua-1"]
# A word is broken anywhere where it is longer than this: a name is printed large.
_LONGEST_IN_NAMES, _LONGEST = 18, 24
_ZERO_WIDTH_SPACE = "\u200b"


def render(paper: Paper, logo: bytes | None, template: Path | None, settings: Settings) -> bytes:
    """The bytes of the file; the same for the same Paper, logo and fonts.

    A plugin's own template is run in a process of its own, which is ended after a time. RuntimeError where it fails.
    """
    sys.audit("billycan.slow", "to make a PDF file")
    data = msgspec.json.encode(_printable(paper)).decode()
    with tempfile.TemporaryDirectory(prefix="billycan-pdf-") as folder:
        if logo:
            (Path(folder) / "logo").write_bytes(logo)
        if template is None:
            return compiled(OWN.read_bytes(), Path(folder), data, settings.fonts)
        return _apart(template, Path(folder), data, settings)


def compiled(template: bytes, root: Path, data: str, more_fonts: str) -> bytes:
    """What a template makes of a Paper as JSON, in a folder that holds the logo if there is one.

    Text in a script that no font has makes it a plain PDF: the standards demand a glyph for each character.
    """
    given = {"paper": data, "logo": "/logo" if (root / "logo").exists() else ""}
    without_logo = {**given, "logo": ""}
    # What cannot be had is left out: first the standards, then a logo that Typst cannot read.
    for texts, standards in ((given, STANDARDS), (given, []), (without_logo, STANDARDS)):
        try:
            return _compiled(template, root, texts, standards, more_fonts)
        except typst.TypstError as error:
            log.info("a PDF is tried in a simpler form: %s", error.message)
    return _compiled(template, root, without_logo, [], more_fonts)


def _compiled(template: bytes, root: Path, texts: dict[str, str], standards: list[Any], more_fonts: str) -> bytes:
    # A compiler forgets a template that is no file once it failed; a new one takes 2 ms.
    compiler = typst.Compiler(template, root=root, font_paths=fonts(more_fonts), ignore_system_fonts=True)
    made = run_apart(lambda: compiler.compile(format="pdf", sys_inputs=texts, pdf_standards=standards))
    if not isinstance(made, bytes):
        raise TypeError("Typst made no file")
    return made


@cache
def fonts(more: str = "") -> typst.Fonts:
    """Source Sans 3 and Noto Sans, for Latin, Greek, Cyrillic, Chinese, Japanese and Korean; and a folder of others.

    Never those of the system: a document is to look the same wherever it is printed.
    """
    import rendercv_fonts  # noqa: PLC0415 - whoever makes no PDF waits for no font

    bundled = Path(rendercv_fonts.__file__).parent
    folders = [bundled / "Source Sans 3", bundled / "Noto Sans", *([Path(more)] if more else [])]
    return typst.Fonts(False, False, folders)  # neither the system's nor Typst's own


def _apart(template: Path, folder: Path, data: str, settings: Settings) -> bytes:
    """As `compiled`, of a template that somebody else wrote, which may read the files beside it and no others."""
    command = [sys.executable, "-m", "billycan_pdf.apart", str(template), str(folder), settings.fonts]
    try:
        done = subprocess.run(
            command, input=data.encode(), capture_output=True, timeout=settings.template_seconds, check=False
        )
    except subprocess.TimeoutExpired:
        raise RuntimeError(f"{template} took more than {settings.template_seconds} s") from None
    if done.returncode:
        raise RuntimeError(f"{template} failed: {done.stderr.decode(errors='replace').strip()[-2000:]}")
    return done.stdout


def _printable(paper: Paper) -> Any:
    """A Paper as plain data, in which words that are too long for a line can be broken."""
    plain = msgspec.to_builtins(msgspec.structs.replace(paper, brand=msgspec.structs.replace(paper.brand, logo=None)))
    found = _breakable(plain, _LONGEST)
    for party in ("seller", "buyer"):
        found[party]["name"] = _breakable(plain[party]["name"], _LONGEST_IN_NAMES)
        found[party]["email"] = _breakable(plain[party]["email"], 2 * _LONGEST)  # is copied
    found["pay"] = _breakable(plain["pay"], 2 * _LONGEST)  # and so is this
    found["dated"] = [paper.dated.year, paper.dated.month, paper.dated.day]
    return found


def _breakable(value: Any, longest: int) -> Any:
    if isinstance(value, str):
        return re.sub(rf"\S{{{longest + 1},}}", _broken, value)
    if isinstance(value, dict):
        return {name: _breakable(each, longest) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_breakable(each, longest) for each in value]
    return value


def _broken(word: re.Match[str]) -> str:
    """A long word that may be broken after any character, but never between a letter and its accent."""
    text = word[0]
    return text[0] + "".join(
        c if unicodedata.combining(c) or unicodedata.category(c)[0] in "MC" else _ZERO_WIDTH_SPACE + c for c in text[1:]
    )
