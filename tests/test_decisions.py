"""The decisions in docs/decisions are numbered without gaps, well formed, and in the index as they are."""

import re
from datetime import date
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "docs" / "decisions"
FILES = sorted(path for path in FOLDER.glob("*.md") if path.name != "README.md")
NUMBERS = {path.name[:4] for path in FILES}
MOST_LINES = 25
FORM = re.compile(
    r"# (?P<title>[^\n]+)\n\nStatus: (?P<status>accepted|superseded by (?P<successor>\d{4}))\n\nDate: (?P<date>\S+)\n\n"
    r"((Departs from|Adds to) the contract: .+?\n\n)*"
    r"\*\*What\.\*\* .+?\n\n\*\*Instead of\.\*\* .+?\n\n\*\*Why\.\*\* .+\n",
    re.DOTALL,
)
ROW = re.compile(r"^\| \[(\d{4})\]\((.+?)\) \| (.+?) \| (.+?) \| (.+?) \|$", re.MULTILINE)


def test_the_numbers_have_no_gaps():
    assert FILES
    assert [path.name[:5] for path in FILES] == [f"{number:04}-" for number in range(1, len(FILES) + 1)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_decision_is_short_and_well_formed(path):
    text = path.read_text("utf-8")
    found = FORM.fullmatch(text)
    assert found, "see how to add one in docs/decisions/README.md"
    assert len(text.splitlines()) <= MOST_LINES
    assert found["date"] == date.fromisoformat(found["date"]).isoformat()
    if found["successor"]:
        assert found["successor"] in NUMBERS - {path.name[:4]}


def test_the_index_has_each_decision_as_its_file_has_it():
    rows = ROW.findall((FOLDER / "README.md").read_text("utf-8"))
    files = []
    for path in FILES:
        found = FORM.fullmatch(path.read_text("utf-8"))
        assert found, path.name
        files.append((path.name[:4], path.name, found["title"], found["status"], found["date"]))
    assert sorted(rows) == files
