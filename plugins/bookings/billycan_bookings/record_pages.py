"""What the dashboard says of bookings and services."""

from billycan import ActionWords, RecordPages

from . import rules

bookings = RecordPages(
    path="/v1/bookings",
    empty="A booking reserves a time for a client: one of your services, with one of your staff.",
    columns=("start_at", "service", "client", "staff", "status"),
    deletable=tuple(sorted(rules.DELETABLE)),
    order=40,
    actions={
        "decline": ActionWords(says="The booking is turned down, and its time is free again.", asks=True),
        "cancel": ActionWords(says="The booking is called off, and its time is free again."),
        "no_show": ActionWords(label="Did not come", done="The booking says that the client did not come."),
        "reschedule": ActionWords(says="Move the booking to another time, with the same person or another one."),
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
        "duration_minutes": "Duration (minutes)",
        "buffer_before_minutes": "Kept free before (minutes)",
        "buffer_after_minutes": "Kept free after (minutes)",
        "slot_interval_minutes": "Time between starts (minutes)",
        "min_notice_minutes": "Least notice (minutes)",
        "max_advance_days": "Furthest ahead (days)",
        "requires_confirmation": "Must be confirmed",
    },
    hints={
        "duration_minutes": "",
        "buffer_before_minutes": "Such as for driving there.",
        "buffer_after_minutes": "Such as for cleaning up.",
        "capacity": "How many clients can book the same time with the same person.",
        "slot_interval_minutes": "With 30, clients can start on the hour and the half hour.",
        "max_advance_days": "Leave it empty for any number.",
        "requires_confirmation": "New bookings wait until you confirm or decline them.",
    },
)
