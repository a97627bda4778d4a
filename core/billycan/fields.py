"""Types of members that clients send, with their rules; ids and moments among them."""

import os
import re
import threading
import time
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache, lru_cache
from typing import Annotated, Any, ClassVar, Literal
from zoneinfo import ZoneInfo, available_timezones

from msgspec import Meta

from .problems import RuleBroken

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_PAIRS = [a + b for a in _ALPHABET for b in _ALPHABET]
_FORM = re.compile(r"[a-z]{2,5}_[0-9a-z]{1,40}")
_SHIFTS = range(110, -1, -10)  # of all pairs but the last
_lock = threading.Lock()
_last = 0


def is_id(text: str, prefix: str = "") -> bool:
    """Tell whether a text has the form of an id, and this prefix if one is given."""
    return _FORM.fullmatch(text) is not None and text.startswith(f"{prefix}_" if prefix else "")


def new_id(prefix: str) -> str:
    """Return a new id, in lower-case base 32: 48 bits of milliseconds and 80 random bits, or the one after the last.

    Those of one millisecond follow each other, as do those made after the clock stepped back.
    """
    global _last  # noqa: PLW0603 - the clock of this process
    now = time.time_ns() // 1_000_000
    with _lock:
        if now > _last >> 80:
            _last = (now << 80) | int.from_bytes(os.urandom(10), "big")
        else:
            _last += 1
        value = _last
    return f"{prefix}_{_pairs_but_the_last(value >> 10)}{_PAIRS[value & 1023]}"


@lru_cache(16)  # ids of one millisecond mostly differ in the last pair alone
def _pairs_but_the_last(number: int) -> str:
    return "".join([_PAIRS[number >> shift & 1023] for shift in _SHIFTS])


# How long one is in UTC with no fraction of a second, or with three digits of it.
_WHOLE = (len("2026-01-01 09:30:00+00"), len("2026-01-01 09:30:00.000+00"))
_TWO = [f"{number:02}" for number in range(60)]


class Moment(datetime):
    """A point in time in UTC, to the millisecond; printed with `.mmm` only when that is not zero.

    Clients send one as RFC 3339 with an offset.
    """

    LAST_DATE: ClassVar = date(2200, 12, 31)
    """The last date that is accepted."""

    __slots__ = ("_text",)  # the printed form, once it is known
    _text: str

    @classmethod
    def of(cls, value: datetime) -> "Moment":
        """Return a time with an offset in UTC, cut to the millisecond."""
        v = value if value.tzinfo is UTC else value.astimezone(UTC)
        return cls(v.year, v.month, v.day, v.hour, v.minute, v.second, v.microsecond // 1000 * 1000, UTC)

    @classmethod
    def start_of(cls, day: date, zone: str) -> "Moment":
        """Return the first instant of a calendar day in a time zone."""
        return cls.of(datetime(day.year, day.month, day.day, tzinfo=ZoneInfo(zone)))

    @classmethod
    def read(cls, value: Any) -> "Moment":
        """Read a point in time as a client sends it; raise RuleBroken if it is none, or has no offset."""
        if isinstance(value, datetime):
            return cls.of(value)
        if not isinstance(value, str):
            raise RuleBroken("invalid_type", "must be a time such as 2026-11-30T09:00:00+11:00")
        match = _INSTANT.fullmatch(value)
        if not match:
            raise RuleBroken("invalid_date", "must be a time such as 2026-11-30T09:00:00+11:00")
        day, clock, fraction, offset = match.groups()
        if offset is None:
            raise RuleBroken("offset_required", "must include its offset from UTC, such as Z or +11:00")
        _read_day(day)
        milliseconds = (fraction or ".").ljust(4, "0")[:4]
        try:
            time = datetime.fromisoformat(f"{day}T{clock}{milliseconds}{offset.upper().replace('Z', '+00:00')}")
        except ValueError:
            raise RuleBroken("invalid_date", "must be a time that exists") from None
        moment = cls.of(time)
        _read_day(str(moment.date()))  # the date in UTC, as shown, must be valid when it is sent back
        return moment

    @classmethod
    def stored(cls, text: str) -> "Moment":
        """Read a time that a database writes as `2026-01-01 09:30:00+00`.

        The result keeps its text: a list shows a hundred of them, and reading and printing one took 3.5 µs instead of
        1.8.

        For core alone.
        """
        if text.endswith("+00") and len(text) in _WHOLE:
            moment = cls.fromisoformat(text)
            moment._text = f"{text[:10]}T{text[11:-3]}Z"
            return moment
        return cls.of(datetime.fromisoformat(text))

    def __str__(self) -> str:
        try:
            return self._text
        except AttributeError:
            self._text = text = self._format_text()
            return text

    def _format_text(self) -> str:
        # By a table, in two thirds of the time that datetime's own methods take.
        milliseconds = f".{self.microsecond // 1000:03}" if self.microsecond else ""
        day = f"{self.year:04}-{_TWO[self.month]}-{_TWO[self.day]}"
        return f"{day}T{_TWO[self.hour]}:{_TWO[self.minute]}:{_TWO[self.second]}{milliseconds}Z"


def day_after(day: date) -> date:
    return day + timedelta(days=1)


MOST_MONEY = "999999999.99"
MOST_WHOLE = 2_147_483_647  # an Integer column holds no more
FIRST_DATE = date(1900, 1, 1)

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
_DECIMAL = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?", re.ASCII)
_SHORT = 20  # characters of a number that is remembered
_EMAIL = re.compile(r"[^@\s]{1,64}@[^@\s.]+(\.[^@\s.]+)+")
_PHONE = re.compile(r"\+?\(?[0-9][0-9 ()./-]{2,37}", re.ASCII)
_URL = re.compile(r"https?://[^\s/$.?#][^\s]*", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d-\d\d", re.ASCII)
_INSTANT = re.compile(r"(\d{4}-\d\d-\d\d)[Tt](\d\d:\d\d:\d\d)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)?", re.ASCII)


class Rule:
    """The way a JSON value is read as a type: `read` gives the plain value or raises RuleBroken; `schema` describes it.

    It stands beside the type: `Colour = Annotated[str, Rule(read_colour, type="string", enum=["red", "blue"])]`. `kind`
    says what the values are, such as `money` or `email`, and `unit` in which unit numbers are.
    """

    kind = unit = ""

    def __init__(self, read: Callable[[Any], Any], **schema: Any) -> None:
        self.read, self.schema = read, {name: value for name, value in schema.items() if value is not None}


class Text(Rule):
    """The rule of a text: trimmed, line ends stored as LF, without control characters but newline and tab.

    It has `least` to `most` characters. `check` may refuse the trimmed text, or give it as it is stored. `kind` is
    `name`, `email`, `phone`, `url`, `id`, `time` for one of day or, for words that clients choose such as
    `bank_transfer`, `word`. `says` and any more of `schema` describe the type in the OpenAPI document.
    """

    def __init__(
        self,
        says: str = "",
        *,
        least: int = 0,
        most: int = 10_000,
        check: Callable[[str], str] | None = None,
        kind: str = "",
        **schema: Any,
    ) -> None:
        self.least, self.most, self.check, self.kind = least, most, check, kind
        length = {"maxLength": most, "minLength": least or None}
        super().__init__(self._read_text, description=says or None, type="string", **length, **schema)

    def _read_text(self, value: Any) -> str:
        if not isinstance(value, str):
            raise RuleBroken("invalid_type", "must be text")
        if not value.isprintable():  # most texts are printable
            value = value.replace("\r\n", "\n").replace("\r", "\n")
            # Before trimming, which would remove some of them as spaces.
            if _CONTROL.search(value):
                raise RuleBroken("invalid_value", "must not contain control characters")
        text: str = value.strip()
        if len(text) < self.least:
            if not text:
                raise RuleBroken("required", "must not be empty")
            raise RuleBroken("invalid_value", f"must be at least {self.least} characters")
        if len(text) > self.most:
            raise RuleBroken("too_long", f"must be at most {self.most} characters")
        return self.check(text) if self.check else text


def _read_email(text: str) -> str:
    if not _EMAIL.fullmatch(text):
        raise RuleBroken("invalid_value", "must be an email address such as ada@example.com")
    return text


def _read_phone(text: str) -> str:
    if not _PHONE.fullmatch(text):
        raise RuleBroken("invalid_value", "must be a phone number such as 03 5550 0134 or +61 491 570 156")
    return text


def _read_url(text: str) -> str:
    if not _URL.fullmatch(text):
        raise RuleBroken("invalid_value", "must be a web address such as https://example.com")
    return text


def _read_abn(text: str) -> str:
    digits = "".join(text.split())
    if not is_abn(digits):
        raise RuleBroken("invalid_abn", "is not a valid ABN: 11 digits, the first two of which are check digits")
    return digits


def is_abn(digits: str) -> bool:
    """Tell whether 11 digits carry the check digits of the Australian Business Register (modulus 89)."""
    if not re.fullmatch(r"[1-9][0-9]{10}", digits, re.ASCII):
        return False
    weights = (10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19)
    return (sum(w * int(d) for w, d in zip(weights, digits, strict=True)) - 10) % 89 == 0


@cache  # it looks through a thousand files
def _known_zones() -> set[str]:
    return available_timezones() - {"localtime", "Factory"}  # the server's own zone, and none at all


def _read_zone(text: str) -> str:
    if text not in _known_zones():
        raise RuleBroken("invalid_value", "must be an IANA time zone such as Australia/Hobart")
    return text


def _read_currency(text: str) -> str:
    if text != "AUD":
        raise RuleBroken("currency_not_supported", "must be AUD: other currencies are not supported")
    return text


Name = Annotated[str, Text("A name or title: 1 to 200 characters.", least=1, most=200, kind="name")]
Reference = Annotated[str, Text("A short reference: at most 100 characters.", most=100)]
ExternalId = Annotated[str, Text("Your own id for the record: 1 to 100 characters.", least=1, most=100)]
Id = Annotated[
    str, Text("The id of another record; whether it exists is checked where it is used.", least=1, most=100, kind="id")
]
Description = Annotated[str, Text("A description: 1 to 4,000 characters.", least=1, most=4000)]
Notes = Annotated[str, Text("Notes or terms: at most 10,000 characters.", most=10_000)]
Search = Annotated[str, Text("The text to look for: at most 200 characters, without wildcards.", most=200)]
Email = Annotated[str, Text("An email address.", least=3, most=254, kind="email", format="email", check=_read_email)]
Phone = Annotated[
    str,
    Text(
        "A phone number, however it is spaced.",
        least=3,
        most=40,
        kind="phone",
        pattern=r"^\s*\+?\(?[0-9][0-9 ()./-]{2,37}\s*$",
        check=_read_phone,
    ),
]
Url = Annotated[
    str,
    Text(
        "A web address with http or https.",
        least=8,
        most=2048,
        kind="url",
        format="iri",
        pattern=r"^https?://[^\s/$.?#]",
        check=_read_url,
    ),
]
Abn = Annotated[
    str,
    Text(
        "An Australian Business Number: spaces are accepted, and 11 digits are returned.",
        least=1,
        most=20,
        format="abn",
        pattern=r"^\s*[1-9][0-9](\s*[0-9]){9}\s*$",
        check=_read_abn,
    ),
]
Zone = Annotated[
    str, Text("An IANA time zone such as `Australia/Hobart`.", least=1, most=64, format="time-zone", check=_read_zone)
]
Currency = Annotated[str, Text("The currency of amounts: Australian dollars.", enum=["AUD"], check=_read_currency)]

AmountsAre = Literal["exclusive", "inclusive"]  # of GST
"""The choice in a business's profile of prices on new documents without or with GST."""
GstRounding = Literal["total_invoice", "per_line"]
"""The choice in a business's profile of rounding GST once for a document or for each line."""


def _metadata_key(key: str) -> str:
    if not 1 <= len(key) <= 40 or _CONTROL.search(key):
        raise RuleBroken("invalid_value", "keys must be 1 to 40 printable characters")
    return key


Metadata = Annotated[
    dict[Annotated[str, Rule(_metadata_key, type="string", minLength=1, maxLength=40)], Annotated[str, Text(most=500)]],
    Meta(
        max_length=50,
        description="Your own data: at most 50 keys of up to 40 characters, with string values of up to 500.",
    ),
]


class Number(Rule):
    """The rule of a decimal number, read exactly from a JSON number or a plain decimal string; never rounded.

    It has at most `places` decimal places and lies between `least` and `most`; `says` describes the type. `kind` is
    `money`, `percentage`, `quantity` or, by default, `number`: the number of a `unit` such as `kg`, if that is given.
    """

    def __init__(
        self,
        says: str = "",
        *,
        places: int = 2,
        least: str = f"-{MOST_MONEY}",
        most: str = MOST_MONEY,
        kind: Literal["number", "money", "percentage", "quantity"] = "number",
        unit: str = "",
    ) -> None:
        self.places, self.least, self.most = places, Decimal(least), Decimal(most)
        self.kind, self.unit = kind, unit
        self._step = Decimal(1).scaleb(-places)
        sign, fraction = "-?" if self.least < 0 else "", rf"(\.[0-9]{{1,{places}}})?"
        forms = [
            {"type": "number", "minimum": float(least), "maximum": float(most)},
            {"type": "string", "pattern": f"^{sign}[0-9]{{1,9}}{fraction}$"},
        ]
        self._known = lru_cache(1024)(self._read_any)  # prices and quantities repeat, and take a microsecond each
        super().__init__(self._read_number, description=says or None, anyOf=forms)

    def _read_number(self, value: Any) -> Decimal:
        is_known = type(value) is int or (type(value) is str and len(value) <= _SHORT)
        return self._known(value) if is_known else self._read_any(value)

    def _read_any(self, value: Any) -> Decimal:
        if isinstance(value, str):
            if not _DECIMAL.fullmatch(value):
                raise RuleBroken("invalid_value", "must be a plain decimal number such as 19.95")
        elif isinstance(value, bool) or not isinstance(value, int | Decimal):
            raise RuleBroken("invalid_type", "must be a number such as 19.95")
        number = Decimal(value)
        if not number.is_finite() or not self.least <= number <= self.most:
            raise RuleBroken("out_of_range", f"must be between {self.least} and {self.most}")
        exponent = 0 if type(value) is int else number.as_tuple().exponent
        if isinstance(exponent, int) and -exponent > self.places:
            raise RuleBroken("invalid_value", f"must have at most {self.places} decimal places")
        # A zero keeps no sign, so that -0.00 is never printed.
        return number.quantize(self._step) + 0


Amount = Annotated[Decimal, Number("An amount of money in dollars with at most 2 decimal places.", kind="money")]
NotNegative = Annotated[Decimal, Number("An amount of money of zero or more.", least="0", kind="money")]
Percent = Annotated[
    Decimal,
    Number(
        "A percentage from 0 to 100 with at most 4 decimal places.",
        places=4,
        least="0",
        most="100",
        kind="percentage",
    ),
]


class Whole(Rule):
    """The rule of a whole number from `least` to `most`, at most what an Integer column holds; `says` describes it."""

    def __init__(self, says: str = "", *, least: int = 0, most: int = MOST_WHOLE) -> None:
        self.least, self.most = least, most
        if not says and (least, most) == (0, MOST_WHOLE):
            says = "A whole number: 0 to 2,147,483,647, the most that an Integer column holds."
        super().__init__(self._read_whole, description=says or None, type="integer", minimum=least, maximum=most)

    def _read_whole(self, value: Any) -> int:
        # As numbers of very many digits arrive; compared, since any arithmetic with such an exponent overflows.
        huge = isinstance(value, Decimal) and not -MOST_WHOLE <= value <= MOST_WHOLE
        if not huge and (isinstance(value, bool) or not isinstance(value, int)):
            raise RuleBroken("invalid_type", "must be a whole number, without a fraction or an exponent")
        if huge or not self.least <= value <= self.most:
            raise RuleBroken("out_of_range", f"must be between {self.least} and {self.most}")
        return int(value)


def _read_day(value: Any) -> date:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    if not isinstance(value, str):
        raise RuleBroken("invalid_type", "must be a date such as 2026-11-30")
    try:
        day = date.fromisoformat(value) if _DATE.fullmatch(value) else None
    except ValueError:
        day = None
    if day is None:
        raise RuleBroken("invalid_date", "must be a date that exists, such as 2026-11-30")
    if not FIRST_DATE <= day <= Moment.LAST_DATE:
        raise RuleBroken("out_of_range", "must be between 1900-01-01 and 2200-12-31")
    return day


def _day_or_instant(value: Any) -> date:
    text = str(value)
    # A `+` in a query string arrives as a space.
    return _read_day(text) if _DATE.fullmatch(text) else Moment.read(text.replace(" ", "+"))


Day = Annotated[
    date,
    Rule(
        _read_day,
        description="A calendar date `YYYY-MM-DD` from 1900 to 2200, in the tenant's time zone.",
        type="string",
        format="date",
    ),
]
MOMENT = Rule(
    Moment.read,
    description="A point in time in RFC 3339 with an offset; stored in UTC to the millisecond.",
    type="string",
    format="date-time",
)
DayOrInstant = Annotated[
    date,
    Rule(
        _day_or_instant,
        description="A bound of a filter on a time: a date (that whole day in the tenant's zone) or a full time.",
        anyOf=[{"type": "string", "format": "date"}, {"type": "string", "format": "date-time"}],
    ),
]

__all__ = [
    "Abn",
    "Amount",
    "Currency",
    "Day",
    "DayOrInstant",
    "Description",
    "Email",
    "Id",
    "Moment",
    "Name",
    "NotNegative",
    "Notes",
    "Number",
    "Percent",
    "Phone",
    "Reference",
    "Rule",
    "Text",
    "Url",
    "Whole",
    "Zone",
]
