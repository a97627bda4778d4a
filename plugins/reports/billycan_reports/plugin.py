"""Reports: the figures of a business, and the documents behind each of them."""

from billycan import App, Manifest, RecordPages, Route, hookimpl

from . import handlers as h
from . import triggers
from .cards import near_registration
from .ledger import backlog
from .ledger import manifest as ledger
from .ledger.posting import on_event
from .payables import get_payables, get_payables_as_csv
from .receivables import get_receivables, get_receivables_as_csv
from .schemas import Lodgement
from .tables import entries, periods
from .taxable_payments import get_taxable_payments, get_taxable_payments_as_csv

__all__ = ["manifest", "on_event", "startup"]

manifest = Manifest(
    name="reports",
    requires=("contacts",),
    uses=("expenses", "invoices", "items"),
    tables=(periods, entries, *ledger.tables),
    events={"gst_period.created": Lodgement, "gst_period.reopened": Lodgement, **ledger.events},
    routes=(
        Route(
            "GET",
            "/v1/reports/gst",
            h.get_gst_report,
            scope="reports:read",
            also={"text/csv": "/v1/reports/gst.csv"},
        ),
        Route("GET", "/v1/reports/gst.csv", h.get_gst_report_as_csv, scope="reports:read", answers="text/csv"),
        Route(
            "GET",
            "/v1/reports/gst/documents",
            h.list_gst_documents,
            scope="reports:read",
            also={"text/csv": "/v1/reports/gst/documents.csv"},
        ),
        Route(
            "GET",
            "/v1/reports/gst/documents.csv",
            h.list_gst_documents_as_csv,
            scope="reports:read",
            answers="text/csv",
        ),
        Route(
            "GET",
            "/v1/reports/receivables",
            get_receivables,
            scope="reports:read",
            needs=("invoices",),
            also={"text/csv": "/v1/reports/receivables.csv"},
        ),
        Route(
            "GET",
            "/v1/reports/receivables.csv",
            get_receivables_as_csv,
            scope="reports:read",
            answers="text/csv",
            needs=("invoices",),
        ),
        Route(
            "GET",
            "/v1/reports/payables",
            get_payables,
            scope="reports:read",
            needs=("expenses",),
            also={"text/csv": "/v1/reports/payables.csv"},
        ),
        Route("GET", "/v1/reports/payables.csv", get_payables_as_csv, scope="reports:read", needs=("expenses",)),
        Route(
            "GET",
            "/v1/reports/taxable_payments",
            get_taxable_payments,
            scope="reports:read",
            needs=("expenses",),
            also={"text/csv": "/v1/reports/taxable_payments.csv"},
        ),
        Route(
            "GET",
            "/v1/reports/taxable_payments.csv",
            get_taxable_payments_as_csv,
            scope="reports:read",
            needs=("expenses",),
            answers="text/csv",
        ),
        Route("GET", "/v1/reports/gst/periods", h.list_tax_periods, scope="reports:read"),
        Route("GET", "/v1/gst_periods", h.list_gst_periods, scope="reports:read"),
        Route("POST", "/v1/gst_periods", h.create_gst_period, scope="reports:write", status=201),
        Route("GET", "/v1/gst_periods/{id}", h.get_gst_period, scope="reports:read"),
        Route("POST", "/v1/gst_periods/{id}/reopen", h.reopen_gst_period, scope="reports:write"),
        *ledger.routes,
    ),
    extends=ledger.extends,
    records=(
        RecordPages(
            path="/v1/gst_periods",
            empty="A tax period is listed here once it is marked as lodged on the GST report.",
            one="GST period",
            columns=("from", "to", "basis", "status", "created_at"),
            actions={
                "reopen": RecordPages.Action(
                    says="For a period that was marked as lodged by mistake. Its days can then be lodged again.",
                    weight="aside",
                ),
            },
            hints={
                "from": "The first day of a period that you have lodged with the tax office.",
                "to": "Its last day. The period must be over.",
            },
            order=97,
        ),
        *ledger.records,
    ),
    cards=(near_registration,),
    hears=ledger.hears,
    tasks=ledger.tasks,
    codes={
        "later_period_lodged": (409, "A later period is lodged."),
        "not_a_period": (422, "These days are not one of the business's tax periods."),
        "period_lodged": (409, "Some days of the period were lodged before."),
        "period_not_over": (422, "The period is not over yet."),
        **ledger.codes,
    },
    offers=(
        Manifest.GstPeriods(is_lodged=h.is_lodged, check_settings=h.check_gst_settings),
        backlog.carrier,
        ledger.opening_balances,
        ledger.balanced,
    ),
)


@hookimpl
def startup(app: App) -> None:
    app.add_trigger("gst_period.created", triggers.lodge)
    app.add_trigger("gst_period.reopened", triggers.reopen)
    for event, run in triggers.OF_THE_LEDGER.items():
        app.add_trigger(event, run)
