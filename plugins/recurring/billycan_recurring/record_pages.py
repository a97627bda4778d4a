"""Dashboard pages of recurring invoices."""

from billycan import RecordPages
from billycan_documents.api import HINTS, LABELS, RARE

recurring_invoices = RecordPages(
    path="/v1/recurring_invoices",
    empty="A recurring invoice is created again every week, fortnight, month, quarter or year.",
    columns=("client", "frequency", "next_on", "total", "status"),
    order=70,
    actions={
        "pause": RecordPages.Action(
            says="No invoice is created until you resume it; dates in between are skipped.", asks=True, weight="aside"
        ),
        "end": RecordPages.Action(
            says="No more invoices are created. Those that were created stay.", asks=True, weight="ends"
        ),
    },
    labels={
        **LABELS,
        "frequency": "Every",
        "then": "After it is created",
        "start_on": "Starts",
        "end_on": "Ends",
        "next_on": "Next date",
        "count": "Number of invoices",
    },
    rare=RARE,
    hints={
        **HINTS,
        "frequency": "",
        "start_on": "The date of the first invoice; all others are counted from it. In a month that is too short, the"
        " last day is used.",
        "end_on": "The last possible date. Give this or a number of invoices, not both.",
        "count": "How many to create. Give this or an end, not both.",
        "then": "Leave each invoice as a draft, mark it as sent, or email it to the client too.",
    },
)
