"""Each kind of member accepts what its page says, gives the plain value, and refuses the rest by its code."""

import contextlib
import re
import unicodedata
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Annotated, get_origin
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from msgspec import Struct

from billycan import fields, web
from billycan.endpoints import decode_query
from billycan.fields import (
    Abn,
    Amount,
    Currency,
    Day,
    DayOrInstant,
    Description,
    Email,
    ExternalId,
    Id,
    Metadata,
    Moment,
    Name,
    Notes,
    NotNegative,
    Number,
    Percent,
    Phone,
    Reference,
    Search,
    Text,
    Url,
    Whole,
    Zone,
    is_abn,
)
from billycan.lists.filters import digits_of, fold
from billycan.members import parts
from billycan.problems import BadRequest, Invalid
from billycan.reader import Walk, compiled, decode
from billycan.resources import Country, Postcode
from billycan.tenants import AccountNumber, Bsb

Anyhow = Annotated[str, Text()]
TEXTS = [Anyhow, Name, Reference, ExternalId, Id, Description, Notes, Search]
AnyCount = Annotated[int, Whole()]
Positive = Annotated[Decimal, Number(least="0.01", kind="money")]
Quantity = Annotated[Decimal, Number(places=4, kind="quantity")]
Rate = Annotated[Decimal, Number(places=4, kind="money")]
NUMBERS = [Amount, Positive, NotNegative, Rate, Quantity, Percent]
ADA = "ada@example.com"


def read(kind, value):
    """Return the value that a reader gives; raise Invalid if it refuses the value."""
    walk = Walk()
    found = compiled(kind).read(value, "", (), walk, False)
    if walk.faults:
        raise Invalid.of(*walk.faults)
    return found


def code(kind, value):
    """The code by which a value is refused; None where it is taken."""
    try:
        read(kind, value)
    except Invalid as invalid:
        return invalid.details[0].code
    return None


def named(value):
    """The name of a type, for a test's."""
    return next((name for name, kind in {**vars(fields), **globals()}.items() if kind is value), None)


@pytest.mark.parametrize(
    ("kind", "sent", "wanted"),
    [
        (Anyhow, "", ""),
        (Anyhow, " \t\u00a0Ada\u3000\n", "Ada"),
        (Anyhow, "a\r\nb\rc\n\td", "a\nb\nc\n\td"),
        (Anyhow, "\r\n\r\n", ""),
        (Anyhow, "<b>&amp;'\"\\%_ ☕ 🇦🇺 Zoe\u0308", "<b>&amp;'\"\\%_ ☕ 🇦🇺 Zoe\u0308"),
        (Name, "x" * 200, "x" * 200),
        (Name, " " * 300 + "x", "x"),
        (Name, "🦘" * 200, "🦘" * 200),
        (Email, f" {ADA} ", ADA),
        (Email, "o'hara+bill@mail.example.com.au", "o'hara+bill@mail.example.com.au"),
        (Email, "zoë@exämple.com", "zoë@exämple.com"),
        (Phone, "(03) 6234 5678", "(03) 6234 5678"),
        (Phone, "+61 (0)412 345 678", "+61 (0)412 345 678"),
        (Phone, "13 11 14", "13 11 14"),
        (Phone, "000", "000"),
        (Url, "https://example.com/a?b=c#d", "https://example.com/a?b=c#d"),
        (Url, "HTTP://example.com", "HTTP://example.com"),
        (Abn, "47 555 222 000", "47555222000"),
        (Abn, " 51 824 753 556\t", "51824753556"),
        (Zone, "Australia/Lord_Howe", "Australia/Lord_Howe"),
        (Country, "NZ", "NZ"),
        (Currency, "AUD", "AUD"),
        (Postcode, "0800", "0800"),
        (Bsb, "062000", "062-000"),
        (Bsb, "062-000", "062-000"),
        (AccountNumber, "1234 5678", "1234 5678"),
        (Metadata, {"a": " b\r\nc "}, {"a": "b\nc"}),
        (Metadata, {"k" * 40: " " + "v" * 500}, {"k" * 40: "v" * 500}),
        (Metadata, {str(i): "" for i in range(50)}, {str(i): "" for i in range(50)}),
        (AnyCount, 0, 0),
        (AnyCount, 2**31 - 1, 2**31 - 1),
        (Day, "2028-02-29", date(2028, 2, 29)),
        (Day, "1900-01-01", date(1900, 1, 1)),
        (Day, "2200-12-31", date(2200, 12, 31)),
        (DayOrInstant, "2026-11-30", date(2026, 11, 30)),
        (DayOrInstant, "2026-11-30T09:00:00 11:00", datetime(2026, 11, 29, 22, tzinfo=UTC)),
    ],
    ids=named,
)
def test_a_right_value_is_read(kind, sent, wanted):
    assert read(kind, sent) == wanted
    assert isinstance(read(kind, sent), get_origin(kind.__origin__) or kind.__origin__)


@pytest.mark.parametrize(
    ("kind", "sent", "refused"),
    [
        *[(kind, value, "invalid_type") for kind in TEXTS for value in (1, Decimal(1), True, None, [], {}, b"x")],
        *[
            (kind, f"a{c}b", "invalid_value")
            for kind in (Anyhow, Name)
            for c in "\0\x01\x08\x0b\x0c\x1f\x7f\x85\x9f\ud800"
        ],
        *[(Anyhow, c, "invalid_value") for c in "\0\x0b\x0c\x1c\x1d\x1e\x1f\x85"],
        *[(kind, "", "required") for kind in (Name, ExternalId, Id, Description, Email, Phone, Url, Abn)],
        *[(kind, "x" * 10_001, "too_long") for kind in TEXTS],
        (Name, "x" * 201, "too_long"),
        (Name, "🦘" * 201, "too_long"),
        (Reference, "x" * 101, "too_long"),
        (Description, "x" * 4001, "too_long"),
        *[
            (Email, text, "invalid_value")
            for text in ("a", "ada", "@x.co", "a@b", "a@b.", "a@.b", "a b@c.de", "a@b@c.de")
        ],
        *[(Email, text, "invalid_value") for text in ("a@b..c", "a\n@b.co", "x" * 65 + "@b.co", "a@b.co,c@d.ef")],
        (Email, "a@" + "b" * 250 + ".co", "too_long"),
        *[(Phone, text, "invalid_value") for text in ("12", "none", "0412x345", "++61 3", "tel:0412345678", "٠٤١٢٣٤٥")],
        *[(Phone, text, "invalid_value") for text in ("()", "(((((", "---", "0412\n345")],
        (Phone, "0" * 41, "too_long"),
        *[
            (Url, text, "invalid_value")
            for text in ("http://", "example.com", "ftp://example.com", "javascript:alert(1)")
        ],
        *[(Url, text, "invalid_value") for text in ("https://a b", "https:///x", "https://?x", "//example.com")],
        *[
            (Abn, text, "invalid_abn")
            for text in ("1", "47555222001", "07555222000", "4755522200", "abc", "４７555222000")
        ],
        *[
            (Abn, text, "invalid_abn")
            for text in (
                "47-555-222-000",
                "AU47555222000",
                "AU 47 555 222 000",
                "47.555.222.000",
                "11111111111",
                "00000000000",
                "47555222000 0",
            )
        ],
        (Abn, 47555222000, "invalid_type"),
        *[
            (Zone, text, "invalid_value")
            for text in (
                "Hobart",
                "australia/hobart",
                "../../etc/passwd",
                "/etc/localtime",
                "+10:00",
                "localtime",
                "Factory",
            )
        ],
        *[(Country, text, "invalid_value") for text in ("au", "A", "A1", "ÄÖ")],
        *[(Currency, text, "currency_not_supported") for text in ("NZD", "aud", "A$")],
        *[(Bsb, text, "invalid_value") for text in ("06200", "0620000", "06200a", "------")],
        *[(AccountNumber, text, "invalid_value") for text in ("12a", "---", "٣")],
        (Metadata, [], "invalid_type"),
        (Metadata, {str(i): "" for i in range(51)}, "too_long"),
        *[(Metadata, {"k": value}, "invalid_type") for value in (1, None, True, [], {})],
        *[(Metadata, {"k": value}, "invalid_value") for value in ("\0", "a\x1b", "\x85", "\x1f")],
        *[(Metadata, {key: "v"}, "invalid_value") for key in ("", "k" * 41, "\0", "a\rb")],
        (Metadata, {"k": "v" * 501}, "too_long"),
        *[(AnyCount, n, "out_of_range") for n in (-1, 2**31, 2**63, Decimal("1e40"), Decimal("Infinity"))],
        *[(AnyCount, n, "invalid_type") for n in ("1", True, None, 1.0, Decimal("1.5"), [], {})],
        *[(kind, value, "invalid_type") for kind in (Day, Moment) for value in (1, True, None, [], {})],
        *[
            (Day, text, "invalid_date")
            for text in ("2026-02-30", "2027-02-29", "2026-13-01", "2026-00-10", "0000-01-01")
        ],
        *[(Day, text, "invalid_date") for text in ("", "20261130", "2026-W48-1", "2026-334", "30/11/2026", "2026-1-1")],
        *[
            (Day, text, "invalid_date")
            for text in ("2026-11-30T00:00:00Z", " 2026-11-30", "２０２６-11-30", "10000-01-01")
        ],
        *[(Day, text, "out_of_range") for text in ("1899-12-31", "2201-01-01", "0001-01-01", "9999-12-31")],
        *[
            (Moment, text, "invalid_date")
            for text in ("", "now", "2026-11-30", "2026-11-30T09:00Z", "2026-11-30 09:00:00Z")
        ],
        *[
            (Moment, f"2026-11-30T{text}", "invalid_date")
            for text in ("24:00:00Z", "23:60:00Z", "23:59:60Z", "9:00:00Z")
        ],
        *[
            (Moment, f"2026-11-30T09:00:00{text}", "invalid_date")
            for text in ("+24:00", "+11", "+1100", "z+1", "-99:99")
        ],
        *[(Moment, f"2026-11-30T09:00:00{text}", "invalid_date") for text in (".Z", ",5Z", ".1234567890Z", "Z ")],
        *[(Moment, f"2026-11-30T09:00:00{text}", "offset_required") for text in ("", ".5")],
        (Moment, "2026-02-30T09:00:00Z", "invalid_date"),
        *[
            (Moment, text, "out_of_range")
            for text in ("1899-12-31T23:59:59Z", "2201-01-01T00:00:00Z", "0001-01-01T00:00:00Z")
        ],
        # What is printed in UTC must be taken back.
        *[(Moment, text, "out_of_range") for text in ("1900-01-01T00:00:00+11:00", "2200-12-31T23:00:00-11:00")],
        *[(DayOrInstant, text, "invalid_date") for text in ("", "yesterday", "2026-02-30", "2026-11")],
        (DayOrInstant, "2026-11-30T09:00:00", "offset_required"),
    ],
    ids=named,
)
def test_a_wrong_value_is_refused(kind, sent, refused):
    assert code(kind, sent) == refused


printable = st.characters(exclude_categories=["Cs", "Cc"]) | st.sampled_from("\n\t\r")


@given(st.text(printable, max_size=60))
def test_text_is_trimmed_and_otherwise_as_sent(text):
    found = read(Anyhow, text)
    assert found == text.replace("\r\n", "\n").replace("\r", "\n").strip() == read(Anyhow, found)


@given(st.text(max_size=30))
def test_text_with_a_control_character_is_never_taken(text):
    control = any(unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t\r" for c in text)
    assert code(Anyhow, text) == ("invalid_value" if control else None)


PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?")
JUNK = [
    "NaN",
    "Infinity",
    "-Infinity",
    "1e9",
    "1E-2",
    "1_000",
    "1,000",
    " 1 ",
    "1 ",
    "\n1",
    "+1",
    "",
    ".5",
    "5.",
    "-",
    "--1",
]
JUNK += ["0x10", "$5", "١٢٣", "１", "1.2.3", "½", "1\0"]


@pytest.mark.parametrize("kind", NUMBERS, ids=named)
@pytest.mark.parametrize("text", JUNK)
def test_only_plain_decimals_are_numbers(kind, text):
    assert code(kind, text) == "invalid_value"


@pytest.mark.parametrize("kind", NUMBERS, ids=named)
@pytest.mark.parametrize("value", [True, None, [], {}, 1.5, b"1"])
def test_only_numbers_and_texts_are_numbers(kind, value):
    assert code(kind, value) == "invalid_type"


HUGE = [Decimal("Infinity"), Decimal("-Infinity"), Decimal("NaN"), Decimal("1e400"), Decimal("9" * 5_000), 10**400]
HUGE += ["9" * 20, "-" + "9" * 20, "1000000000", 10**9, -(10**9), Decimal("999999999.991"), Decimal("9e999999")]


@pytest.mark.parametrize("kind", NUMBERS, ids=named)
@pytest.mark.parametrize("value", HUGE, ids=range(len(HUGE)))
def test_huge_numbers_are_out_of_range(kind, value):
    assert code(kind, value) == "out_of_range"


@pytest.mark.parametrize(
    ("kind", "sent", "printed"),
    [
        (Amount, "1210", "1210.00"),
        (Amount, Decimal("1210.5"), "1210.50"),
        (Amount, "-0.00", "0.00"),
        (Amount, Decimal("-0"), "0.00"),
        (Amount, "-999999999.99", "-999999999.99"),
        (Amount, Decimal("1e3"), "1000.00"),
        (Amount, Decimal("0e5"), "0.00"),
        (Amount, "007.10", "7.10"),
        (NotNegative, 0, "0.00"),
        (Positive, "0.01", "0.01"),
        (Positive, "999999999.99", "999999999.99"),
        (Rate, "-0.0001", "-0.0001"),
        (Percent, 100, "100.0000"),
    ],
    ids=named,
)
def test_a_number_is_exact(kind, sent, printed):
    assert str(read(kind, sent)) == printed


@pytest.mark.parametrize(
    ("kind", "sent", "refused"),
    [
        (Amount, "1.005", "invalid_value"),
        (Amount, Decimal("1.00000000000000001"), "invalid_value"),
        (Amount, "0.12345678901234567", "invalid_value"),
        (Amount, Decimal("1e-400"), "invalid_value"),
        (Rate, "0.00001", "invalid_value"),
        (Positive, 0, "out_of_range"),
        (Positive, "-0.01", "out_of_range"),
        (NotNegative, "-0.01", "out_of_range"),
        (Percent, "100.0001", "out_of_range"),
        (Percent, "-1", "out_of_range"),
    ],
    ids=named,
)
def test_a_number_is_never_rounded(kind, sent, refused):
    assert code(kind, sent) == refused


decimals = st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**10), max_value=10**10, places=6)


@pytest.mark.parametrize("kind", NUMBERS, ids=named)
@given(number=decimals | st.decimals(allow_nan=False) | st.integers().map(Decimal))
@example(number=Decimal("0E-999999"))
def test_a_number_is_taken_as_it_is_or_not_at_all(kind, number):
    rule = parts(kind)[1]
    for sent in (number, format(number, "f")) if -30 < number.adjusted() < 30 else (number,):
        if code(kind, sent) is None:
            found = read(kind, sent)
            assert found == number and -found.as_tuple().exponent == rule.places and rule.least <= found <= rule.most
        elif rule.least <= number <= rule.most and number.is_finite():
            assert -number.as_tuple().exponent > rule.places


digits = st.text("0123456789", min_size=1, max_size=40)
numerals = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(["", "-"]),
    st.just("0") | st.from_regex(r"[1-9][0-9]{0,40}", fullmatch=True),
    st.just("") | digits.map(".{}".format),
    st.just("") | st.builds("{}{}{}".format, st.sampled_from("eE"), st.sampled_from(["", "+", "-"]), digits),
)


@pytest.mark.parametrize("kind", [*NUMBERS, AnyCount, Anyhow, Day, Moment, Metadata], ids=named)
@given(text=numerals)
@example("1e9999999")
@example("-1e9999999")
@example("1e-9999999")
@example("0e9999999")
@example("1e999999999999999999")
@example("0e" + "9" * 100)
@example("9" * 10_000)
def test_however_a_number_is_written_it_is_read_or_refused(kind, text):
    (value,) = web.parse(f"[{text}]".encode())
    assert code(kind, value) in (None, "invalid_type", "invalid_value", "out_of_range")
    with contextlib.suppress(Invalid):
        decode({"seats": value}, Seated)


@given(st.dates(date(1900, 1, 1), date(2200, 12, 31)))
def test_a_day_reads_as_it_prints(day):
    assert read(Day, day.isoformat()) == day == read(DayOrInstant, day.isoformat())


offsets = st.integers(-23 * 60 - 59, 23 * 60 + 59).map(lambda m: timezone(timedelta(minutes=m)))


@given(st.datetimes(datetime(1900, 1, 2), datetime(2200, 12, 30), timezones=offsets))  # noqa: DTZ001
def test_an_instant_keeps_its_millisecond_whatever_the_offset(instant):
    assume(1900 <= instant.astimezone(UTC).year <= 2200)
    found = read(Moment, instant.isoformat(timespec="microseconds"))
    assert timedelta(0) <= instant - found < timedelta(milliseconds=1) and type(found) is Moment
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z", str(found)) and ".000" not in str(found)
    assert read(Moment, str(found)) == found


@pytest.mark.parametrize(
    ("sent", "printed"),
    [
        ("2026-11-30T09:00:00+11:00", "2026-11-29T22:00:00Z"),
        ("2026-11-30t09:00:00z", "2026-11-30T09:00:00Z"),
        ("2026-11-30T09:00:00-00:00", "2026-11-30T09:00:00Z"),
        ("2026-11-30T09:00:00.1Z", "2026-11-30T09:00:00.100Z"),
        ("2026-11-30T09:00:00.000999Z", "2026-11-30T09:00:00Z"),
        ("2026-11-30T23:59:59.999999999Z", "2026-11-30T23:59:59.999Z"),
    ],
)
def test_an_instant_prints_in_utc(sent, printed):
    assert str(read(Moment, sent)) == printed


ZONES = sorted(available_timezones() - {"localtime"})


@given(st.dates(date(1990, 1, 1), date(2100, 1, 1)), st.sampled_from(ZONES))
@example(date(2026, 10, 4), "Australia/Hobart")  # clocks go forward
@example(date(2026, 4, 5), "Australia/Lord_Howe")  # back by half an hour
@example(date(2025, 4, 25), "Africa/Cairo")  # there is no midnight
@example(date(2019, 11, 3), "America/Havana")  # midnight comes twice
@example(date(2011, 12, 30), "Pacific/Apia")  # there is no such day
def test_a_day_begins_at_its_first_instant(day, zone):
    start, end = Moment.start_of(day, zone), Moment.start_of(day + timedelta(days=1), zone)
    tz = ZoneInfo(zone)
    assert (start - timedelta(milliseconds=1)).astimezone(tz).date() < day
    assert start == end or start.astimezone(tz).date() == day
    assert start == end or (end - timedelta(milliseconds=1)).astimezone(tz).date() == day


PUBLISHED = ["51824753556", "53004085616", "33102417032", "29002589460"]


@pytest.mark.parametrize("abn", PUBLISHED)
def test_published_abns_check(abn):
    assert is_abn(abn)


@given(st.sampled_from(PUBLISHED), st.integers(0, 10), st.integers(1, 9))
def test_one_wrong_digit_is_found(abn, place, by):
    digit = str((int(abn[place]) + by) % 10)
    assert not is_abn(abn[:place] + digit + abn[place + 1 :])


@pytest.mark.parametrize(
    ("text", "folded"),
    [
        ("ZOË", "zoe"),
        ("Zoe\u0308", "zoe"),
        ("Straße", "strasse"),
        ("STRASSE", "strasse"),
        ("İstanbul", "istanbul"),
        ("ﬁne", "fine"),
        ("㎒ Ⅷ", "mhz viii"),
        ("Ångström", "angstrom"),
        ("100%_\\", "100%_\\"),
        ("日本", "日本"),
    ],
)
def test_text_folds(text, folded):
    assert fold(text) == folded


@given(st.text(max_size=20))
def test_folding_again_changes_nothing(text):
    assert fold(fold(text)) == fold(text)


@given(st.text(max_size=20))
def test_equivalent_texts_fold_alike(text):
    for form in ("NFC", "NFD", "NFKC", "NFKD"):
        assert fold(unicodedata.normalize(form, text)) == fold(text)


@pytest.mark.parametrize(
    ("text", "digits"),
    [("+61 3 6234 5678", "0362345678"), ("(03) 6234-5678", "0362345678"), ("47 555 222 000", "47555222000"), ("x", "")],
)
def test_digits_are_of_a_number_however_it_is_spaced(text, digits):
    assert digits_of(text) == digits


Seats = Annotated[int, Whole("How many sit in it.", least=1, most=9)]


class Seated(Struct):
    seats: Seats | None = None


def test_a_whole_number_has_the_limits_of_its_kind():
    assert [code(Seats, n) for n in (0, 1, 9, 10)] == ["out_of_range", None, None, "out_of_range"]
    assert parts(Seats)[1].schema == {
        "description": "How many sit in it.",
        "type": "integer",
        "minimum": 1,
        "maximum": 9,
    }
    assert decode_query("seats=7", Seated).seats == 7 == decode({"seats": 7}, Seated).seats
    for text in ("10", "-1", "7.0", "x", "9" * 30):
        with pytest.raises(BadRequest, match="seats: must be"):
            decode_query(f"seats={text}", Seated)


def test_every_field_is_tested_here():
    named = {name for name in fields.__all__ if get_origin(getattr(fields, name)) is Annotated}
    assert named and not named - set(globals())


without_offset = st.datetimes(datetime(1, 1, 2), datetime(9999, 12, 30))  # noqa: DTZ001


@given(without_offset, st.sampled_from(["+00", "+00:00", "+05:30", "-11"]))
def test_a_stored_time_is_read_to_the_millisecond_and_printed_alike(time, offset):
    text = time.isoformat(" ")
    # PostgreSQL leaves out the zeros that end a fraction.
    for stored in (text + offset, text.rstrip("0") + offset if "." in text else text + offset):
        found, meant = Moment.stored(stored), Moment.of(datetime.fromisoformat(text + offset))
        assert (type(found), found, found.tzinfo) == (Moment, meant, UTC)
        # Whatever is worked out of it is printed as what it is then.
        assert (str(found), str(found.replace(year=2000))) == (str(meant), str(meant.replace(year=2000)))
