"""The parts of the manifest that belong to the ledger: routes, tables, events, pages and timed work."""

from billycan import Deleted, Every, Manifest, RecordPages, Route

from . import accounts as a
from . import backlog, catching_up, entries, exports
from . import opening_balances as o
from . import payment_methods as p
from . import tracking as t

READ, WRITE = "reports:read", "reports:write"

tables = (
    a.accounts.table,
    a.started,
    a.named,
    p.methods.table,
    t.categories.table,
    t.tracked,
    entries.entries,
    exports.exports,
    o.openings,
    o.lines,
    backlog.walks,
    backlog.imported,
)

events = {
    "account.created": a.Account,
    "account.updated": a.Account,
    "account.deleted": Deleted,
    "payment_method.created": p.PaymentMethod,
    "payment_method.updated": p.PaymentMethod,
    "payment_method.deleted": Deleted,
    "tracking_category.created": t.TrackingCategory,
    "tracking_category.updated": t.TrackingCategory,
    "tracking_category.deleted": Deleted,
    "opening_balance.created": o.OpeningBalance,
    "opening_balance.deleted": Deleted,
    "ledger_export.created": exports.LedgerExport,
}

routes = (
    Route("GET", "/v1/ledger_entries", entries.list_ledger_entries, scope=READ),
    Route("GET", "/v1/ledger_entries/{id}", entries.get_ledger_entry, scope=READ),
    Route("GET", "/v1/accounts", a.list_accounts, scope=READ),
    Route("POST", "/v1/accounts", a.create_account, scope=WRITE, status=201, imports=a.store),
    Route("GET", "/v1/accounts/{id}", a.get_account, scope=READ),
    Route("PATCH", "/v1/accounts/{id}", a.update_account, scope=WRITE),
    Route("DELETE", "/v1/accounts/{id}", a.delete_account, scope=WRITE),
    Route("GET", "/v1/payment_methods", p.list_payment_methods, scope=READ),
    Route("POST", "/v1/payment_methods", p.create_payment_method, scope=WRITE, status=201),
    Route("GET", "/v1/payment_methods/{id}", p.get_payment_method, scope=READ),
    Route("PATCH", "/v1/payment_methods/{id}", p.update_payment_method, scope=WRITE),
    Route("DELETE", "/v1/payment_methods/{id}", p.delete_payment_method, scope=WRITE),
    Route("GET", "/v1/tracking_categories", t.list_tracking_categories, scope=READ),
    Route("POST", "/v1/tracking_categories", t.create_tracking_category, scope=WRITE, status=201),
    Route("GET", "/v1/tracking_categories/{id}", t.get_tracking_category, scope=READ),
    Route("PATCH", "/v1/tracking_categories/{id}", t.update_tracking_category, scope=WRITE),
    Route("DELETE", "/v1/tracking_categories/{id}", t.delete_tracking_category, scope=WRITE),
    Route("GET", "/v1/opening_balances", o.list_opening_balances, scope=READ),
    Route(
        "POST",
        "/v1/opening_balances",
        o.create_opening_balance,
        scope=WRITE,
        status=201,
        imports=o.get_ready,
        prepare=o.prepare_opening_balance,
    ),
    Route("GET", "/v1/opening_balances/{id}", o.get_opening_balance, scope=READ),
    Route("DELETE", "/v1/opening_balances/{id}", o.delete_opening_balance, scope=WRITE),
    Route("GET", "/v1/ledger_exports", exports.list_ledger_exports, scope=READ),
    Route(
        "POST",
        "/v1/ledger_exports",
        exports.create_ledger_export,
        scope=WRITE,
        status=201,
        prepare=exports.prepare_ledger_export,
    ),
    Route("GET", "/v1/ledger_exports/{id}", exports.get_ledger_export, scope=READ),
    Route(
        "GET",
        "/v1/ledger_exports/{id}/content",
        exports.get_ledger_export_content,
        scope=READ,
        answers="text/csv",
    ),
)


def _extend_with_account(path: str) -> Manifest.Extends:
    return Manifest.Extends(
        path=path, shows=a.NamesAccount, fill=a.fill_accounts, takes=a.TakesAccount, keep=a.keep_account
    )


def _extend_with_tracking(path: str) -> Manifest.Extends:
    return Manifest.Extends(
        path=path, shows=t.IsTracked, fill=t.fill_tracking, takes=t.TakesTracking, keep=t.keep_tracking
    )


extends = (
    _extend_with_account("/v1/items"),
    _extend_with_account("/v1/expense_categories"),
    _extend_with_tracking("/v1/invoices"),
    _extend_with_tracking("/v1/expenses"),
)

hears = {
    "item.deleted": a.forget_account,
    "expense_category.deleted": a.forget_account,
    "invoice.deleted": t.forget_tracking,
    "expense.deleted": t.forget_tracking,
}

opening_balances = o.in_ledger
balanced = Manifest.Sound(says="the ledger's entries of each document add up to zero", faults=entries.unbalanced)

tasks = (Every(seconds=60, run=catching_up.catch_up, tenants=backlog.behind, real_time=True),)

records = (
    RecordPages(
        path="/v1/ledger_entries",
        title="Ledger",
        one="ledger entry",
        empty="Invoices, payments, adjustment notes and expenses have entries here as soon as they count.",
        columns=("date", "document", "account", "debit", "credit", "gst_code"),
        order=98,
    ),
    RecordPages(
        path="/v1/accounts",
        empty="The ledger's accounts. Give them the codes that your accounting software has.",
        columns=("code", "name", "type", "role", "active"),
        sort="code",
        hints={"code": "The code that this account has in your accounting software."},
        order=99,
    ),
    RecordPages(
        path="/v1/payment_methods",
        empty="Payment methods whose money goes into an account of its own, such as a card's clearing account.",
        columns=("name", "account_code"),
        hints={
            "name": "As payments have it, such as card or cash.",
            "account_code": "The code of an account of the ledger.",
        },
        order=99,
    ),
    RecordPages(
        path="/v1/tracking_categories",
        empty="Up to two ways to look at income and costs, such as by region or by van.",
        columns=("name", "options"),
        hints={"options": "What it distinguishes, such as North and South."},
        order=99,
    ),
    RecordPages(
        path="/v1/opening_balances",
        empty="The trial balance of an earlier system is listed here once it is added or imported.",
        columns=("number", "date", "total", "created_at"),
        hints={"date": "The last day of the earlier system. Import its invoices, payments and bills first."},
        order=99,
    ),
    RecordPages(
        path="/v1/ledger_exports",
        empty="An export contains only what earlier exports in the same format did not.",
        columns=("from", "to", "format", "entries", "created_at"),
        hints={"format": "As manual journals, or else as sales or bills: import either, never both."},
        order=99,
    ),
)

codes = {
    "duplicate_account_code": (409, "Another account has this `code`."),
    "duplicate_payment_method": (409, "The payment method has an account already."),
    "duplicate_tracking_category": (409, "The other tracking category has this name."),
    "exported_otherwise": (409, "The software had these days as journals, or else as sales or bills."),
    "ledger_behind": (409, "Entries of older documents are still being made."),
    "unlike_documents": (422, "Accounts do not match the invoices, bills and payments."),
    "unbalanced": (422, "The total debits and total credits are not equal."),
    "too_many_entries": (422, "The export would have more than 20,000 entries, or 2,000 sales or bills."),
    "too_many_tracking_categories": (409, "There are two tracking categories already."),
}
