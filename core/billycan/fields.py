"""The types of members clients send: how each JSON value is read, and how OpenAPI describes it.

A value read as one of these types is a plain built-in: a `Name` is a `str`, an `Amount` a `Decimal`. The classes exist
so that a Struct can say what it takes. Members of Structs that are only sent out use the plain types themselves.
"""

import re
import unicodedata
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from typing import Any, ClassVar, Self, cast
from zoneinfo import ZoneInfo, available_timezones

from .problems import RuleBroken

MOST_MONEY = Decimal("999999999.99")
FIRST_DATE, LAST_DATE = date(1900, 1, 1), date(2200, 12, 31)

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_DECIMAL = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?", re.ASCII)
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s.]+(\.[^@\s.]+)+")
_PHONE = re.compile(r"\+?\(?[0-9][0-9 ()./-]{2,37}", re.ASCII)
_URL = re.compile(r"https?://[^\s/$.?#][^\s]*", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_INSTANT = re.compile(r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)?", re.ASCII)


class Moment(datetime):
    """A point in time in UTC, to the millisecond; printed with `.mmm` only when that is not zero."""

    @classmethod
    def of(cls, value: datetime) -> "Moment":
        v = value.astimezone(UTC)
        return cls(v.year, v.month, v.day, v.hour, v.minute, v.second, v.microsecond // 1000 * 1000, UTC)

    def __str__(self) -> str:
        # In two parts: written whole, its offset would take as long again.
        time = self.time().isoformat("milliseconds" if self.microsecond else "seconds")
        return f"{self.date().isoformat()}T{time}Z"


class _Plain(type):
    # msgspec checks what its hook returned against the member's type; values of these types are plain built-ins.
    plain: Any

    def __instancecheck__(cls, value: object) -> bool:
        return isinstance(value, cls.plain)


class Field(metaclass=_Plain):
    """What every type here offers: `read` checks a JSON value and gives the plain one, `schema` describes it."""

    plain: ClassVar[Any] = object
    schema: ClassVar[dict[str, Any]] = {}

    def __new__(cls, value: Any) -> Self:
        """`Name("Ada")` reads like a value that arrives: it gives the plain one."""
        return cast(Self, cls.read(value))

    @classmethod
    def read(cls, value: Any) -> Any:
        raise NotImplementedError


def read_field(kind: type, value: Any) -> Any:
    """msgspec's hook for every type it does not know."""
    if issubclass(kind, Field):
        return kind.read(value)
    raise NotImplementedError(kind)


# Text -----------------------------------------------------------------------------------------------------------------


class Text(Field, str):
    """Unicode text, trimmed, line ends stored as LF, without control characters but newline and tab."""

    plain = str
    least: ClassVar[int] = 0
    most: ClassVar[int] = 10_000
    schema = {"type": "string", "maxLength": most}

    def __init_subclass__(cls, least: int = 0, most: int = 10_000, **schema: Any) -> None:
        cls.least, cls.most = least, most
        cls.schema = {"type": "string", "maxLength": most} | ({"minLength": least} if least else {}) | schema

    @classmethod
    def read(cls, value: Any) -> str:
        if not isinstance(value, str):
            raise RuleBroken("invalid_type", "must be text")
        text = value.replace("\r\n", "\n").replace("\r", "\n")
        # Before trimming, which would take some of them for spaces.
        if _CONTROL.search(text):
            raise RuleBroken("invalid_value", "must not contain control characters")
        text = text.strip()
        if len(text) < cls.least:
            if not text:
                raise RuleBroken("required", "must not be empty")
            raise RuleBroken("invalid_value", f"must be at least {cls.least} characters")
        if len(text) > cls.most:
            raise RuleBroken("too_long", f"must be at most {cls.most} characters")
        return cls.check(text)

    @classmethod
    def check(cls, text: str) -> str:
        """What a kind of text demands besides its length; returns the text as stored."""
        return text


class Name(Text, least=1, most=200):
    """A name or title: 1 to 200 characters."""


class Reference(Text, most=100):
    """A short reference: at most 100 characters."""


class ExternalId(Text, least=1, most=100):
    """The client's own id of the record: 1 to 100 characters."""


class Id(Text, least=1, most=100):
    """The id of another record; whether it exists is checked where it is used."""


class Description(Text, least=1, most=4000):
    """A description: 1 to 4,000 characters."""


class Notes(Text, most=10_000):
    """Notes or terms: at most 10,000 characters."""


class Email(Text, least=3, most=254, format="email"):
    """An email address."""

    @classmethod
    def check(cls, text: str) -> str:
        if not _EMAIL.fullmatch(text):
            raise RuleBroken("invalid_value", "must be an email address such as ada@example.com")
        return text


class Phone(Text, least=3, most=40, pattern=r"^\s*\+?\(?[0-9][0-9 ()./-]{2,37}\s*$"):
    """A phone number, however it is spaced."""

    @classmethod
    def check(cls, text: str) -> str:
        if not _PHONE.fullmatch(text):
            raise RuleBroken("invalid_value", "must be a phone number such as 03 5550 0134 or +61 491 570 156")
        return text


class Url(Text, least=8, most=2048, format="iri", pattern=r"^https?://[^\s/$.?#]"):
    """A web address with http or https."""

    @classmethod
    def check(cls, text: str) -> str:
        if not _URL.fullmatch(text):
            raise RuleBroken("invalid_value", "must be a web address such as https://example.com")
        return text


class Abn(Text, least=1, most=20, format="abn", pattern=r"^\s*[1-9][0-9](\s*[0-9]){9}\s*$"):
    """An Australian Business Number; spaces are allowed in, 11 digits come out."""

    @classmethod
    def check(cls, text: str) -> str:
        digits = "".join(text.split())
        if not is_abn(digits):
            raise RuleBroken("invalid_abn", "is not a valid ABN: 11 digits, the first two of which check the others")
        return digits


def is_abn(digits: str) -> bool:
    """Whether 11 digits carry the check digits of the Australian Business Register (modulus 89)."""
    if not re.fullmatch(r"[1-9][0-9]{10}", digits, re.ASCII):
        return False
    weights = (10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19)
    return (sum(w * int(d) for w, d in zip(weights, digits, strict=True)) - 10) % 89 == 0


@cache  # it looks through a thousand files
def _zones() -> set[str]:
    return available_timezones() - {"localtime", "Factory"}  # the server's own zone, and none at all


class Zone(Text, least=1, most=64, format="time-zone"):
    """An IANA time zone such as `Australia/Hobart`."""

    @classmethod
    def check(cls, text: str) -> str:
        if text not in _zones():
            raise RuleBroken("invalid_value", "must be an IANA time zone such as Australia/Hobart")
        return text


class Tag(Text, least=1, most=50):
    """A tag: 1 to 50 characters."""


class Search(Text, most=200):
    """What to look for: at most 200 characters, none of them special."""


class Currency(Text, enum=["AUD"]):
    """The currency of amounts: Australian dollars."""

    @classmethod
    def check(cls, text: str) -> str:
        if text != "AUD":
            raise RuleBroken("currency_not_supported", "must be AUD: other currencies are not supported")
        return text


class MetadataValue(Text, most=500):
    """A value of metadata."""


class Metadata(Field, dict[str, str]):
    """The client's own string map: at most 50 keys of 40 characters with values of 500."""

    plain = dict
    schema = {
        "type": "object",
        "maxProperties": 50,
        "propertyNames": {"minLength": 1, "maxLength": 40},
        "additionalProperties": {"type": "string", "maxLength": 500},
    }

    @classmethod
    def read(cls, value: Any) -> dict[str, str]:
        if not isinstance(value, dict):
            raise RuleBroken("invalid_type", "must be an object of texts")
        if len(value) > 50:
            raise RuleBroken("too_long", "must have at most 50 keys")
        read = {}
        for key, text in value.items():
            if not 1 <= len(key) <= 40 or _CONTROL.search(key):
                raise RuleBroken("invalid_value", "keys must be 1 to 40 printable characters", f".{key[:40]}")
            try:
                read[key] = MetadataValue.read(text)
            except RuleBroken as broken:
                raise RuleBroken(broken.code, str(broken), f".{key}") from None
        return read


# Numbers --------------------------------------------------------------------------------------------------------------


class Number(Field, Decimal):
    """A decimal number, read exactly from a JSON number or a plain decimal string; never rounded."""

    plain = Decimal
    places: ClassVar[int] = 2
    least: ClassVar[Decimal] = -MOST_MONEY
    most: ClassVar[Decimal] = MOST_MONEY

    def __init_subclass__(cls, places: int = 2, least: str = "-999999999.99", most: str = "999999999.99") -> None:
        cls.places, cls.least, cls.most = places, Decimal(least), Decimal(most)
        sign, fraction = "-?" if cls.least < 0 else "", rf"(\.[0-9]{{1,{places}}})?"
        cls.schema = {
            "anyOf": [
                {"type": "number", "minimum": float(cls.least), "maximum": float(cls.most)},
                {"type": "string", "pattern": f"^{sign}[0-9]{{1,9}}{fraction}$"},
            ]
        }

    @classmethod
    def read(cls, value: Any) -> Decimal:
        if isinstance(value, bool) or not isinstance(value, int | Decimal | str):
            raise RuleBroken("invalid_type", "must be a number such as 19.95")
        if isinstance(value, str) and not _DECIMAL.fullmatch(value):
            raise RuleBroken("invalid_value", "must be a plain decimal number such as 19.95")
        number = Decimal(value)
        if not number.is_finite() or not cls.least <= number <= cls.most:
            raise RuleBroken("out_of_range", f"must be between {cls.least} and {cls.most}")
        exponent = number.as_tuple().exponent
        if isinstance(exponent, int) and -exponent > cls.places:
            raise RuleBroken("invalid_value", f"must have at most {cls.places} decimals")
        # A zero keeps no sign, so that -0.00 is never printed.
        return number.quantize(Decimal(1).scaleb(-cls.places)) + 0


class Amount(Number, places=2):
    """An amount of money in dollars with at most 2 decimals."""


class Positive(Number, places=2, least="0.01"):
    """An amount of money above zero."""


class NotNegative(Number, places=2, least="0"):
    """An amount of money of zero or more."""


class UnitPrice(Number, places=4):
    """A price per unit with at most 4 decimals; negative for a credit line."""


class Quantity(Number, places=4):
    """A quantity with at most 4 decimals; negative for a credit line."""


class Percent(Number, places=4, least="0", most="100"):
    """A percentage from 0 to 100 with at most 4 decimals."""


class Whole(Field, int):
    """A whole number: 0 to 2,147,483,647, the most that an Integer column holds."""

    plain = int
    least: ClassVar[int] = 0
    most: ClassVar[int] = 2_147_483_647
    schema = {"type": "integer", "minimum": least, "maximum": most}

    def __init_subclass__(cls, least: int = 0, most: int = 2_147_483_647) -> None:
        cls.least, cls.most = least, most
        cls.schema = {"type": "integer", "minimum": least, "maximum": most}

    @classmethod
    def read(cls, value: Any) -> int:
        huge = isinstance(value, Decimal) and abs(value) > cls.most  # as numbers of very many digits arrive
        if not huge and (isinstance(value, bool) or not isinstance(value, int)):
            raise RuleBroken("invalid_type", "must be a whole number, without a fraction or an exponent")
        if huge or not cls.least <= value <= cls.most:
            raise RuleBroken("out_of_range", f"must be between {cls.least} and {cls.most}")
        return int(value)


# Dates and times ------------------------------------------------------------------------------------------------------


class Day(Field, date):
    """A calendar date `YYYY-MM-DD` from 1900 to 2200, meant in the tenant's time zone."""

    plain = date
    schema = {"type": "string", "format": "date"}

    @classmethod
    def read(cls, value: Any) -> date:
        if isinstance(value, date) and not isinstance(value, datetime):
            return value
        if not isinstance(value, str):
            raise RuleBroken("invalid_type", "must be a date such as 2026-11-30")
        return _day(value)


class Instant(Field, datetime):
    """A point in time in RFC 3339 with an offset; kept in UTC to the millisecond."""

    plain = datetime
    schema = {"type": "string", "format": "date-time"}

    @classmethod
    def read(cls, value: Any) -> Moment:
        if isinstance(value, datetime):
            return Moment.of(value)
        if not isinstance(value, str):
            raise RuleBroken("invalid_type", "must be a time such as 2026-11-30T09:00:00+11:00")
        return _instant(value)


class DayOrInstant(Field, date):
    """A bound of a filter on a time: a date (that whole day in the tenant's zone) or a full time."""

    plain = date
    schema = {"anyOf": [{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}]}

    @classmethod
    def read(cls, value: Any) -> date:
        text = str(value)
        # A `+` in a query string arrives as a space.
        return _day(text) if _DATE.fullmatch(text) else _instant(text.replace(" ", "+"))


def _day(text: str) -> date:
    try:
        day = date.fromisoformat(text) if _DATE.fullmatch(text) else None
    except ValueError:
        day = None
    if day is None:
        raise RuleBroken("invalid_date", "must be a date that exists, such as 2026-11-30")
    if not FIRST_DATE <= day <= LAST_DATE:
        raise RuleBroken("out_of_range", "must be between 1900-01-01 and 2200-12-31")
    return day


def _instant(text: str) -> Moment:
    match = _INSTANT.fullmatch(text)
    if not match:
        raise RuleBroken("invalid_date", "must be a time such as 2026-11-30T09:00:00+11:00")
    day, clock, fraction, offset = match.groups()
    if offset is None:
        raise RuleBroken("offset_required", "must say its offset from UTC, such as Z or +11:00")
    _day(day)
    milliseconds = (fraction or ".").ljust(4, "0")[:4]
    try:
        time = datetime.fromisoformat(f"{day}T{clock}{milliseconds}{offset.upper().replace('Z', '+00:00')}")
    except ValueError:
        raise RuleBroken("invalid_date", "must be a time that exists") from None
    moment = Moment.of(time)
    _day(str(moment.date()))  # what is shown in UTC must be right when it is sent back
    return moment


def start_of_day(day: date, zone: str) -> Moment:
    """The first instant of a calendar day in a time zone."""
    return Moment.of(datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)))


def day_after(day: date) -> date:
    return day + timedelta(days=1)


# Folding --------------------------------------------------------------------------------------------------------------


def fold(text: str) -> str:
    """Text as it is compared in searches and sorts: without case and accents."""
    # Compatibility forms hide capitals (`㎒`), and folding some letters brings forth accents.
    spread = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in spread if not unicodedata.combining(c))


def digits_of(text: str) -> str:
    """The digits of a phone number or ABN, with Australia's +61 written as a leading zero."""
    digits = "".join(c for c in text if c in "0123456789")
    return "0" + digits[2:] if text.lstrip().startswith("+61") else digits
