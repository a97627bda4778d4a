"""The columns that other programs export, by the member that each becomes; decision 0376 says where they are listed."""

import re
import unicodedata
from collections.abc import Mapping, Sequence

from msgspec import Struct


class Preset(Struct, frozen=True, kw_only=True):
    """The columns of another program's file, by their letters; several of one member are joined.

    needs: The columns by which the file is recognized.
    once: The column that several rows share although they are one record.
    """

    name: str
    resource: str
    needs: tuple[str, ...]
    columns: Mapping[str, str]
    fixed: Mapping[str, str] = {}
    once: str = ""


def letters_of(name: str) -> str:
    """Return the letters and digits of a column's name, by which it is recognized: `*Contact Name` as `contactname`."""
    return re.sub(r"[^a-z0-9]", "", unicodedata.normalize("NFKD", name).lower())


def find_preset(resource: str, names: Sequence[str]) -> Preset | None:
    """Return the preset whose columns a file has."""
    there = {letters_of(name) for name in names}
    return next((each for each in PRESETS if each.resource == resource and there.issuperset(each.needs)), None)


def _address(before: str, member: str, **names: str) -> dict[str, str]:
    parts = {"line1": "line1", **{f"line{n}": "line2" for n in (2, 3, 4)}, **names}
    return {f"{before}{name}": f"{member}.{part}" for name, part in parts.items()}


_XERO_ADDRESS = {"city": "suburb", "region": "state", "postalcode": "postcode", "country": "country"}
_MYOB_ADDRESS = {"city": "suburb", "state": "state", "postcode": "postcode", "country": "country"}
_XERO_LINES = {
    "description": "line_items.description",
    "quantity": "line_items.quantity",
    "unitamount": "line_items.unit_price",
    "discount": "line_items.discount_percent",
    "taxtype": "line_items.gst_code",
}

PRESETS = (
    Preset(
        name="Xero contacts",
        resource="contacts",
        needs=("contactname", "poaddressline1"),
        columns={
            "contactname": "name",
            "accountnumber": "external_id",
            "emailaddress": "email",
            "firstname": "people.name",
            "lastname": "people.name",
            **_address("poaddress", "billing_address"),
            **{f"po{name}": f"billing_address.{part}" for name, part in _XERO_ADDRESS.items()},
            **_address("saaddress", "site_address"),
            **{f"sa{name}": f"site_address.{part}" for name, part in _XERO_ADDRESS.items()},
            "phonenumber": "phone",
            "mobilenumber": "phone",
            "website": "website",
            "taxnumber": "abn",
        },
    ),
    Preset(
        name="Xero items",
        resource="items",
        needs=("itemcode", "salesunitprice"),
        columns={
            "itemcode": "sku",
            "itemname": "name",
            "salesdescription": "description",
            "salesunitprice": "unit_price",
            "salestaxrate": "gst_code",
        },
    ),
    Preset(
        name="Xero invoices",
        resource="invoices",
        needs=("contactname", "invoicenumber", "invoicedate", "unitamount"),
        columns={
            "contactname": "client.name",
            "invoicenumber": "number",
            "reference": "reference",
            "invoicedate": "issue_date",
            "duedate": "due_date",
            "invoiceamountpaid": "amount_paid",
            **_XERO_LINES,
        },
    ),
    Preset(
        name="Xero bills",
        resource="expenses",
        needs=("contactname", "invoicenumber", "invoicedate", "total"),
        columns={
            "contactname": "supplier_name",
            "invoicenumber": "reference",
            "invoicedate": "date",
            "duedate": "due_date",
            "description": "description",
            "total": "amount",
        },
        once="invoicenumber",
    ),
    Preset(
        name="Xero payments",
        resource="payments",
        needs=("invoicenumber", "accountcode", "date", "amount"),
        columns={"invoicenumber": "invoice_number", "date": "paid_at", "amount": "amount", "reference": "reference"},
    ),
    Preset(
        name="Xero chart of accounts",
        resource="accounts",
        needs=("code", "name", "type", "taxcode"),
        columns={"code": "code", "name": "name", "type": "type"},
    ),
    Preset(
        name="MYOB contacts",
        resource="contacts",
        needs=("colastname", "addr1line1"),
        columns={
            "firstname": "name",
            "colastname": "name",
            "cardid": "external_id",
            **_address("addr1", "billing_address", **_MYOB_ADDRESS),
            **_address("addr2", "site_address", **_MYOB_ADDRESS),
            **{f"addr1phone{n}": "phone" for n in ("1", "2", "no1", "no2")},
            "addr1email": "email",
            "addr1www": "website",
            "addr1contactname": "people.name",
            "abn": "abn",
            "notes": "notes",
        },
    ),
    Preset(
        name="MYOB items",
        resource="items",
        needs=("itemnumber", "itemname", "sellingprice"),
        columns={
            "itemnumber": "sku",
            "itemname": "name",
            "description": "description",
            "sellingprice": "unit_price",
            "sellunitmeasure": "unit",
            "taxcodewhensold": "gst_code",
        },
    ),
    Preset(
        name="MYOB sales",
        resource="invoices",
        needs=("colastname", "date", "customerpo", "description"),
        columns={
            "firstname": "client.name",
            "colastname": "client.name",
            "invoice": "number",
            "invoiceno": "number",
            "date": "issue_date",
            "customerpo": "purchase_order",
            "description": "line_items.description",
            "quantity": "line_items.quantity",
            "price": "line_items.unit_price",
            "amount": "line_items.unit_price",
            "taxcode": "line_items.gst_code",
        },
    ),
    Preset(
        name="MYOB purchases",
        resource="expenses",
        needs=("colastname", "date", "description"),
        columns={
            "firstname": "supplier_name",
            "colastname": "supplier_name",
            "purchase": "reference",
            "purchaseno": "reference",
            "date": "date",
            "description": "description",
            "inctaxamount": "amount",
            "inctaxtotal": "amount",
            "taxcode": "gst_code",
        },
    ),
    Preset(
        name="MYOB payments",
        resource="payments",
        needs=("colastname", "amountapplied"),
        columns={
            "firstname": "client.name",
            "colastname": "client.name",
            "invoice": "invoice_number",
            "invoiceno": "invoice_number",
            "date": "paid_at",
            "receiptdate": "paid_at",
            "amountapplied": "amount",
        },
    ),
    Preset(
        name="MYOB accounts",
        resource="accounts",
        needs=("accountnumber", "accountname", "accounttype"),
        columns={"accountnumber": "code", "accountname": "name", "accounttype": "type"},
    ),
    Preset(
        name="Square customers",
        resource="contacts",
        needs=("firstname", "lastname", "squarecustomerid"),
        columns={
            "firstname": "name",
            "lastname": "name",
            "companyname": "notes",
            "emailaddress": "email",
            "phonenumber": "phone",
            "streetaddress1": "billing_address.line1",
            "streetaddress2": "billing_address.line2",
            "city": "billing_address.suburb",
            "state": "billing_address.state",
            "postalcode": "billing_address.postcode",
            "memo": "notes",
            "squarecustomerid": "external_id",
        },
        fixed={"kind": "person"},
    ),
)
