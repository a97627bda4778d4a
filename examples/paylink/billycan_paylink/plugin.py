"""Paylink: clients pay invoices on a payment provider's page, and the provider notifies billycan of each payment."""

from billycan import Manifest
from billycan_invoices.api import PaymentProvider

from .checkout import Checkout, pay_button
from .notices import PATH, Notices
from .settings import Settings
from .tables import checkouts

manifest = Manifest(
    name="paylink",
    requires=("invoices", "hosted"),
    settings=Settings,
    tables=(checkouts,),
    pages=(("/paylink/pay/{token}", Checkout), (PATH, Notices)),
    offers=(PaymentProvider(pay_button),),
)
