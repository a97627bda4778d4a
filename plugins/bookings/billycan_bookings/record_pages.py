"""Dashboard pages of bookings and services."""

from billycan import RecordPages

from . import rules

bookings = RecordPages(
    path="/v1/bookings",
    empty="A booking reserves a time for a client: one of your services, with one of your staff.",
    columns=("start_at", "service", "client", "staff", "status"),
    deletable=tuple(sorted(rules.DELETABLE)),
    attention=(
        RecordPages.Attention(
            title="Bookings to confirm", filters={"status": "pending"}, sort="start_at", action="confirm"
        ),
    ),
    order=40,
    daily=True,
    actions={
        "decline": RecordPages.Action(
            says="The booking is turned down, and its time is free again.", asks=True, weight="ends"
        ),
        "cancel": RecordPages.Action(says="The booking is called off, and its time is free again.", weight="ends"),
        "no_show": RecordPages.Action(
            label="Did not come", done="The booking says that the client did not come.", weight="aside"
        ),
        "reopen": RecordPages.Action(weight="aside"),
        "reschedule": RecordPages.Action(
            says="Move the booking to another time, with the same person or another one.", weight="aside"
        ),
    },
    labels={"force": "Allow any time"},
    hints={
        "force": "Also outside working hours, at short notice, far ahead or in the past. Two bookings still cannot"
        " overlap.",
    },
)

services = RecordPages(
    path="/v1/services",
    empty="A service is what clients book: how long it takes and what it costs.",
    columns=("name", "duration_minutes", "price", "active"),
    order=80,
    labels={
        "duration_minutes": "Duration (min)",
        "buffer_before_minutes": "Free before (min)",
        "buffer_after_minutes": "Free after (min)",
        "slot_interval_minutes": "Starts every (min)",
        "min_notice_minutes": "Notice (min)",
        "max_advance_days": "Book ahead (days)",
        "requires_confirmation": "Must be confirmed",
    },
    hints={
        "duration_minutes": "",
        "buffer_before_minutes": "Such as for driving there.",
        "buffer_after_minutes": "Such as for cleaning up.",
        "capacity": "How many clients can book the same time with the same person.",
        "slot_interval_minutes": "With 30, clients can start on the hour and the half hour.",
        "min_notice_minutes": "How long before the start it can still be booked.",
        "max_advance_days": "At most. Leave it empty for any number.",
        "requires_confirmation": "New bookings wait until you confirm or decline them.",
    },
)
