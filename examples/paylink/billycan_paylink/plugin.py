"""Paylink: clients pay invoices on a payment provider's page, and the provider notifies billycan of each payment."""

from pathlib import Path

from billycan import Manifest

from .checkout import Checkout, pay_button
from .notices import PATH, Notices
from .settings import Settings
from .tables import checkouts

manifest = Manifest(
    name="paylink",
    requires=("invoices", "hosted"),
    settings=Settings,
    tables=(checkouts,),
    migrations=Path(__file__).parent / "migrations",
    pages=(("/paylink/pay/{token}", Checkout), (PATH, Notices)),
    pay=pay_button,
)
