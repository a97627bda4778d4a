"""The states of a quote, and what may change once it is sent: pure functions."""

from datetime import date

from billycan import Actions

actions = Actions(
    {
        "send": ("draft expired declined", "sent"),
        "accept": ("sent", "accepted"),
        "decline": ("sent", "declined"),
        "revise": ("sent", "draft"),
        "cancel": ("draft sent", "cancelled"),
        "convert": ("accepted", None),
    }
)

# What the client holds is not changed behind their back: these say nothing of the offer.
OPEN_ONCE_SENT = frozenset({"reference", "metadata", "external_id", "job_id", "booking_id"})


def status_on(status: str, expiry_date: date, today: date) -> str:
    """A quote's status on a day: a sent one is expired once its expiry date has passed, whoever has noticed."""
    return "expired" if status == "sent" and expiry_date < today else status
