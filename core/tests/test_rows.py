"""Rows become records by the places of their values, whatever order the Struct and the row have."""

from collections import namedtuple

import pytest
from msgspec import UNSET, Struct, UnsetType

from billycan import Records


class Part(Struct):
    """A part."""

    name: str
    weight: int | None


class Tool(Part, kw_only=True):
    """A tool, with members that are taken by name alone, some of which have a default."""

    owner: str
    size: int | UnsetType = UNSET
    tags: list[str] = []


ROW = namedtuple("ROW", "owner secret weight name")


def test_a_record_has_the_columns_that_are_members_and_what_is_beside_them():
    rows = [ROW("Ada", "s", 3, "saw"), ROW("Bo", "s", None, "axe")]
    assert Records.of_rows(Part, rows, [{}, {}]) == [Part("saw", 3), Part("axe", None)]
    first, second = Records.of_rows(Tool, rows, [{"size": 2, "owner": "Cy"}, {"size": 4, "owner": None}])
    assert first == Tool("saw", 3, owner="Cy", size=2) and second == Tool("axe", None, owner=None, size=4)
    assert first.tags is not second.tags
    assert Records.of_rows(Tool, [], []) == []


def test_what_is_beside_a_row_may_be_other_members_than_beside_the_one_before():
    rows = [ROW("Ada", "s", 3, "saw")] * 3
    sizes = [tool.size for tool in Records.of_rows(Tool, rows, [{}, {"size": 1}, {"owner": "Bo", "size": 2}])]
    assert sizes == [UNSET, 1, 2]


def test_a_member_that_nothing_gives_is_missed():
    with pytest.raises(TypeError, match="weight"):
        Records.of_rows(Tool, [namedtuple("Row", "name owner")("saw", "Ada")], [{}])
    with pytest.raises(ValueError, match="shorter"):
        Records.of_rows(Part, [ROW("Ada", "s", 3, "saw")], [])
