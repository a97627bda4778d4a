"""Sample contacts: the clients and suppliers of an invented plumber in Hobart.

No name belongs to a real person or company; the numbers and domains are among those reserved for examples.
"""

from typing import Any

from billycan import Context, decode
from billycan.demo import ago

from .handlers import archive_contact, create_contact
from .resource import NewContact


def _address_at(line1: str, suburb: str, postcode: str) -> dict[str, str]:
    return {"line1": line1, "suburb": suburb, "state": "TAS", "postcode": postcode}


_CLIENTS: tuple[dict[str, Any], ...] = (
    {
        "name": "Marnie Quollwood",
        "kind": "person",
        "email": "marnie@quollwood.example",
        "phone": "0491 570 006",
        "site_address": _address_at("14 Wattlebird Street", "Sandy Bay", "7005"),
        "notes": "Gate sticks: ring first. Hot water unit is in the laundry cupboard.",
        "tags": ["residential"],
    },
    {
        "name": "Odo Tidewrack",
        "kind": "person",
        "email": "odo@tidewrack.example",
        "phone": "0491 570 156",
        "site_address": _address_at("3/88 Paperbark Road", "Glenorchy", "7010"),
        "tags": ["residential", "strata"],
    },
    {
        "name": "Saltmarram Strata",
        "abn": "91888222000",
        "gst_registered": True,
        "email": "accounts@saltmarram.example",
        "phone": "03 5550 0112",
        "billing_address": _address_at("Level 2, 40 Saltbox Street", "Hobart", "7000"),
        "people": [
            {
                "name": "Isolde Ferntallow",
                "role": "Building manager",
                "email": "isolde@saltmarram.example",
                "phone": "0491 570 157",
            },
            {"name": "Piran Brackwater", "role": "Accounts", "email": "accounts@saltmarram.example"},
        ],
        "payment_terms_days": 30,
        "notes": "Needs a purchase order number on every invoice.",
        "tags": ["commercial", "strata"],
    },
    {
        "name": "The Brindle Wren Café",
        "gst_registered": True,
        "email": "hello@brindlewren.example",
        "phone": "03 5550 0134",
        "website": "https://brindlewren.example",
        "site_address": _address_at("121 Lighterman's Walk", "Battery Point", "7004"),
        "people": [{"name": "Saoirse Wrenlocke", "role": "Owner", "phone": "0491 570 158"}],
        "payment_terms_days": 7,
        "notes": "Grease trap serviced each quarter, before 7 am.",
        "tags": ["commercial"],
    },
    {
        "name": "Little Tern Childcare",
        "email": "office@littletern.example",
        "phone": "03 5550 0147",
        "site_address": _address_at("9 Casuarina Crescent", "Kingston", "7050"),
        "people": [{"name": "Wilhelmina Bristlebird", "role": "Director", "email": "office@littletern.example"}],
        "notes": "Work outside 7:30 to 18:00 only; sign in at the desk.",
        "tags": ["commercial"],
    },
)


_SUPPLIERS: tuple[dict[str, Any], ...] = (
    {
        "name": "Copperline Trade Supplies",
        "gst_registered": True,
        "email": "orders@copperline.example",
        "phone": "03 5550 0161",
        "billing_address": _address_at("55 Gantry Road", "Derwent Park", "7009"),
        "payment_terms_days": 30,
        "tags": ["pipe", "fittings"],
    },
    {
        "name": "Muttonbird Hire",
        "gst_registered": True,
        "email": "bookings@muttonbirdhire.example",
        "phone": "03 5550 0188",
        "billing_address": _address_at("2 Slipway Court", "Moonah", "7009"),
        "notes": "Drain camera and mini excavator.",
        "tags": ["hire"],
    },
)


_FORMER = {"name": "Hazel Dunnart", "kind": "person", "phone": "0491 570 159", "notes": "Moved away."}


def add_samples(ctx: Context) -> None:
    """Add the sample contacts."""
    with ago(ctx, 400):
        for values in _CLIENTS:
            create_contact(ctx, decode(values, NewContact))
        for values in _SUPPLIERS:
            create_contact(ctx, decode({**values, "roles": ["supplier"]}, NewContact))
        moved = create_contact(ctx, decode(_FORMER, NewContact))
    with ago(ctx, 300):
        archive_contact(ctx, moved.id)
