"""The dashboard's words for jobs."""

from billycan import RecordPages
from billycan_documents.api import HINTS, LABELS, RARE, RETENTION_HINTS, RETENTION_LABELS

from . import rules

jobs = RecordPages(
    path="/v1/jobs",
    empty="A job is work for a client: when it is done, by whom, and what is charged for it.",
    columns=("number", "title", "client", "scheduled_start", "priority", "status"),
    deletable=rules.DELETABLE,
    attention=(
        RecordPages.Attention(
            title="Jobs to invoice", filters={"to_invoice": "true"}, sort="created_at", action="invoice"
        ),
    ),
    order=30,
    daily=True,
    actions={
        "schedule": RecordPages.Action(says="Say when the work is to be done."),
        "hold": RecordPages.Action(label="Put on hold", weight="aside"),
        "complete": RecordPages.Action(
            says="Record that the work is done. All that the checklist requires must be ticked."
        ),
        "cancel": RecordPages.Action(says="The work will not be done. The job stays listed.", weight="ends"),
        "reopen": RecordPages.Action(weight="aside"),
        "invoice": RecordPages.Action(
            label="Invoice a part",
            says="Create a draft invoice of all that is left to charge for, or of a part of it.",
            buttons={"Create an invoice": {}},
        ),
    },
    labels={
        **LABELS,
        **RETENTION_LABELS,
        "percent": "Share (%)",
        "claim": "Kind of invoice",
        "final": "Final invoice",
        "text": "To do",
    },
    rare=(*RARE, "completion_notes"),
    hints={
        **HINTS,
        "country": "Two letters. Leave it empty for Australia.",
        "scheduled_start": "",
        "percent": "To invoice a part: a percentage of the whole work.",
        "amount": "To invoice a part: an amount, including GST.",
        "claim": "Of a part: progress for work that is done, part payment for a part of the price of one thing,"
        " deposit for a security deposit, on which there is no GST yet, or retention to release what the client"
        " retains.",
        **RETENTION_HINTS,
        "final": "All that is left: the work less what was invoiced before.",
    },
)
