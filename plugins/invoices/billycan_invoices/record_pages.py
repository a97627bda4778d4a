"""Dashboard pages of invoices, payments and adjustment notes."""

from billycan import RecordPages
from billycan_documents.api import HINTS, LABELS, RARE

_PAYMENT = {
    "payment_method": "Such as bank transfer, card, EFTPOS or cash.",
    "paid_at": "When the money arrived. Leave it empty for today.",
}

_TAX_INVOICE = {"compliant": "Complete", "missing": "Still missing"}

_UNDOING = {
    "date": "The date on which reports count it. Leave it empty for today, or for a mistake.",
    "mistake": "Yes if it should never have happened. Reports then leave it out entirely.",
}

invoices = RecordPages(
    path="/v1/invoices",
    empty="An invoice says what a client owes and when it is due. Once sent, it has a page for the client.",
    columns=("number", "client", "total", "amount_due", "due_date", "status"),
    deletable=("draft",),
    attention=(
        RecordPages.Attention(
            title="Overdue invoices", filters={"status": "overdue"}, sort="due_date", action="payments"
        ),
        RecordPages.Attention(
            title="Drafts not sent", filters={"status": "draft", "created_at_to": "{1}"}, sort="created_at"
        ),
    ),
    order=50,
    daily=True,
    actions={
        "send": RecordPages.Action(
            label="Mark as sent",
            says="The invoice becomes final: what it says can no longer be changed, and the client can open its page."
            " This does not email it.",
            asks=True,
        ),
        "payments": RecordPages.Action(
            label="Record a payment",
            says="Money that the client has paid for this invoice: all of what is due, or a part.",
            done="The payment was recorded.",
            fills={"amount": "amount_due", "paid_at": "today"},
        ),
        "payments/reverse": RecordPages.Action(
            says="For a payment that did not go through. It stays listed as reversed, and the amount is due again. If"
            " it bounced, give the date on which it did.",
            done="The payment was reversed.",
            weight="ends",
        ),
        "pay": RecordPages.Action(
            label="Mark as paid",
            says="Record that the client has paid everything that is due. A draft becomes final first.",
            fills={"paid_at": "today"},
        ),
        "void": RecordPages.Action(
            says="For an invoice that was sent by mistake and has no payments. It stays listed, and its number is never"
            " reused.",
            weight="ends",
        ),
        "write_off": RecordPages.Action(
            says="Give up what is still due: as a bad debt, or as a mistake because it was never owed. If the client"
            " pays after all, you can record it here.",
            weight="ends",
        ),
        "undo_write_off": RecordPages.Action(
            label="Undo the write-off",
            says="What is left of the debt is due again.",
            done="The debt is due again.",
        ),
        "forfeit": RecordPages.Action(
            label="Keep the deposit",
            says="The client did not go ahead with the work, and you keep the deposit that they paid.",
            done="The deposit is kept.",
            weight="ends",
        ),
        "duplicate": RecordPages.Action(done="This new draft has the same content.", weight="aside"),
    },
    labels={
        **LABELS,
        "hosted_url": "The client's page",
        "claim": "Kind of invoice",
        "progress_claim": "The contract",
        **_TAX_INVOICE,
        "write_off_reason": "Reason for the write-off",
    },
    rare=RARE,
    hints={
        **HINTS,
        "issue_date": "Leave it empty for today.",
        "due_date": "Leave it empty to use the client's payment terms, or else your own.",
        "amount": "At most what is due. Cash is a multiple of 0.05.",
        "forfeited_on": "Leave it empty for today.",
        **_PAYMENT,
        **_UNDOING,
    },
    tells=("payment.recorded", "payment.reversed", "adjustment_note.issued", "adjustment_note.voided"),
)

payments = RecordPages(
    path="/v1/payments",
    empty="A payment is what a client has paid, for one invoice or for several.",
    columns=("paid_on", "client", "payment_method", "amount", "unallocated", "status"),
    order=60,
    actions={
        "allocate": RecordPages.Action(
            label="Use for invoices",
            says="Use what is left of this payment to pay invoices of the same client.",
            done="The payment was used for the invoices.",
        ),
        "deallocate": RecordPages.Action(
            label="Take off an invoice",
            says="The amount is due on the invoice again, and is left of this payment for another one.",
            done="The amount is due on the invoice again.",
            weight="aside",
        ),
        "refund": RecordPages.Action(
            label="Record a refund",
            says="Record that you have given back some of what is left of this payment.",
            done="The refund was recorded.",
            fills={"amount": "unallocated", "refunded_at": "today"},
            weight="aside",
        ),
        "reverse": RecordPages.Action(
            says="For a payment that did not go through. Every invoice that it paid is due again. If it bounced, give"
            " the date on which it did.",
            weight="ends",
        ),
    },
    labels={"unallocated": "Left over", "allocations": "For which invoices", "refunded": "Given back"},
    hints={
        **_PAYMENT,
        "amount": "Cash is a multiple of 0.05.",
        "refunded_at": "When you gave it back. Leave it empty for today.",
        **_UNDOING,
    },
    fills={"paid_at": "today"},
)

adjustment_notes = RecordPages(
    path="/v1/adjustment_notes",
    empty="An adjustment note reduces an invoice that was sent, and leaves the invoice as it is.",
    columns=("number", "client", "total", "issue_date", "status"),
    deletable=("draft",),
    order=65,
    actions={
        "issue": RecordPages.Action(
            says="The note becomes final. It reduces what is due on the invoice; what the client has paid beyond that"
            " becomes their credit.",
            asks=True,
        ),
        "void": RecordPages.Action(says="Undo this note: what it took off is due on the invoice again.", weight="ends"),
    },
    labels={
        **{name: LABELS[name] for name in ("amounts_are", "line_items.total")},
        **_TAX_INVOICE,
        "full": "Everything that is left",
        "hosted_url": "The client's page",
    },
    rare=("amounts_are", "gst_rounding"),
    hints={
        "reason": "A bad debt is written off on the invoice instead.",
        "full": "Take off all that is left of the invoice, instead of the lines below.",
        "issue_date": "Not before the invoice's date. Leave it empty for today.",
        **_UNDOING,
    },
)
