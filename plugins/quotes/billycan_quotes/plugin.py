"""Quotes: offers of work at a price; a client accepts one online, and it becomes an invoice or a job."""

from billycan import Deleted, Every, Manifest, Route

from . import handlers as h
from . import record_pages
from .demo import add_samples
from .documents import documents
from .neighbours import hears
from .pages import finish_quote, quote_page, quote_paper
from .resource import Quote
from .tables import claims, lines, quotes

manifest = Manifest(
    name="quotes",
    requires=("contacts", "documents", "hosted"),
    uses=("invoices", "jobs"),
    tables=(quotes, lines, claims),
    events={
        "quote.created": Quote,
        "quote.updated": Quote,
        "quote.sent": Quote,
        "quote.accepted": Quote,
        "quote.declined": Quote,
        "quote.expiring": Quote,
        "quote.expired": Quote,
        "quote.converted": Quote,
        "quote.cancelled": Quote,
        "quote.deleted": Deleted,
    },
    routes=(
        Route("GET", "/v1/quotes", h.list_quotes, scope="quotes:read"),
        Route("POST", "/v1/quotes", h.create_quote, scope="quotes:write", status=201, prepare=documents.prepare_new),
        Route("GET", "/v1/quotes/{id}", h.get_quote, scope="quotes:read"),
        Route("PATCH", "/v1/quotes/{id}", h.update_quote, scope="quotes:write", prepare=h.prepare_update),
        Route("DELETE", "/v1/quotes/{id}", h.delete_quote, scope="quotes:write"),
        Route("POST", "/v1/quotes/{id}/send", h.send_quote, scope="quotes:write"),
        Route("POST", "/v1/quotes/{id}/accept", h.accept_quote, scope="quotes:write"),
        Route("POST", "/v1/quotes/{id}/decline", h.decline_quote, scope="quotes:write"),
        Route("POST", "/v1/quotes/{id}/revise", h.revise_quote, scope="quotes:write"),
        Route("POST", "/v1/quotes/{id}/cancel", h.cancel_quote, scope="quotes:write"),
        Route(
            "POST",
            "/v1/quotes/{id}/convert",
            h.convert_quote,
            scope="quotes:write",
            status=201,
            needs=({"invoices", "jobs"},),
            makes=("/v1/invoices/{id}", "/v1/jobs/{id}"),
            prepare=h.prepare_conversion,
        ),
    ),
    pages=(("/q/{token}", quote_page),),
    records=(record_pages.quotes,),
    documents=(Manifest.Document(path="/v1/quotes/{id}", show=quote_paper, finish=finish_quote),),
    hears=hears,
    tasks=(
        Every(seconds=60, due=h.past_expiry, run=h.expire_quote),
        Every(seconds=60, due=h.expiring_soon, run=h.emit_expiring),
    ),
    demo=add_samples,
)
