"""A plumber's financial year: the activity statement of each quarter, calculated by hand and compared with the report.

`live` runs the year through the API; `ACCRUAL` and `CASH` are the expected activity statements, with their sums in the
comments. All prices include GST. The test suite runs it: see tests/test_a_year.py.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

QUARTERS = {
    "Q1": ("2026-07-01", "2026-09-30"),
    "Q2": ("2026-10-01", "2026-12-31"),
    "Q3": ("2027-01-01", "2027-03-31"),
    "Q4": ("2027-04-01", "2027-06-30"),
}

ACCRUAL = {
    "Q1": {
        "G1": "3300.00",  # tap 1,100.00 and boiler 2,200.00 as invoiced; a deposit of 1,100.00 is no sale (s 99-5)
        "1A": "300.00",  # an eleventh
        "G11": "880.00",  # fuel 220.00 and pipes 660.00
        "G15": "44.00",  # a fifth of the fuel is private
        "1B": "76.00",  # 20.00 x 80 % and 60.00
    },
    "Q2": {
        # Bathroom: claim 2,200.00, and the rest with the deposit, 2,200.00 and 1,100.00; water 330.00
        "G1": "5830.00",
        "G3": "330.00",
        "1A": "500.00",  # 200.00 and 200.00 and 100.00 on the deposit (s 99-10)
        "G10": "33000.00",  # the van
        "G18": "110.00",  # the note takes off a sale of Q1 (Div 19)
        "1B": "3010.00",
    },
    "Q3": {
        "G1": "880.00",  # gutters
        "1A": "80.00",
        "G11": "1320.00",  # a bill of 20 March, though it is paid in April
        "G18": "880.00",  # the gutters are written off (s 21-5)
        "1B": "200.00",  # 120.00 and 80.00
    },
    "Q4": {
        "G1": "3850.00",  # a forfeited deposit of 550.00, and a drain of 3,300.00 that nobody paid yet
        # A quarter of the gutters, 220.00, is paid after all (s 21-10); pipes of Q1 went back, 66.00 (Div 19).
        "G7": "286.00",
        "1A": "376.00",  # 50.00 and 300.00, and 20.00 and 6.00; 121.00 without a tax invoice have to wait (s 29-10(3))
    },
}

CASH = {
    "Q1": {
        "G1": "2200.00",  # the tap, and half of the boiler
        "1A": "200.00",
        "G11": "880.00",
        "G15": "44.00",
        "1B": "76.00",
    },
    "Q2": {
        # The other half 1,100.00; bathroom 2,200.00, 1,100.00 of deposit and 2,200.00; water 330.00
        "G1": "6930.00",
        "G3": "330.00",
        "1A": "600.00",  # 100.00 + 200.00 + 100.00 + 200.00
        "G10": "33000.00",
        "G18": "110.00",  # the note takes off a sale of Q1
        "1B": "3010.00",
    },
    "Q3": {},  # nobody paid anybody, and on a cash basis there are no bad debts (s 21-5(2))
    "Q4": {
        "G1": "770.00",  # the gutters' 220.00, and the forfeited deposit
        "G7": "66.00",  # pipes of Q1 went back
        "1A": "76.00",
        "G11": "1320.00",  # the bill of March
        "1B": "120.00",
    },
}


def live(client: Any, on: Callable[[str], None]) -> None:
    """Run through the year; `on` moves the clock to a day, and `client` calls the API."""
    plumber = Plumber(client, on)
    first_half(plumber)
    second_half(plumber)


def first_half(plumber: "Plumber") -> None:
    """Run from July to December: a deposit, a claim and the rest of a job; a note with a refund; a van."""
    plumber.on("2026-07-06")
    tap = plumber.bill(plumber.invoice("Tap", "1100.00"))
    plumber.on("2026-07-15")
    plumber.buy("Fuel", "220.00", business_use_percent=80, tax_invoice_held=True)
    plumber.on("2026-07-20")
    plumber.paid(tap, "1100.00")
    plumber.on("2026-08-03")
    bathroom = plumber.job("Bathroom", "5500.00")
    deposit = plumber.bill(plumber.claim(bathroom, percent=20, claim="deposit"))
    plumber.on("2026-08-10")
    plumber.paid(deposit, "1100.00")
    plumber.pipes = plumber.buy("Pipes", "660.00", tax_invoice_held=True)
    plumber.on("2026-09-15")
    boiler = plumber.bill(plumber.invoice("Boiler", "2200.00"))
    plumber.on("2026-09-28")
    plumber.paid(boiler, "1100.00")

    plumber.on("2026-10-05")
    plumber.paid(boiler, "1100.00")
    plumber.on("2026-10-12")
    stage = plumber.bill(plumber.claim(bathroom, amount="2200.00"))
    plumber.on("2026-10-26")
    plumber.paid(stage, "2200.00")
    plumber.on("2026-11-09")
    plumber.reduce(tap, "110.00")
    plumber.on("2026-11-12")
    plumber.refund("110.00")
    plumber.on("2026-11-20")
    rest = plumber.bill(plumber.claim(bathroom))
    plumber.on("2026-12-01")
    plumber.buy("Van", "33000.00", gst_code="capital", tax_invoice_held=True)
    plumber.on("2026-12-02")
    plumber.paid(plumber.bill(plumber.invoice("Water", "330.00", "gst_free")), "330.00")
    plumber.on("2026-12-15")
    plumber.paid(rest, "2200.00")


def second_half(plumber: "Plumber") -> None:
    """Run from January to June: a bad debt and its partial recovery; a bill; a forfeited deposit; returned goods."""
    client = plumber.client
    plumber.on("2027-01-11")
    gutters = plumber.bill(plumber.invoice("Gutters", "880.00"))
    plumber.on("2027-03-20")
    unpaid = plumber.buy("Copper", "1320.00", due_date="2027-04-20", tax_invoice_held=True)
    plumber.on("2027-03-26")
    client.post(f"/v1/invoices/{gutters}/write_off", {"reason": "The client is insolvent."}, 200)

    plumber.on("2027-04-15")
    client.patch(f"/v1/expenses/{unpaid}", {"paid_on": "2027-04-15"})
    plumber.on("2027-05-03")
    plumber.paid(gutters, "220.00")
    plumber.on("2027-05-10")
    kept = plumber.bill(plumber.claim(plumber.job("Laundry", "2750.00"), amount="550.00", claim="deposit"))
    plumber.on("2027-05-12")
    plumber.paid(kept, "550.00")
    plumber.on("2027-06-01")
    client.post(f"/v1/invoices/{kept}/forfeit", {"reason": "Called off on the morning."}, 200)
    plumber.on("2027-06-05")
    plumber.buy("Drill", "121.00")
    plumber.on("2027-06-20")
    plumber.buy("Pipes, returned", "-66.00", refunded_expense_id=plumber.pipes)
    plumber.on("2027-06-25")
    plumber.bill(plumber.invoice("Drain", "3300.00"))


def lodge(client: Any, quarter: str, basis: str) -> dict[str, Decimal]:
    """Return the report's labels of a quarter that are not zero, without labels that only add up others."""
    since, until = QUARTERS[quarter]
    report = client.get(f"/v1/reports/gst?from={since}&to={until}&basis={basis}")["data"]
    labels = ("G1", "G2", "G3", "G4", "G7", "1A", "G10", "G11", "G13", "G14", "G15", "G18", "1B")
    return {label: report[label]["amount"] for label in labels if report[label]["amount"]}


class Plumber:
    """A business with one client, and its daily actions."""

    def __init__(self, client: Any, on: Callable[[str], None]) -> None:
        self.client, self.comes, self.day, self.pipes = client, on, "", ""
        self.contact_id = client.post("/v1/contacts", {"name": "Marnie Oakes"})["data"]["id"]
        self.category_id = client.get("/v1/expense_categories")["data"][0]["id"]

    def on(self, day: str) -> None:
        """Move the clock to a day."""
        self.comes(day)
        self.day = day

    def invoice(self, words: str, price: str, gst_code: str = "gst") -> str:
        """Create a draft of one line."""
        return self._made("/v1/invoices", self._work(words, price, gst_code))

    def job(self, words: str, price: str) -> str:
        """Create a job with a date, and return its path."""
        job = {"title": words, "scheduled_start": "2027-07-01T09:00:00+10:00", **self._work(words, price, "gst")}
        return f"/v1/jobs/{self._made('/v1/jobs', job)}"

    def claim(self, job: str, **part: Any) -> str:
        """Create a draft for a part of a job, or for all that is left."""
        return self._made(f"{job}/invoice", part)

    def bill(self, invoice_id: str) -> str:
        """Send a draft."""
        self.client.post(f"/v1/invoices/{invoice_id}/send", None, 200)
        return invoice_id

    def paid(self, invoice_id: str, amount: str) -> None:
        """Record the client's payment."""
        self.client.post(f"/v1/invoices/{invoice_id}/payments", {"amount": amount, "payment_method": "card"})

    def reduce(self, invoice_id: str, price: str) -> None:
        """Reduce a paid invoice, which gives the client credit."""
        lines = [{"description": "Scratched", "unit_price": price}]
        note = {"invoice_id": invoice_id, "reason": "price_change", "line_items": lines}
        self.client.post(f"/v1/adjustment_notes/{self._made('/v1/adjustment_notes', note)}/issue", None, 200)

    def refund(self, amount: str) -> None:
        """Refund the client's credit."""
        (payment,) = self.client.get(f"/v1/payments?unallocated_from={amount}")["data"]
        body = {"amount": amount, "payment_method": "bank_transfer"}
        self.client.post(f"/v1/payments/{payment['id']}/refund", body, 200)

    def buy(self, words: str, amount: str, **more: Any) -> str:
        """Record an expense of today."""
        body = {"date": self.day, "amount": amount, "category_id": self.category_id, "description": words}
        return self._made("/v1/expenses", {**body, **more})

    def _work(self, words: str, price: str, gst_code: str) -> dict[str, Any]:
        line = {"description": words, "unit_price": price, "gst_code": gst_code}
        return {"client_id": self.contact_id, "amounts_are": "inclusive", "line_items": [line]}

    def _made(self, path: str, body: Mapping[str, Any]) -> str:
        id: str = self.client.post(path, body)["data"]["id"]
        return id
