"""Papers as PDF files, made by Typst: the template gets texts as data, and never reads them as markup."""

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
from billycan.web import in_turns, run_apart

from .settings import Settings

log = logging.getLogger("billycan.pdf")

OWN = Path(__file__).parent / "document.typ"
# For archives (PDF/A-2a, ISO 19005-2) and for screen readers (PDF/UA-1, ISO 14289-1).
STANDARDS: list[Any] = ["a-2a", "ua-1"]
# Longer words may break anywhere: names are printed large.
_LONGEST_IN_NAMES, _LONGEST = 18, 24
_ZERO_WIDTH_SPACE = "\u200b"


def render(paper: Paper, logo: bytes | None, template: Path | None, settings: Settings) -> bytes:
    """Return the bytes of the file; the same Paper, logo and fonts give the same bytes.

    A plugin's own template runs in a separate process with a time limit. Raise RuntimeError if it fails.
    """
    sys.audit("billycan.slow", "to make a PDF file")
    data = msgspec.json.encode(_as_printable(paper)).decode()
    with tempfile.TemporaryDirectory(prefix="billycan-pdf-") as folder:
        if logo:
            (Path(folder) / "logo").write_bytes(logo)
        if template is None:
            return compile_paper(OWN.read_bytes(), Path(folder), data, settings.fonts)
        return _compile_apart(template, Path(folder), data, settings)


def compile_paper(template: bytes, root: Path, data: str, more_fonts: str) -> bytes:
    """Return the PDF that a template makes of a Paper as JSON, in a folder that may hold a logo.

    If no font has the glyphs of some text, the file is a plain PDF: the archive standards require a glyph for each
    character.
    """
    given = {"paper": data, "logo": "/logo" if (root / "logo").exists() else ""}
    without_logo = {**given, "logo": ""}
    # If compiling fails, leave out the standards first, then a logo that Typst cannot read.
    for texts, standards in ((given, STANDARDS), (given, []), (without_logo, STANDARDS)):
        try:
            return _compile_pdf(template, root, texts, standards, more_fonts)
        except typst.TypstError as error:
            log.info("a PDF is tried in a simpler form: %s", error.message)
    return _compile_pdf(template, root, without_logo, [], more_fonts)


def _compile_pdf(template: bytes, root: Path, texts: dict[str, str], standards: list[Any], more_fonts: str) -> bytes:
    # A compiler forgets an in-memory template once it has failed; a new one takes 2 ms.
    compiler = typst.Compiler(template, root=root, font_paths=fonts(more_fonts), ignore_system_fonts=True)
    made = run_apart(lambda: compiler.compile(format="pdf", sys_inputs=texts, pdf_standards=standards))
    if not isinstance(made, bytes):
        raise TypeError("Typst made no file")
    return made


@cache
def fonts(more: str = "") -> typst.Fonts:
    """Return the fonts: Source Sans 3 and Noto Sans (Latin, Greek, Cyrillic, Chinese, Japanese, Korean) and a folder of
    more.

    The system's fonts are never used, so that a document looks the same on every machine.
    """
    import rendercv_fonts  # noqa: PLC0415 - loaded only to make a PDF

    bundled = Path(rendercv_fonts.__file__).parent
    folders = [bundled / "Source Sans 3", bundled / "Noto Sans", *([Path(more)] if more else [])]
    return typst.Fonts(False, False, folders)  # without the system's fonts and Typst's own


def _compile_apart(template: Path, folder: Path, data: str, settings: Settings) -> bytes:
    """Compile a plugin's own template in a separate process, which may read only the files beside the template."""
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


def _as_printable(paper: Paper) -> Any:
    """Return a Paper as plain data, with break points in words that are too long for a line."""
    plain = msgspec.to_builtins(msgspec.structs.replace(paper, brand=msgspec.structs.replace(paper.brand, logo=None)))
    found = _make_breakable(plain, _LONGEST)
    for party in ("seller", "buyer"):
        found[party]["name"] = _make_breakable(plain[party]["name"], _LONGEST_IN_NAMES)
        found[party]["email"] = _make_breakable(plain[party]["email"], 2 * _LONGEST)  # people copy it
    found["pay"] = _make_breakable(plain["pay"], 2 * _LONGEST)  # and this, too
    found["dated"] = [paper.dated.year, paper.dated.month, paper.dated.day]
    return found


def _make_breakable(value: Any, longest: int) -> Any:
    if isinstance(value, str):
        return value if len(value) <= longest else re.sub(rf"\S{{{longest + 1},}}", _break_word, value)
    if isinstance(value, dict):
        return {name: _make_breakable(each, longest) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_make_breakable(each, longest) for each in in_turns(value)]
    return value


def _break_word(word: re.Match[str]) -> str:
    """Add a break point after each character of a long word, but never between a letter and its accent."""
    text = word[0]
    return text[0] + "".join(
        c if unicodedata.combining(c) or unicodedata.category(c)[0] in "MC" else _ZERO_WIDTH_SPACE + c for c in text[1:]
    )
