"""Dashboard pages of quotes."""

from billycan import RecordPages
from billycan_documents.api import HINTS, LABELS, RARE, RETENTION_HINTS, RETENTION_LABELS

quotes = RecordPages(
    path="/v1/quotes",
    empty="A quote tells a client what the work will cost. The client accepts or declines it on its page.",
    columns=("number", "client", "title", "total", "expiry_date", "status"),
    deletable=("draft",),
    attention=(
        RecordPages.Attention(
            title="Accepted quotes", filters={"status": "accepted"}, sort="accepted_at", action="convert"
        ),
        RecordPages.Attention(
            title="Quotes not sent", filters={"status": "draft", "created_at_to": "{1}"}, sort="created_at"
        ),
    ),
    order=20,
    daily=True,
    actions={
        "send": RecordPages.Action(
            label="Mark as sent",
            says="The quote becomes final, and the client can accept it on its page. This does not email it.",
        ),
        "accept": RecordPages.Action(label="Mark as accepted", says="Record that the client has accepted the quote."),
        "decline": RecordPages.Action(
            label="Mark as declined", says="Record that the client does not want the work.", weight="ends"
        ),
        "revise": RecordPages.Action(
            says="The quote becomes a draft again. The client's link says that a new version is coming.",
            done="The quote is a draft again: change it, and send it once more.",
            asks=True,
        ),
        "cancel": RecordPages.Action(
            says="The quote is withdrawn, and the client's link stops working.",
            asks=True,
            weight="ends",
        ),
        "convert": RecordPages.Action(
            label="Invoice a part",
            says="Create a job, or an invoice of all or a part of the work, with the same lines and prices.",
            buttons={"Create a job": {"to": "job"}, "Create an invoice": {"to": "invoice"}},
        ),
    },
    labels={
        **LABELS,
        "hosted_url": "The client's page",
        "to": "Create",
        "percent": "Share (%)",
        "claim": "Kind of invoice",
        "final": "Final invoice",
        **RETENTION_LABELS,
    },
    rare=RARE,
    hints={
        **HINTS,
        "issue_date": "Leave it empty for today.",
        "expiry_date": "The last day on which the client can accept it; usually 30 days after the issue date.",
        "to": "What to create.",
        "percent": "To invoice a part: a percentage of the whole work.",
        "amount": "To invoice a part: an amount, including GST.",
        "claim": "Of a part: progress for work that is done, part payment for a part of the price of one thing,"
        " deposit for a security deposit, on which there is no GST yet, or retention to release what the client"
        " retains.",
        **RETENTION_HINTS,
        "final": "All that is left: the work less what was invoiced before.",
    },
)
