"""Dashboard pages of expenses and their categories."""

from billycan import RecordPages

from . import rules

expenses = RecordPages(
    path="/v1/expenses",
    empty="An expense is what the business has spent. Its receipt can be attached to it.",
    columns=("description", "category", "supplier_name", "date", "amount", "amount_due", "status"),
    deletable=("recorded",),
    kept_by="lodged_in",
    counts_on=rules.DATES,
    attention=(
        RecordPages.Attention(
            title="Tax invoices missing",
            filters={"status": "recorded", "tax_invoice_held": "false", "gst_code": "gst", "amount_from": "82.51"},
            sort="-date",
        ),
    ),
    order=70,
    daily=True,
    actions={
        "payments": RecordPages.Action(
            label="Record a payment",
            says="Money that you paid for this bill: all of what is due, or a part.",
            done="The payment was recorded.",
            fills={"amount": "amount_due", "paid_on": "today"},
        ),
        "payments/reverse": RecordPages.Action(
            says="For a payment that did not go through. It stays listed as reversed, and the amount is due again. If"
            " the money came back, give the date on which it did.",
            done="The payment was reversed.",
            weight="ends",
        ),
        "void": RecordPages.Action(
            says="It stays listed. As a mistake it counts nowhere; otherwise it counts until the date that you give.",
            weight="ends",
        ),
    },
    labels={
        "business_use_percent": "Business use",
        "billable": "Charge to the client",
        "tax_invoice_held_on": "Tax invoice held since",
    },
    fills={"date": "today"},
    attaches={"This is the tax invoice": {"tax_invoice_held": True}},
    rare=(
        "business_use_percent",
        "for_input_taxed_sales",
        "tax_invoice_held_on",
        "tax_withheld",
        "import_gst",
        "refunded_expense_id",
        "refunded_line_id",
    ),
    hints={
        "amount": "Including GST. Below zero for what a supplier gave back.",
        "gst": "The GST on the receipt. Leave it empty for 1/11 of the amount, where the GST code is taxable.",
        "tax_invoice_held": "Without one, the GST on more than $82.50 cannot be claimed.",
        "tax_invoice_held_on": "The day on which you got it. Leave it empty for the expense's date.",
        "supplier_abn": "As the tax invoice shows it. Without it, the GST on more than $82.50 cannot be claimed.",
        "paid_on": "Leave it empty for the expense's date, or if a bill with a due date is not paid yet.",
        "tax_withheld": "What you kept back for the tax office because the supplier quoted no ABN.",
        "gst_code": "Leave it empty for what the category says.",
        "for_input_taxed_sales": "Such as a repair of a home that is rented out. Its GST cannot be claimed.",
        "import_gst": "The GST is what the customs document says was paid on imported goods.",
        "line_items": "For a receipt of several categories or GST codes: leave amount, category and GST empty then.",
        "refunded_line_id": "Of a refund: the id of the line of the purchase.",
        "refunded_expense_id": "Of an amount below zero: the id of the expense of which the supplier gave back.",
        "payment_method": "Such as card, EFTPOS, bank transfer or cash.",
        "reference": "Such as the number of the receipt.",
        "billable": "The job's next invoice can include it.",
    },
)

categories = RecordPages(
    path="/v1/expense_categories",
    empty="A category groups expenses, so that reports say what the money went on.",
    one="category",
    columns=("name", "gst_code", "created_at"),
    sort="name",
    hints={
        "gst_code": "How its expenses are taxed, unless they say otherwise. Leave it empty for GST.",
        "gst_required": "For what holds less GST than 1/11, such as insurance with stamp duty.",
        "deductible": "Turn it off for what is not deductible, such as entertainment: its GST is not claimed.",
    },
    order=95,
)
