"""Code that both peers share because it measures no framework: the JSON, the rules of an invoice, and new ids.

Money is stored in cents, prices and quantities in ten-thousandths. The members of every record, and their order, are
those of billycan's own answers: a member that is not in DERIVED or PAYMENT_DERIVED is a column of the peers' models.
"""

import json
import os
import secrets
import time
from collections.abc import Callable, Iterable
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

DATABASE = os.environ["BENCH_DATABASE"]
MEMBERS: dict[str, list[str]] = json.loads(os.environ["BENCH_MEMBERS"])
PER_PAGE = 25
CENT = Decimal("0.01")
ACTIONS = {
    "draft": ["send", "pay", "duplicate"],
    "sent": ["payments", "pay", "void", "write_off", "duplicate"],
    "paid": ["duplicate"],
}

# Neither the standard library, orjson nor Pydantic writes a Decimal as the number 1210.00. What else frameworks put
# into their errors is text.
encode = msgspec.json.Encoder(decimal_format="number", enc_hook=str).encode


def envelope(data: Any = None, pagination: Any = None, error: Any = None) -> dict[str, Any]:
    return {"data": data, "pagination": pagination, "error": error}


def refusal(status: int, message: Any) -> dict[str, Any]:
    return envelope(error={"type": "invalid_request", "code": str(status), "message": message})


def dollars(cents: int | None) -> Decimal | None:
    return None if cents is None else Decimal(cents).scaleb(-2)


def number(parts: int | None, places: int = 0) -> Decimal | None:
    """Convert ten-thousandths to a decimal with at least this many places and no further zeros."""
    if parts is None:
        return None
    while places < 4 and parts % 10 ** (4 - places):
        places += 1
    return Decimal(parts // 10 ** (4 - places)).scaleb(-places)


def scaled(value: Decimal | None, places: int) -> int | None:
    return None if value is None else int(value.scaleb(places))


def now() -> datetime:
    """Return the time to the millisecond."""
    time = datetime.now(UTC)
    return time.replace(microsecond=time.microsecond // 1000 * 1000)


def moment(value: datetime | None) -> str | None:
    if value is None:
        return None
    return value.isoformat(timespec="milliseconds" if value.microsecond else "seconds")[:-6] + "Z"


def today(seller: dict[str, Any]) -> date:
    return datetime.now(ZoneInfo(seller["timezone"])).date()


def new_id(prefix: str) -> str:
    """Make an id that grows with time."""
    return f"{prefix}_{time.time_ns() // 1_000_000:012x}{secrets.token_hex(7)}"


def _client(invoice: Any, seller: dict[str, Any]) -> dict[str, str]:
    return {"id": invoice.client_id, "name": invoice.client_name or invoice.client.name}


def _amount_due(invoice: Any, seller: dict[str, Any]) -> Decimal:
    settled = invoice.amount_paid + invoice.amount_credited + invoice.amount_written_off + invoice.cash_rounding
    return dollars(0) if invoice.status == "void" else invoice.total - settled


def _is_overdue(invoice: Any, seller: dict[str, Any]) -> bool:
    return invoice.status in ("sent", "partially_paid") and invoice.due_date < today(seller)


def _tax_invoice(invoice: Any, seller: dict[str, Any]) -> dict[str, Any]:
    # Of one that was sent it was checked then.
    draft, title = invoice.client_name is None, invoice.document_title
    lacking = {
        "seller_name": not (seller["legal_name"] or seller["name"]),
        "seller_abn": not seller["abn"],
        "buyer_identity": draft and invoice.total >= 1000 and not (invoice.client.name or invoice.client.abn),
    }
    missing = [name for name, lacks in lacking.items() if draft and lacks and title == "Tax invoice"]
    return {"compliant": not missing if title == "Tax invoice" else None, "missing": missing}


def _gst_breakdown(invoice: Any, seller: dict[str, Any]) -> list[dict[str, Any]]:
    numbers = ("rate", "net", "gst")
    return [{k: Decimal(v) if k in numbers else v for k, v in code.items()} for code in invoice.gst_breakdown]


DERIVED: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "client": _client,
    "currency": lambda invoice, seller: "AUD",
    "gst_breakdown": _gst_breakdown,
    "amount_due": _amount_due,
    "is_overdue": _is_overdue,
    "tax_invoice": _tax_invoice,
    "forfeited_gst": lambda invoice, seller: None,
    # There is none of a draft, nor for a key that may only read.
    "hosted_url": lambda invoice, seller: None,
    "allowed_actions": lambda invoice, seller: ACTIONS[invoice.status],
}


def _of_payment(name: str) -> Callable[[Any, dict[str, Any]], Any]:
    def get(allocation: Any, seller: dict[str, Any]) -> Any:
        value = getattr(allocation.payment, name)
        return moment(value) if isinstance(value, datetime) else value

    return get


# An allocation settles an invoice: it has its own amount, and otherwise the payment's members.
PAYMENT_DERIVED: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    name: _of_payment(name) for name in MEMBERS["payment"] if name not in ("invoice_id", "amount", "cash_rounding")
}
PAYMENT_DERIVED["allowed_actions"] = lambda a, seller: ["reverse"] if a.payment.status == "recorded" else []


def work_out(charges: Iterable[tuple[Decimal, Decimal]]) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """Return the columns of each line and of the document, for prices without GST, rounded once and shared out."""
    charges = list(charges)
    nets = [(quantity * price).quantize(CENT, ROUND_HALF_UP) for quantity, price in charges]
    subtotal = sum(nets, Decimal("0.00"))
    gst = (subtotal / 10).quantize(CENT, ROUND_HALF_UP)
    lines, net_so_far, gst_so_far = [], Decimal(0), Decimal("0.00")
    for (quantity, price), net in zip(charges, nets, strict=True):
        net_so_far += net
        share = (net_so_far / 10).quantize(CENT, ROUND_HALF_UP) - gst_so_far
        gst_so_far += share
        entered = {"quantity": number(scaled(quantity, 4)), "unit_price": number(scaled(price, 4), 2)}
        lines.append({**entered, "gst_code": "gst", "net": net, "gst": share, "total": net + share})
    return lines, {
        "subtotal": subtotal,
        "discount_total": Decimal("0.00"),
        "gst": gst,
        "total": subtotal + gst,
        "amount_paid": dollars(0),
        "amount_credited": dollars(0),
        "amount_written_off": dollars(0),
        "cash_rounding": dollars(0),
        "deposits_applied": dollars(0),
        "gst_breakdown": [{"gst_code": "gst", "rate": "10", "net": str(subtotal), "gst": str(gst)}],
    }


def searched(*texts: str | None) -> str:
    return "\n".join(text.casefold() for text in texts if text)
