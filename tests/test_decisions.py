"""The files in docs/decisions are well formed and listed in the index, and no number is missing or used twice."""

import re
from collections import Counter
from datetime import date
from pathlib import Path

import pytest

pytestmark = pytest.mark.either

FOLDER = Path(__file__).parents[1] / "docs" / "decisions"
FILES = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
NUMBERS = {path.name[:4] for path in FILES}
INDEX = (FOLDER / "README.md").read_text("utf-8")
FIRST_WITH_GAPS = 96  # from here on several people take numbers at a time, and not all are used
MOST_LINES = 30
FORM = re.compile(
    r"# (?P<title>[^\n]+)\n\nStatus: (?P<status>accepted|superseded by (?P<successor>\d{4}))\n\nDate: (?P<date>\S+)\n\n"
    r"((Departs from|Adds to) the contract: .+?\n\n)*"
    r"\*\*What\.\*\* .+?\n\n\*\*Instead of\.\*\* .+?\n\n\*\*Why\.\*\* .+\n",
    re.DOTALL,
)
ROW = re.compile(r"^\| \[(\d{4})\]\((.+?)\) \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)
MERGED = re.findall(r"^\| (\d{4}) \| \[(\d{4})\]\(\2-[a-z-]+\.md\) \|$", INDEX, re.MULTILINE)


def test_each_number_is_one_decision_or_was_merged_into_one():
    assert FILES and MERGED
    used = Counter([path.name[:4] for path in FILES] + [number for number, _ in MERGED])
    assert not [number for number, times in used.items() if times > 1]
    assert {f"{number:04}" for number in range(1, FIRST_WITH_GAPS)} <= used.keys()
    assert {into for _, into in MERGED} <= NUMBERS


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_decision_is_short_and_well_formed(path):
    text = path.read_text("utf-8")
    found = FORM.fullmatch(text)
    assert found, "see how to add one in docs/decisions/README.md"
    assert len(text.splitlines()) <= MOST_LINES
    assert found["date"] == date.fromisoformat(found["date"]).isoformat()
    if found["successor"]:
        assert found["successor"] in NUMBERS - {path.name[:4]}
    assert {*re.findall(r"\((\d{4})\)", text)} <= NUMBERS, "it names a decision that is gone"


def test_the_index_has_each_decision_as_its_file_has_it():
    files = []
    for path in FILES:
        found = FORM.fullmatch(path.read_text("utf-8"))
        assert found, path.name
        files.append((path.name[:4], path.name, found["title"], found["status"], found["date"]))
    assert sorted(ROW.findall(INDEX)) == files
