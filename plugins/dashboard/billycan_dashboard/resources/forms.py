"""Forms made from the Struct that a route takes: which control each member has, and what was filled in, as a body."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime
from decimal import Decimal
from typing import Any, Literal, TypeGuard, get_args, get_origin
from weakref import WeakKeyDictionary
from zoneinfo import ZoneInfo

import msgspec
from markupsafe import Markup, escape
from msgspec import UNSET, Struct, UnsetType

from billycan import Address, BadRequest, Fault, Member, NewResource, Problem
from billycan.fields import Moment, Number, Rule, Text, Whole
from billycan.web import PayloadTooLarge, in_turns
from billycan_users.api import words

from .kinds import label
from .shapes import is_struct, options, parts

_CHOSEN = ("choice", "maybe", "ref", "refs", "ticks", "yes")  # forms whose HTML shows a value by what is marked in it
_ROW, _TEXT = "\0row\0", "\0text\0"  # stand for what a row fills in: no record holds a NUL
LATER = NewResource.__struct_fields__  # what every record may be given
_EMPTY_ROWS = 3  # of a list that must not be empty; of another, one is enough
_PLACES = {
    "yes": 2,
    "ticks": 2,
    "object": 3,
    "rows": 4,
    "area": 5,
    "lines": 5,
    "map": 5,
}  # after what is short
MOST_ROWS = 500  # of one list: as many as a document has lines
_REMOVE = "__remove"  # the field of a row by which it is taken out
_NAMING = 32
_LONG = 1000  # characters from which on a text has several lines
# An amount as people write it: `$1,000`, `-$20.50`, `1 000`.
_GROUPED = re.compile(r"-?\s*\$?\s*-?\d{1,3}([, ]\d{3})+(\.\d*)?|-?\s*\$\s*-?\d+(\.\d*)?", re.ASCII)
_STATES = {
    "australiancapitalterritory": "ACT",
    "newsouthwales": "NSW",
    "northernterritory": "NT",
    "queensland": "QLD",
    "southaustralia": "SA",
    "tasmania": "TAS",
    "victoria": "VIC",
    "westernaustralia": "WA",
}
_WHOLE = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_EXAMPLE = re.compile(r"""\{"([^"{}]*)": "([^"{}]*)"\}""")  # of a map that has strings
_CODED = re.compile(r"`([a-z]+(?:_[a-z]+)+)`")
# A time of day as people write it: `8am`, `5.30 pm`, `0800`, `8:00`.
_CLOCK = re.compile(r"(\d{1,2})[:.]?(\d\d)?\s*([ap])?\.?m?\.?", re.ASCII | re.IGNORECASE)
_LOCAL = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?", re.ASCII)


class Control(Struct, frozen=True):
    """A member that a form asks for. `form` is its kind; of rows and of an object, `parts` are the members.

    `default` is what stands for it when nothing is chosen, `clears` says that null may be sent in its place. `most` is
    how many rows there may be, and `meaning` what the type says.
    """

    name: str
    label: str
    form: str
    hint: str = ""
    required: bool = False
    clears: bool = False
    default: Any = None
    choices: tuple[str, ...] = ()
    parts: tuple["Control", ...] = ()
    most: int = MOST_ROWS
    meaning: Member.Meaning = Member.Meaning()

    @property
    def is_wide(self) -> bool:
        return self.form in ("area", "rows", "object", "lines", "ticks", "map")

    def draw_rows(
        self,
        name: str,
        count: int,
        fields: Mapping[str, str],
        choices: Mapping[str, Any],
        faults: Mapping[str, str],
        draw: Callable[..., Markup],
    ) -> Iterator[Markup]:
        """Yield the HTML of the fields of each row; `draw` is the macro that draws one field.

        A macro takes about 50 us, and a form has up to 4,000 fields in rows. So fields that differ only in row and text
        are drawn once, and filled in. A field with a fault is drawn by itself.
        """
        drawn: dict[tuple[str, str], str] = {}
        for i in range(count):
            row: list[str] = []
            for part in self.parts:
                field, within = f"{name}[{i}].{part.name}", f"{self.label} {i + 1}: "
                if field in faults or part.parts:
                    row.append(draw(part, field, fields, choices, bare=True, within=within))
                    continue
                text = fields.get(field, "")
                stand_in = text if part.form in _CHOSEN else text and _TEXT
                if (part.name, stand_in) not in drawn:
                    blank = f"{name}[{_ROW}].{part.name}"
                    drawn[part.name, stand_in] = str(draw(part, blank, {blank: stand_in}, choices, bare=True))
                row.append(drawn[part.name, stand_in].replace(_ROW, str(i)).replace(_TEXT, escape(text)))
            yield Markup("".join(row))  # noqa: S704 - of what the macro drew, and of escaped text


_controls: "WeakKeyDictionary[type[Struct], tuple[Control, ...]]" = WeakKeyDictionary()  # some are a business's


def controls(kind: type[Struct]) -> tuple[Control, ...]:
    """List the controls of a form for a Struct: required ones first, then short ones."""
    found = _controls.get(kind)
    if found is None:
        found = _controls[kind] = tuple(sorted(_members(kind), key=_place))
    return found


def reword(
    asked: tuple[Control, ...], labels: Mapping[str, str], hints: Mapping[str, str], within: str = ""
) -> tuple[Control, ...]:
    """The same with a plugin's own words for members, and for the members of these, such as `custom.size`."""
    return tuple(
        msgspec.structs.replace(
            each,
            label=labels.get(f"{within}{each.name}", labels.get(each.name, each.label)),
            hint="" if within and f"{within}{each.name}" in labels else hints.get(each.name, each.hint),
            parts=reword(each.parts, labels, hints, f"{each.name}."),
        )
        for each in asked
    )


def _members(kind: type[Struct]) -> tuple[Control, ...]:
    """List the controls of a Struct; the state of an address is read as people write it."""
    found = _plain_members(kind)
    if not issubclass(kind, Address):
        return found
    return tuple(msgspec.structs.replace(c, form="state") if c.name == "state" else c for c in found)


def _plain_members(kind: type[Struct]) -> tuple[Control, ...]:
    meant = Member.Meaning.of(kind)
    names = [field.encode_name for field in msgspec.structs.fields(kind)]
    found = [
        _control(field, meant[field.encode_name], _in_words(meant[field.encode_name].says, names))
        for field in msgspec.structs.fields(kind)
    ]
    # A business that has defined no members of an object is not asked for any.
    return tuple(control for control in found if control and (control.parts or control.form != "object"))


def _in_words(said: str, names: list[str]) -> str:
    """Put a member's description into the words of forms: `end_on` becomes `ends`, `bank_transfer` `bank transfer`."""
    for name in names:
        if "_" in name:
            said = re.sub(rf"\b{name}\b", _within(name), said)
    said = _CODED.sub(lambda found: f"`{_within(found[1])}`", said).removeprefix("The id of ")
    said = re.sub(r"\bnull\b", "empty", said)
    return said[:1].upper() + said[1:]


def _within(name: str) -> str:
    """A name within a sentence."""
    said = label(name)
    return said if said[:2].isupper() else said[:1].lower() + said[1:]


def _place(control: Control) -> int:
    if control.name in LATER:
        return 6
    return _PLACES.get(control.form, 0 if control.required else 1)


def _control(field: msgspec.structs.FieldInfo, meaning: Member.Meaning, said: str) -> Control | None:
    type_, rule, limits = parts(field.type)
    kinds = [o for o in options(type_) if o not in (type(None), UnsetType)]
    nullable = len(kinds) < len(options(type_))
    kind, inner, within_limits = parts(kinds[0] if kinds else str)
    rule, limits = rule or inner, limits or within_limits
    name = field.encode_name
    if rule and len(rule.schema.get("enum", ())) == 1:
        return None  # nothing to choose
    form, choices = _form(name, kind, rule, meaning, nullable=nullable)
    within: tuple[Control, ...] = ()
    if form in ("object", "rows"):
        within = _members(kind if form == "object" else parts(get_args(kind)[0])[0])
    default = None if field.required else field.default
    if field.default_factory is not msgspec.NODEFAULT:
        default = field.default_factory()
    default = None if default is UNSET or default is msgspec.NODEFAULT else msgspec.to_builtins(default)
    # What says no more than the name is noise.
    if form == "map":  # written as lines, and not as JSON
        said = _EXAMPLE.sub(r"\1=\2", said)
    hint = said.replace("`", "") if len(said) > _NAMING else f"In {meaning.unit}." if meaning.unit else ""
    most = min(limits.max_length or MOST_ROWS, MOST_ROWS) if limits else MOST_ROWS
    clears = nullable or not field.required
    return Control(name, label(name), form, hint, field.required, clears, default, choices, within, most, meaning)


def _form(
    name: str, kind: Any, rule: Rule | None, meaning: Member.Meaning, *, nullable: bool
) -> tuple[str, tuple[str, ...]]:
    origin = get_origin(kind)
    if origin in (list, tuple, set):
        item, item_rule, _ = parts(get_args(kind)[0])
        if is_struct(item):
            return "rows", ()
        return (
            ("ticks", _values(item))
            if get_origin(item) is Literal
            else ("refs" if item_rule and item_rule.kind == "id" else "lines", ())
        )
    if origin is Literal:
        return "choice", _values(kind)
    if origin is dict or kind is dict:
        return "map", ()
    if is_struct(kind):
        return "object", ()
    if isinstance(rule, Number) or kind is Decimal:
        return "number", ()
    if isinstance(rule, Whole) or kind is int:
        return "whole", ()
    if kind is bool:
        return ("maybe" if nullable else "yes"), ()
    if rule and rule.schema.get("format") == "date-time":
        return "moment", ()
    if isinstance(kind, type) and issubclass(kind, date):
        return ("moment" if issubclass(kind, datetime) else "date"), ()
    return _form_of_text(name, rule, meaning), tuple(map(str, rule.schema.get("enum", ()))) if rule else ()


def _form_of_text(name: str, rule: Rule | None, meaning: Member.Meaning) -> str:
    if rule and rule.schema.get("enum"):
        return "choice"
    if name == "id":
        return "hidden"
    if meaning.kind == "id":
        return "ref"
    if meaning.kind in ("email", "time", "url", "word"):
        return meaning.kind
    if isinstance(rule, Text) and rule.most >= _LONG and not rule.schema.get("format"):
        return "area"
    return "text"


def _values(kind: Any) -> tuple[str, ...]:
    return tuple(map(str, get_args(kind)))


def fill_fields(asked: tuple[Control, ...], record: Mapping[str, Any], zone: str, before: str = "") -> dict[str, str]:
    """The fields of a form as a record fills them in, by name: `line_items[0].quantity`."""
    found: dict[str, str] = {}
    for control in asked:
        name, value = f"{before}{control.name}", record.get(control.name)
        if control.form == "object":
            found |= fill_fields(control.parts, value or {}, zone, f"{name}.")
        elif control.form == "rows":
            for i, row in enumerate(in_turns(value or ())):
                found |= fill_fields(control.parts, row, zone, f"{name}[{i}].")
        elif value is not None:
            found[name] = _text(control, value, zone)
    return found


def blank_fields(asked: tuple[Control, ...]) -> dict[str, str]:
    """The fields of a form for something new: what it has when nothing is said."""
    found: dict[str, str] = {}
    for control in asked:
        if control.form == "object":
            continue  # one that is not filled in is not sent
        if control.form != "rows" and control.default not in (None, [], {}):
            found[control.name] = _text(control, control.default, "UTC")
    return found


def _text(control: Control, value: Any, zone: str) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if control.form == "map":
        return "\n".join(f"{key}={each}" for key, each in value.items())
    if isinstance(value, list):
        return ("\n" if control.form == "lines" else " ").join(map(str, value))
    if control.form == "moment":
        return f"{Moment.read(value).astimezone(ZoneInfo(zone)):%Y-%m-%dT%H:%M}"
    if control.form == "word":
        return words(str(value))
    if control.form == "number" and control.meaning.kind in ("number", "percentage"):
        return f"{Decimal(str(value)).normalize():f}"
    return str(value)


def drop_empty_rows(asked: tuple[Control, ...], form: Mapping[str, str]) -> dict[str, str]:
    """The fields with the rows that hold nothing taken out, so that those of a fault are the ones that were sent."""
    found = dict(form)
    for control in (c for c in asked if c.form == "rows"):
        rows = [row for row in in_turns(_rows(control, form)) if not _is_blank(control, row)]
        found = {name: text for name, text in found.items() if not name.startswith(f"{control.name}[")}
        for i, row in enumerate(in_turns(rows)):
            found |= {f"{control.name}[{i}].{name}": text for name, text in row.items()}
    return found


def filled_rows(control: Control, form: Mapping[str, str]) -> list[int]:
    """List the numbers of the rows that hold something, in order."""
    return [i for i, row in _numbered_rows(control, form).items() if not _is_blank(control, row)]


def _rows(control: Control, form: Mapping[str, str], before: str = "") -> list[dict[str, str]]:
    """List the fields of each row, in order."""
    return [*_numbered_rows(control, form, before).values()]


def _numbered_rows(control: Control, form: Mapping[str, str], before: str = "") -> dict[int, dict[str, str]]:
    """Map the number of each row to its fields, in order; raises PayloadTooLarge for more than there may be.

    A page is not shown again with them: it would be a hundred times as long as what was sent.
    """
    starts = re.compile(rf"{re.escape(before + control.name)}\[(\d{{1,4}})\]\.(.+)", re.DOTALL)
    rows: dict[int, dict[str, str]] = {}
    for name, text in form.items():
        if found := starts.fullmatch(name):
            rows.setdefault(int(found[1]), {})[found[2]] = text
    if len(rows) > control.most:
        raise PayloadTooLarge(f"{control.label}: a form may have at most {control.most} rows.")
    return {i: rows[i] for i in sorted(rows)}


def _is_blank(control: Control, row: Mapping[str, str]) -> bool:
    if row.get(_REMOVE):
        return True
    hidden = {part.name for part in control.parts if part.form in ("hidden", "yes")}
    return not any(text.strip() for name, text in row.items() if name not in hidden)


def row_count(control: Control, form: Mapping[str, str], more: int = 0) -> int:
    """Return the number of rows that a form shows: the ones filled in, and a few more."""
    filled_in = len(_rows(control, form))
    return min(filled_in + (more or (_EMPTY_ROWS if control.required and not filled_in else 1)), control.most)


def read_body(asked: tuple[Control, ...], form: Mapping[str, str], zone: str, before: str = "") -> dict[str, Any]:
    """The body that a form's fields make: what is empty is not in it; what cannot be read is in it as it was sent."""
    body: dict[str, Any] = {}
    for control in asked:
        name = f"{before}{control.name}"
        value: Any = None
        if control.form == "object":
            value = read_body(control.parts, form, zone, f"{name}.") or None
        elif control.form == "rows":
            value = [_row(control, row, zone) for row in in_turns(_rows(control, form, before))]
        elif control.form == "yes":
            value = form.get(name) == "true"
        elif control.form in ("ticks", "refs"):
            value = form.get(name, "").split()
        elif control.form == "lines":
            value = [line.strip() for line in form.get(name, "").splitlines() if line.strip()]
        elif control.form == "map":
            pairs = (line.partition("=") for line in form.get(name, "").splitlines() if line.strip())
            value = {key.strip(): text.strip() for key, _, text in pairs}
        elif text := form.get(name, "").strip():
            value = _value(control, text, zone)
        if value is not None and (control.required or value not in ([], {})):
            body[control.name] = value
    return body


def _row(control: Control, row: Mapping[str, str], zone: str) -> dict[str, Any]:
    """A row's object; in one that is stored already, what was emptied is null."""
    found = read_body(control.parts, row, zone)
    if found.get("id"):
        found |= {p.name: None for p in control.parts if p.clears and p.name not in found}
    return found


def _value(control: Control, text: str, zone: str) -> Any:
    if control.form in ("number", "whole") and _GROUPED.fullmatch(text):
        text = re.sub(r"[$,\s]", "", text).removesuffix(".")
    if control.form == "state":
        return _state(text)
    if control.form == "time":
        return _clock_time(text)
    if control.form == "whole":
        return int(text) if _WHOLE.fullmatch(text) else text
    if control.form == "maybe":
        return {"true": True, "false": False}.get(text, text)
    if control.form == "moment" and _LOCAL.fullmatch(text):
        try:
            return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone)).isoformat()
        except ValueError:
            return text
    if control.form == "word":  # as clients of the API write it: `bank_transfer`
        return "_".join(text.casefold().split())
    return text.replace("\r\n", "\n")


def _state(text: str) -> str:
    """Return Australia's abbreviation of a state, from `tas`, `Tas.` or `Tasmania`; any other text as it is."""
    letters = re.sub(r"[^a-z]", "", text.lower())
    return letters.upper() if letters.upper() in _STATES.values() else _STATES.get(letters, text)


def _clock_time(text: str) -> str:
    """Return a time of day as the API takes it, `17:30`, from `5.30pm` and the like; any other text as it is."""
    found = _CLOCK.fullmatch(text)
    if not found or (found[3] and not 1 <= int(found[1]) <= 12):
        return text
    hour = int(found[1]) % 12 + (12 if found[3].lower() == "p" else 0) if found[3] else int(found[1])
    return f"{hour:02}:{found[2] or '00'}"


def version(form: Mapping[str, str]) -> int | None:
    """The version that a form was filled in from; None where it says none. Raises BadRequest for what is no number."""
    text = form.get("version", "")
    if not text:
        return None
    if not text.isdecimal() or len(text) > 9:
        raise BadRequest("The form's version is no number: open the page again.")
    return int(text)


def merge_patch(new: Mapping[str, Any], old: Mapping[str, Any]) -> dict[str, Any]:
    """The merge patch that makes the new body of the old one."""
    patch: dict[str, Any] = {}
    for name in {**old, **new}:
        was, now = old.get(name), new.get(name)
        if isinstance(was, dict) and isinstance(now, dict):
            now = merge_patch(now, was)
            if now:
                patch[name] = now
        elif was != now:
            patch[name] = _changed_rows(now, was) if _has_rows(now) and _has_rows(was) else now
    return patch


def _has_rows(value: Any) -> TypeGuard[list[dict[str, Any]]]:
    return isinstance(value, list) and bool(value) and all(isinstance(each, dict) for each in value)


def _changed_rows(new: list[dict[str, Any]], old: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Take what did not change out of rows that are stored: the API leaves it, or lets a new item fill it in."""
    was = {row["id"]: row for row in old if "id" in row}
    return [
        {name: value for name, value in row.items() if name == "id" or was[id].get(name, ...) != value}
        if (id := row.get("id")) in was
        else row
        for row in new
    ]


def faults_by_field(problem: Problem, asked: tuple[Control, ...]) -> dict[str, str]:
    """Map each field to its fault; one at `tags[2]` belongs to `tags`."""
    faults = problem.details or [Fault(problem.param or "", problem.code, problem.message)]
    found: dict[str, str] = {}
    names = frozenset(_names(asked))
    for fault in (fault for fault in faults if fault.param):
        name = fault.param
        while name and re.sub(r"\[\d+\]", "[]", name) not in names:
            name = re.sub(r"(\.[^.\[\]]*|\[\d+\])$", "", name) if re.search(r"[.\[]", name) else ""
        found.setdefault(name or fault.param, fault.message)
    return found


def _names(asked: tuple[Control, ...], before: str = "") -> Iterator[str]:
    for control in asked:
        yield f"{before}{control.name}"
        if control.parts:
            yield from _names(control.parts, f"{before}{control.name}" + ("[]." if control.form == "rows" else "."))
