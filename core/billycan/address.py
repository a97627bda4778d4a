"""Postal addresses."""

from typing import Annotated, Literal, get_args

from msgspec import Struct

from .fields import Text
from .problems import RuleBroken

State = Literal["ACT", "NSW", "NT", "QLD", "SA", "TAS", "VIC", "WA"]


AddressLine = Annotated[str, Text("A line of an address.", least=1, most=200)]
Postcode = Annotated[str, Text("A postcode.", least=1, most=10)]


def _country(text: str) -> str:
    if not (text.isascii() and text.isalpha() and text.isupper()):
        raise RuleBroken("invalid_value", "must be a country's two capital letters, such as AU")
    return text


Country = Annotated[
    str, Text("A country by its two letters of ISO 3166.", least=2, most=2, pattern="^[A-Z]{2}$", check=_country)
]


class Address(Struct, forbid_unknown_fields=True, kw_only=True):
    """A postal address; in Australia the state is one of the eight and the postcode has four digits.

    line1, line2: A line of the address.
    suburb: Suburb, town or city.
    state: In Australia one of ACT, NSW, NT, QLD, SA, TAS, VIC and WA.
    postcode: In Australia four digits.
    country: A two-letter ISO 3166 code; default AU.
    """

    line1: AddressLine | None = None
    line2: AddressLine | None = None
    suburb: AddressLine | None = None
    state: AddressLine | None = None
    postcode: Postcode | None = None
    country: Country = "AU"

    def __post_init__(self) -> None:
        if self.country != "AU":
            return
        if self.state is not None and self.state not in get_args(State):
            raise RuleBroken("invalid_value", f"must be one of {', '.join(get_args(State))}", ".state")
        if self.postcode is not None and not (
            len(self.postcode) == 4 and self.postcode.isascii() and self.postcode.isdigit()
        ):
            raise RuleBroken("invalid_value", "must be four digits", ".postcode")
