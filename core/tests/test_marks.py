"""The marks that choose which tests run on which database."""

import subprocess
import sys

TESTS = """
import pytest

cases = pytest.mark.parametrize("case", ["first", "second"])
kinds = pytest.mark.parametrize("kind", ["a", pytest.param("b", marks=pytest.mark.long)])


@cases
def test_unmarked(engine, case): pass


@pytest.mark.either
@cases
def test_either(engine, case): pass


@pytest.mark.either
@pytest.mark.each_case
@cases
def test_each(engine, case): pass


@pytest.mark.either
@kinds
def test_long(engine, kind): pass


@pytest.mark.sqlite_alone
@cases
def test_alone(engine, case): pass
"""


def test_postgresql_tries_a_tables_first_case_unless_it_sees_what_differs(tmp_path):
    (tmp_path / "test_it.py").write_text(TESTS, "utf-8")
    command = [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run([*command, tmp_path], cwd=tmp_path, capture_output=True, text=True, check=True)
    found = {line.partition("::test_")[2] for line in done.stdout.splitlines() if "::" in line}
    assert {each for each in found if "sqlite" not in each} == {
        *("unmarked[postgresql-first]", "unmarked[postgresql-second]"),
        "either[postgresql-first]",
        *("each[postgresql-first]", "each[postgresql-second]"),
        *("long[postgresql-a]", "long[postgresql-b]"),
    }
    assert sum("sqlite" in each for each in found) == 10
