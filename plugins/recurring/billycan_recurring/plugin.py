"""Recurring invoices: the same invoice made every week, month, quarter or year."""

from billycan import Deleted, Every, Manifest, Route

from . import handlers as h
from . import record_pages
from .cards import next_invoices
from .demo import add_samples
from .making import make_due_invoices, to_make
from .resource import RecurringInvoice
from .tables import made, named_items, recurring

_PATH = "/v1/recurring_invoices"

manifest = Manifest(
    name="recurring",
    requires=("contacts", "documents", "invoices"),
    uses=("mail",),
    tables=(recurring, made, named_items),
    events={
        "recurring_invoice.created": RecurringInvoice,
        "recurring_invoice.updated": RecurringInvoice,
        "recurring_invoice.paused": RecurringInvoice,
        "recurring_invoice.resumed": RecurringInvoice,
        "recurring_invoice.ended": RecurringInvoice,
        "recurring_invoice.failed": RecurringInvoice,
        "recurring_invoice.email_failed": RecurringInvoice,
        "recurring_invoice.deleted": Deleted,
    },
    routes=(
        Route("GET", _PATH, h.list_recurring_invoices, scope="recurring:read"),
        Route("POST", _PATH, h.create_recurring_invoice, scope="recurring:write", status=201, prepare=h.prepare_new),
        Route("GET", f"{_PATH}/{{id}}", h.get_recurring_invoice, scope="recurring:read"),
        Route(
            "PATCH",
            f"{_PATH}/{{id}}",
            h.update_recurring_invoice,
            scope="recurring:write",
            prepare=h.prepare_update,
        ),
        Route("DELETE", f"{_PATH}/{{id}}", h.delete_recurring_invoice, scope="recurring:write"),
        Route("POST", f"{_PATH}/{{id}}/pause", h.pause_recurring_invoice, scope="recurring:write"),
        Route("POST", f"{_PATH}/{{id}}/resume", h.resume_recurring_invoice, scope="recurring:write"),
        Route("POST", f"{_PATH}/{{id}}/end", h.end_recurring_invoice, scope="recurring:write"),
        Route("GET", f"{_PATH}/{{id}}/preview", h.preview_recurring_invoice, scope="recurring:read"),
    ),
    records=(record_pages.recurring_invoices,),
    cards=(next_invoices,),
    hears={"item.deleted": h.keep_item},
    tasks=(Every(seconds=60, due=to_make, run=make_due_invoices, own_transactions=True),),
    demo=add_samples,
    codes={"client_archived": (422, "The contact is archived.")},
)
