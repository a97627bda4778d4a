"""The reader takes every type that a body may contain, and reports each fault with its path."""

import enum
from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from msgspec import Meta, Struct, field

from billycan import Invalid, RuleBroken
from billycan.fields import Day, Name, Number, Rule, Text, Whole
from billycan.reader import decode, take

Short = Annotated[str, Text(most=3)]


class Colour(enum.Enum):
    RED = "red"


class Wheel(Struct, forbid_unknown_fields=True, kw_only=True):
    """A wheel, which may be made of wheels."""

    spokes: Annotated[int, Meta(ge=3)]
    wheels: list["Wheel"] = []


class Bicycle(Struct, forbid_unknown_fields=True, kw_only=True):
    """A member of each type."""

    name: Name = "x"
    anything: Any = None
    sold: bool = False
    gears: int = 1
    weight: float = 1.0
    price: Decimal = Decimal(1)
    made: date = date(2026, 1, 1)
    model: Annotated[str, Meta(min_length=2, max_length=3, pattern="^[A-Z]")] = "AB"
    size: Annotated[int, Meta(gt=0, lt=10, multiple_of=3)] = 3
    load: Annotated[float, Meta(le=9.5)] = 0.0
    kind: Literal["city", "race", 1] = "city"
    colour: Colour = Colour.RED
    label: int | str | None = None
    wheels: tuple[Wheel, ...] = ()
    tags: set[Name] = set()
    parts: dict[str, Wheel] = {}
    few: Annotated[dict[Short, int], Meta(min_length=1, max_length=2)] = field(default_factory=dict)
    since: Day = field(name="from", default=date(2026, 1, 1))

    def __post_init__(self) -> None:
        if self.name == "y":
            raise RuleBroken("invalid_value", "must not be y", ".name")
        if self.name == "z":
            raise ValueError("must not be z")


@pytest.mark.parametrize(
    ("member", "sent", "read"),
    [
        ("name", " Ada ", "Ada"),
        ("anything", {"a": [None]}, {"a": [None]}),
        ("anything", None, None),
        ("sold", True, True),
        ("gears", 2**40, 2**40),
        ("weight", 2, 2.0),
        ("weight", Decimal("0.5"), 0.5),
        ("price", Decimal("2.5"), Decimal("2.5")),
        ("made", date(2026, 2, 3), date(2026, 2, 3)),
        ("model", "ABC", "ABC"),
        ("size", 9, 9),
        ("kind", 1, 1),
        ("colour", "red", Colour.RED),
        ("label", 5, 5),
        ("label", "five", "five"),
        ("label", None, None),
        ("wheels", [{"spokes": 3, "wheels": [{"spokes": 4}]}], (Wheel(spokes=3, wheels=[Wheel(spokes=4)]),)),
        ("tags", ["a", "a "], {"a"}),
        ("parts", {"front": {"spokes": 3}}, {"front": Wheel(spokes=3)}),
        ("few", {" a ": 1}, {"a": 1}),
    ],
)
def test_a_right_value_is_read_as_its_type(member, sent, read):
    found = getattr(decode({member: sent}, Bicycle), member)
    assert found == read and type(found) is type(read)


def test_a_member_may_have_another_name_in_json():
    assert decode({"from": "2026-02-03"}, Bicycle).since == date(2026, 2, 3)


@pytest.mark.parametrize(
    ("member", "sent", "param", "code"),
    [
        ("sold", 1, "sold", "invalid_type"),
        ("gears", True, "gears", "invalid_type"),
        ("gears", "1", "gears", "invalid_type"),
        ("gears", None, "gears", "invalid_type"),
        ("gears", Decimal("1.5"), "gears", "invalid_type"),
        ("gears", Decimal("1e9999999"), "gears", "out_of_range"),
        ("weight", "1", "weight", "invalid_type"),
        ("price", 1, "price", "invalid_type"),
        ("made", "2026-02-03", "made", "invalid_type"),
        ("model", "A", "model", "required"),
        ("model", "ABCD", "model", "too_long"),
        ("model", "abc", "model", "invalid_value"),
        ("size", 0, "size", "out_of_range"),
        ("size", 10, "size", "out_of_range"),
        ("size", 4, "size", "invalid_value"),
        ("load", Decimal("9.6"), "load", "out_of_range"),
        ("kind", True, "kind", "invalid_value"),
        ("kind", [], "kind", "invalid_value"),
        ("colour", "blue", "colour", "invalid_value"),
        ("label", [], "label", "invalid_type"),
        ("wheels", {}, "wheels", "invalid_type"),
        ("wheels", [{"spokes": 2}], "wheels[0].spokes", "out_of_range"),
        ("wheels", [{"spokes": 3, "wheels": [{}]}], "wheels[0].wheels[0].spokes", "required"),
        ("wheels", [3], "wheels[0]", "invalid_type"),
        ("tags", ["a", ""], "tags[1]", "required"),
        ("parts", {"front": {"spokes": 3, "x": 1}}, "parts.front.x", "unknown_field"),
        ("parts", [], "parts", "invalid_type"),
        ("few", {}, "few", "required"),
        ("few", {"abcd": 1}, "few.abcd", "too_long"),
        ("few", {"a": 1, "b": 2, "c": 3}, "few", "too_long"),
        ("from", "2026", "from", "invalid_date"),
        ("since", "2026-02-03", "since", "unknown_field"),
        ("name", "y", "name", "invalid_value"),
        ("name", "z", "", "invalid_value"),
    ],
)
def test_a_wrong_value_is_refused_with_its_path(member, sent, param, code):
    with pytest.raises(Invalid) as refused:
        decode({member: sent}, Bicycle)
    assert [(fault.param, fault.code) for fault in refused.value.details] == [(param, code)]


def test_all_faults_are_told_at_once_in_order():
    body = {"sold": 1, "wheels": [{}, {"spokes": 2, "x": 1}], "tags": ["", 1], "nobody": 1}
    with pytest.raises(Invalid) as refused:
        decode(body, Bicycle)
    paths = ["sold", "wheels[0].spokes", "wheels[1].spokes", "wheels[1].x", "tags[0]", "tags[1]", "nobody"]
    assert [fault.param for fault in refused.value.details] == paths


def test_a_union_tells_what_is_wrong_with_the_type_that_was_meant():
    class Either(Struct):
        wheel: Wheel | str

    with pytest.raises(Invalid) as refused:
        decode({"wheel": {"spokes": 1}}, Either)
    assert [fault.param for fault in refused.value.details] == ["wheel.spokes"]


def test_a_type_of_ones_own_has_a_rule():
    def even(value: Any) -> int:
        if value % 2:
            raise RuleBroken("invalid_value", "must be even")
        return int(value)

    for kind, right, wrong in (
        (Annotated[int, Rule(even, type="integer")], 2, 3),
        (Annotated[int, Whole(least=1, most=2)], 2, 3),
        (Annotated[Decimal, Number(places=1, most="2")], Decimal("2.0"), "2.1"),
        (Annotated[str, Text(most=2, check=str.upper)], "AB", "abc"),
    ):
        assert take(kind)(right) == right
        with pytest.raises(RuleBroken):
            take(kind)(wrong)
    with pytest.raises(TypeError, match="read it with decode"):
        take(list[Name])


def test_a_rule_is_no_type():
    class Wrong(Struct):
        seats: Whole

    with pytest.raises(TypeError, match="Whole is a rule and no type"):
        decode({}, Wrong)
