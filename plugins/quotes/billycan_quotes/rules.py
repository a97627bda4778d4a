"""The states of a quote, and the members that may change once it is sent: pure functions."""

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

# These members are not part of the offer that the client has.
OPEN_ONCE_SENT = frozenset({"reference", "metadata", "external_id", "job_id", "booking_id"})


def status_on(status: str, expiry_date: date, today: date) -> str:
    """Return a quote's status on a day: a sent quote is expired after its expiry date, recorded or not."""
    return "expired" if status == "sent" and expiry_date < today else status
