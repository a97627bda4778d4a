"""Reports: what the figures of a business come to, and which documents each of them is made of."""

from pathlib import Path

from billycan import Manifest, Route

from .receivables import get_receivables, get_receivables_as_csv
from .taxable_payments import get_taxable_payments, get_taxable_payments_as_csv

manifest = Manifest(
    name="reports",
    requires=("contacts",),
    uses=("expenses", "invoices"),
    routes=(
        Route(
            "GET",
            "/v1/reports/receivables",
            get_receivables,
            scope="reports:read",
            needs=("invoices",),
            also={"text/csv": "/v1/reports/receivables.csv"},
        ),
        Route("GET", "/v1/reports/receivables.csv", get_receivables_as_csv, scope="reports:read", needs=("invoices",)),
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
        ),
    ),
    examples=Path(__file__).parent / "examples.json",
)
