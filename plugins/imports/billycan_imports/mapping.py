"""Rows of another program's file as rows of members: which column is which, and cells as the API writes them."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from itertools import chain, count
from typing import Any, Literal, get_args, get_origin

from billycan import Fault
from billycan.csv.importing import Importer

from .presets import find_preset, letters_of
from .schemas import ColumnMapping, DateForm

FIRST_ROWS = 200  # of a file, by which the form of its dates is told

Clean = Callable[[str], str]
Corrections = Mapping[str, Mapping[str, str] | None]

# Names that people give columns, by the last part of the member.
_SYNONYMS = {
    "name": "contact client customer supplier company business organisation organization fullname itemname title"
    " displayname tradingname contactname clientname clientsname customername suppliername companyname businessname"
    " product service",
    "email": "emailaddress mail contactemail primaryemail",
    "phone": "phonenumber telephone tel mobile mobilenumber mobilephone cell contactnumber workphone phone1 phoneno",
    "website": "web url webaddress www site",
    "abn": "abnnumber australianbusinessnumber taxnumber businessnumber",
    "line1": "address street streetaddress address1 addressline1 street1 streetaddress1 postaladdress",
    "line2": "address2 addressline2 street2 streetaddress2 unit",
    "suburb": "city town locality",
    "state": "region province territory",
    "postcode": "postalcode zip zipcode pcode",
    "country": "countryname",
    "notes": "note comment comments memo",
    "tags": "tag labels groups category",
    "payment_terms_days": "terms paymentterms termsdays",
    "external_id": "customerid clientid contactid cardid accountnumber referenceid",
    "sku": "code itemcode itemnumber productcode partnumber",
    "unit_price": "price sellprice sellingprice saleprice rate unitamount salesunitprice",
    "gst_code": "gst tax taxcode taxtype taxrate gsttype",
    "description": "details desc particulars",
    "number": "invoice invoiceno invoicenumber inv",
    "invoice_number": "invoice invoiceno inv number",
    "issue_date": "date invoicedate dated issued",
    "due_date": "due duedate paymentdue",
    "paid_at": "date datepaid paymentdate paidon paiddate received",
    "date": "billdate invoicedate purchasedate dated transactiondate",
    "amount": "total totalamount gross totalincgst value paid",
    "supplier_name": "supplier vendor payee contact contactname merchant from",
    "reference": "ref receipt receiptnumber invoicenumber invoiceno billnumber",
    "quantity": "qty hours",
    "account_code": "account code accountnumber accountno",
    "debit": "dr debits debityeartodate",
    "credit": "cr credits credityeartodate",
    "type": "accounttype class",
    "code": "accountcode accountnumber",
}
_FIRST_NAMES, _LAST_NAMES = (
    ("firstname", "givenname", "forename", "first"),
    ("lastname", "surname", "familyname", "last"),
)

_STATES = {
    "victoria": "VIC",
    "newsouthwales": "NSW",
    "queensland": "QLD",
    "southaustralia": "SA",
    "westernaustralia": "WA",
    "tasmania": "TAS",
    "northernterritory": "NT",
    "australiancapitalterritory": "ACT",
}
_COUNTRIES = {"australia": "AU", "aus": "AU", "newzealand": "NZ", "unitedkingdom": "GB", "unitedstates": "US"}
_WORDS = {
    "gst_code": {
        **dict.fromkeys(("gstonincome", "gstonexpenses", "10gst", "gst10", "s", "cap", "gstoncapital"), "gst"),
        **dict.fromkeys(("gstfreeincome", "gstfreeexpenses", "fre", "free", "gstfreesales", "0gst"), "gst_free"),
        **dict.fromkeys(("gstfreeexports", "exp", "exports"), "export"),
        **dict.fromkeys(("inp", "its", "inputtaxedsales", "inputtaxedsupplies"), "input_taxed"),
        **dict.fromkeys(("basexcluded", "nt", "none", "notax", "notreportable"), "out_of_scope"),
    },
    "type": {
        **dict.fromkeys(("bank", "currentasset", "fixedasset", "noncurrentasset", "inventory"), "asset"),
        **dict.fromkeys(("prepayment", "otherasset", "accountsreceivable", "accountreceivable"), "asset"),
        **dict.fromkeys(("currentliability", "noncurrentliability", "otherliability", "creditcard"), "liability"),
        **dict.fromkeys(("accountspayable", "accountpayable", "longtermliability"), "liability"),
        **dict.fromkeys(("revenue", "sales", "otherincome"), "income"),
        **dict.fromkeys(("directcosts", "overhead", "depreciation", "costofsales", "otherexpense"), "expense"),
    },
    "roles": {"customer": "client", "vendor": "supplier", "clients": "client", "suppliers": "supplier"},
    "kind": {"individual": "person", "business": "company", "organisation": "company"},
}
_MONTHS = {
    name: number
    for number, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
    )
}
_DATE = re.compile(r"(\d{1,4})[-/. ](\d{1,2}|[A-Za-z]{3,9})[-/., ]\s?(\d{1,4})(?:[T ]\d{1,2}:\d\d.*)?")


class Translation:
    """Turns rows of a file into rows of members: `header` names these.

    Several columns of one member are joined: names by a space, other texts by a comma; of anything else the first that
    is not empty counts.
    """

    def __init__(
        self, names: Sequence[str], mapping: ColumnMapping, members: Mapping[str, Any], corrections: Corrections
    ) -> None:
        places: dict[str, list[int]] = {}
        for place, name in sorted(enumerate(names), key=lambda each: letters_of(each[1]) not in _FIRST_NAMES):
            if member := mapping.columns.get(name):
                places.setdefault(member, []).append(place)
        added = [member for row in corrections.values() for member in row or ()]
        self.header = list(dict.fromkeys([*places, *mapping.fixed, *added]))
        self._filled = [
            (
                places.get(member, []),
                _join_of(member, members.get(member)),
                _clean_of(member, members.get(member), mapping),
            )
            for member in self.header
        ]
        self._fixed = [mapping.fixed.get(member, "") for member in self.header]
        self._corrections = corrections
        self._once = names.index(mapping.once) if mapping.once in names else None
        self._last = ""

    def rows(self, rows: Iterable[tuple[int, Sequence[str]]]) -> Iterator[tuple[int, list[str]]]:
        """Yield the numbered rows of members, without those that are left out."""
        for number, cells in rows:
            if (found := self.row(number, cells)) is not None:
                yield number, found

    def resume(self, rows: Iterable[tuple[int, Sequence[str]]]) -> None:
        """Go on after these rows, which were read before."""
        for number, cells in rows:
            self.row(number, cells)

    def row(self, number: int, cells: Sequence[str]) -> list[str] | None:
        """Return a row of members; None if it is left out, or belongs to the row before it."""
        corrected = self._corrections.get(str(number), {})
        if corrected is None:
            return None
        if self._once is not None:
            shared = cells[self._once].strip() if len(cells) > self._once else ""
            if shared and shared == self._last:
                return None
            self._last = shared
        found = []
        for (places, join, clean), fixed in zip(self._filled, self._fixed, strict=True):
            texts = [
                text for place in places if place < len(cells) and (text := cells[place].strip()) not in ("", "*None")
            ]
            found.append(clean(join.join(texts) if join else texts[0]) if texts else fixed)
        for member, text in corrected.items():
            found[self.header.index(member)] = text
        return found


def name_columns(header: Sequence[str]) -> list[str]:
    """Give each column a name of its own; `- City` below `Addr 1 - Line 1` is `Addr 1 - City`, as MYOB means it."""
    names: list[str] = []
    above = ""
    for place, said in enumerate(header, 1):
        is_below = said.startswith("- ") and above
        above = above if is_below else said.partition(" - ")[0] if " - " in said else ""
        name = f"{above} {said}" if is_below else said or f"Column {place}"
        alike = chain([name], (f"{name} ({number})" for number in count(2)))
        names.append(next(each for each in alike if each not in names))
    return names


def guess_mapping(
    resource: str, names: Sequence[str], members: Mapping[str, Any], rows: Sequence[Sequence[str]]
) -> tuple[ColumnMapping, str | None]:
    """Guess what the columns of a file are; return that with the name of the preset that the file is recognized by."""
    preset = find_preset(resource, names)
    if preset:
        by_letters = {name: member for name, member in preset.columns.items() if member in members}
    else:
        by_letters = _by_synonyms(names, members)
    columns = {name: member for name in names if (member := by_letters.get(letters_of(name)))}
    once = next((name for name in names if preset and letters_of(name) == preset.once), None)
    fixed = {member: text for member, text in preset.fixed.items() if member in members} if preset else {}
    dates = _guess_dates(names, columns, members, rows)
    return ColumnMapping(columns=columns, fixed=fixed, dates=dates[0], once=once), preset.name if preset else None


def has_ambiguous_dates(
    names: Sequence[str], mapping: ColumnMapping, members: Mapping[str, Any], rows: Sequence[Sequence[str]]
) -> bool:
    """Tell whether the first rows do not say if the day or the month comes first."""
    return _guess_dates(names, mapping.columns, members, rows)[1]


def mapping_faults(names: Sequence[str], mapping: ColumnMapping, importer: Importer) -> list[Fault]:
    """Return the faults of a mapping: columns that the file lacks, and members that the records lack."""
    there, known = {*names}, importer.members()
    found = [
        Fault(f"columns.{name}", "not_found", f"{name} is no column") for name in mapping.columns if name not in there
    ]
    found += [
        Fault(f"{part}.{name}", "unknown_field", f"{member} cannot be imported")
        for part, pairs in (("columns", mapping.columns.items()), ("fixed", ((name, name) for name in mapping.fixed)))
        for name, member in pairs
        if member not in known
    ]
    if mapping.once is not None and mapping.once not in there:
        found.append(Fault("once", "not_found", f"{mapping.once} is no column"))
    return found


def is_date(kind: Any) -> bool:
    """Tell whether the values of a type are dates."""
    return isinstance(kind, type) and issubclass(kind, date) and not issubclass(kind, datetime)


def _by_synonyms(names: Sequence[str], members: Mapping[str, Any]) -> dict[str, str]:
    there = {letters_of(name) for name in names}
    found: dict[str, str] = {}
    for member in sorted(members, key=lambda each: ("." in each, each.startswith("site_"))):
        last = member.rpartition(".")[2]
        known = [letters_of(member), *([letters_of(last)] if "." in member else []), *_SYNONYMS.get(last, "").split()]
        name = next((each for each in known if each in there and each not in found), None)
        if name and member not in found.values():
            found[name] = member
    whole = "people.name" if "name" in found.values() else "name"
    parts = [each for each in (*_FIRST_NAMES, *_LAST_NAMES) if each in there and each not in found]
    return {**found, **(dict.fromkeys(parts, whole) if whole in members else {})}


def _guess_dates(
    names: Sequence[str], columns: Mapping[str, str], members: Mapping[str, Any], rows: Sequence[Sequence[str]]
) -> tuple[DateForm, bool]:
    """Return the form of a file's dates, by those that can be of one form only; and whether none says so."""
    places = [place for place, name in enumerate(names) if is_date(members.get(columns.get(name, "")))]
    ambiguous = False
    for row in rows[:FIRST_ROWS]:
        for place in places:
            found = _DATE.fullmatch(row[place].strip()) if place < len(row) else None
            if not found or len(found[1]) > 2 or not found[2].isdecimal():
                continue
            if int(found[1]) > 12:
                return "dmy", False
            if int(found[2]) > 12:
                return "mdy", False
            ambiguous = ambiguous or found[1] != found[2]
    return "dmy", ambiguous


def _join_of(member: str, kind: Any) -> str:
    """Return what is put between the cells of one member; empty if the first of them counts."""
    last = member.rpartition(".")[2]
    if kind is not str or last in ("email", "phone", "abn", "website", "postcode", "state", "number", "external_id"):
        return ", " if get_origin(kind) in (list, tuple) else ""
    return " " if last == "name" or last.endswith("_name") else ", "


def _clean_of(member: str, kind: Any, mapping: ColumnMapping) -> Clean:
    """Return what writes a member's cells as the API takes them; what it does not know stays, and is a fault later."""
    last = member.rpartition(".")[2]
    if is_date(kind):
        return lambda text: read_date(text, mapping.dates)
    if get_origin(kind) is list and get_origin(get_args(kind)[0]) is Literal:
        one = _one_of(get_args(get_args(kind)[0]), _WORDS.get(last, {}))
        return lambda text: ", ".join(one(each.strip()) for each in re.split(r"[,;/&]", text))
    if get_origin(kind) is Literal:
        return _one_of(get_args(kind), _WORDS.get(last, {}))
    if kind is bool:
        return _one_of(
            ("true", "false"), {"yes": "true", "y": "true", "1": "true", "no": "false", "n": "false", "0": "false"}
        )
    if kind is Decimal:
        return _clean_amount
    if last == "state":
        return lambda text: _STATES.get(letters_of(text), text.upper() if len(text) < 4 else text)
    if last == "country":
        return lambda text: _COUNTRIES.get(letters_of(text), text.upper() if len(text) == 2 else text)
    if last == "postcode":
        return lambda text: text.zfill(4) if len(text) == 3 and text.isdecimal() else text  # a spreadsheet drops zeros
    if last == "website":
        return lambda text: text if "://" in text else f"https://{text}"
    return lambda text: text


def _one_of(choices: Sequence[str], words: Mapping[str, str]) -> Clean:
    known = {**words, **{letters_of(choice): choice for choice in choices}}
    return lambda text: known.get(letters_of(text), text)


def _clean_amount(text: str) -> str:
    """Return an amount without `$`, `%` and commas; one in parentheses is below zero."""
    bare = re.sub(r"[$,%\s]", "", text)
    if re.fullmatch(r"\([\d.]+\)", bare):
        bare = f"-{bare[1:-1]}"
    return bare if re.fullmatch(r"-?[\d.]+", bare) else text


def read_date(text: str, form: DateForm) -> str:
    """Return a date as `2026-12-31`; a text that is no date of this form stays."""
    found = _DATE.fullmatch(text)
    if not found:
        return text
    first, middle, last = found.groups()
    if len(first) == 4:
        year, month, day = first, middle, last
    elif middle.isdecimal() and form == "mdy":
        month, day, year = first, middle, last
    else:
        day, month, year = first, middle, last
    number = _MONTHS.get(month[:3].lower(), 0) if not month.isdecimal() else int(month)
    try:
        return date(int(year) + (2000 if len(year) < 3 else 0), number, int(day)).isoformat()
    except ValueError:
        return text
