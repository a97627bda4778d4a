"""A plumber's week with the client: sample code that mypy checks and a test runs against the API."""

from collections.abc import Mapping
from decimal import Decimal
from typing import assert_type

from billycan_client import Billycan, Conflict, Invalid, NotFound
from billycan_client.models import AddressChange, Contact, Invoice, LineChange, ListedInvoice, NewAddress, NewLine
from billycan_client.webhooks import InvoicePaid, OtherEvent, QuoteAccepted, verify


def week(api: Billycan) -> Invoice:
    """Go from a contact to a paid invoice."""
    address = NewAddress(line1="12 Salamanca Place", suburb="Hobart", state="TAS", postcode="7000")
    bakery = api.contacts.create(name="Salamanca Bakery", billing_address=address, tags=["north"])
    assert_type(bakery, Contact)
    moved = AddressChange(line1="14 Salamanca Place")
    bakery = api.contacts.update(bakery.id, billing_address=moved, notes=None, if_match=bakery.version)

    quote = api.quotes.create(
        client_id=bakery.id,
        title="New hot water",
        line_items=[NewLine(description="Hot water unit", unit_price=Decimal("1100.00")), labour(hours="2.5")],
    )
    quote = api.quotes.send(quote.id)
    quote = api.quotes.accept(quote.id, name="Ada Baker", if_match=quote.version)
    api.quotes.convert(quote.id, to="invoice")

    draft = api.invoices.list(quote_id=quote.id, include="line_items").first()
    assert_type(draft, ListedInvoice | None)
    if draft is None:
        raise LookupError(quote.id)
    unit, *_ = api.invoices.get(draft.id).line_items
    kept = LineChange(id=unit.id, discount_percent="10")
    api.invoices.update(draft.id, line_items=[kept, labour(hours=3)], external_id="job 7")

    sent = api.invoices.send(draft.id)
    assert_type(sent.total, Decimal)
    invoice = api.invoices.add_payment(sent.id, amount=sent.total - 1000, payment_method="card")
    return api.invoices.add_payment(invoice.id, amount=invoice.amount_due, payment_method="bank_transfer")


def labour(hours: Decimal | int | str) -> NewLine:
    return NewLine(description="Labour", quantity=hours, unit="hour", unit_price="95.50")


def owed(api: Billycan) -> Mapping[str, Decimal]:
    """Sum the amount due of each client, over all pages."""
    sums: dict[str, Decimal] = {}
    for invoice in api.invoices.list(status=["sent", "partially_paid"], sort="due_date"):
        sums[invoice.client.name] = sums.get(invoice.client.name, Decimal(0)) + invoice.amount_due
    return sums


def outcome(api: Billycan, id: str) -> str:
    """Void an invoice, and describe the result."""
    try:
        return api.invoices.void(id, reason="Entered twice").status
    except NotFound:
        return "gone"
    except Conflict as error:
        return f"{error.code}, but one may {', '.join(error.allowed_actions)}"
    except Invalid as error:
        return "; ".join(f"{fault.param}: {fault.message}" for fault in error.details)


def heard(secret: str, headers: Mapping[str, str], body: bytes) -> str:
    """Describe a webhook delivery."""
    event = verify(secret, headers, body)
    match event:
        case InvoicePaid():
            assert_type(event.data, Invoice)
            return f"{event.data.number} was paid"
        case QuoteAccepted(data=quote):
            return f"{quote.number} was accepted by {quote.accepted_by}"
        case OtherEvent():
            return f"{event.event} is new"
    if event.event == "contact.created":
        assert_type(event.data, Contact)
        return f"{event.data.name} was added"
    return event.event


def refused_by_the_type_checker(api: Billycan) -> None:
    """Make mistakes that strict mypy must report: an ignore without a mistake is an error of its own."""
    api.contacts.create()  # type: ignore[call-arg]
    api.contacts.create(name="Ada", colour="blue")  # type: ignore[call-arg]
    api.contacts.list(status="blue")  # type: ignore[arg-type]
    api.invoices.pay("inv_1", payment_method=7)  # type: ignore[arg-type]
    api.invoices.add_payment("inv_1", amount=0.1, payment_method="card")  # type: ignore[arg-type]
    NewLine(quantity=[])  # type: ignore[arg-type]
    if api.invoices.get("inv_1").status == "payed":  # type: ignore[comparison-overlap]
        return
