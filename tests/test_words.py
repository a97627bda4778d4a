"""Docstrings begin with a verb or the thing, no banners divide files, and each of the house's words is listed once."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("core", "plugins", "examples", "deploy", "docs", "tests")
FILES = sorted(
    path
    for folder in FOLDERS
    for path in (ROOT / folder).rglob("*.py")
    if "node_modules" not in path.parts and "migrations" not in path.parts
)
# Written by `make client` from the API's own descriptions.
GENERATED = {"api.py", "models.py", "webhooks.py"}
# Of a module, class or function: to parse all modules takes a hundred times as long.
QUESTION = re.compile(
    r'(?:\A|:(?:  #.*)?\n)[ ]*r?"""\s*((?:What|Whether|How|Where|Who|Whom|Whose|Why|Which|When)\b.*)', re.MULTILINE
)
BANNER = re.compile(r"\s*#.*-{5,}\s*")
WORD = re.compile(r"^\| ([a-z][a-z ]*) \| (.+) \|$", re.MULTILINE)


def test_a_docstring_says_what_it_is_about_and_asks_nothing():
    asked, read = [], 0
    for path in FILES:
        if path.parent.name == "billycan_client" and path.name in GENERATED:
            continue
        source = path.read_text("utf-8")
        read += source.count('"""') // 2
        asked += [
            f"{path.relative_to(ROOT)}:{source.count(chr(10), 0, found.start(1)) + 1}: {found[1]}"
            for found in QUESTION.finditer(source)
        ]
    assert read > 5_000
    assert not asked, "begin with a verb or the thing:\n" + "\n".join(asked)


def test_no_banner_divides_a_file():
    lines = [(path, line) for path in FILES for line in path.read_text("utf-8").splitlines()]
    assert not [f"{path.relative_to(ROOT)}: {line}" for path, line in lines if BANNER.fullmatch(line)]


def test_each_word_of_the_house_stands_once_in_the_list():
    words = [word for word, _ in WORD.findall((ROOT / "docs" / "words.md").read_text("utf-8")) if word != "word"]
    assert len(words) > 30
    assert words == sorted(set(words))
