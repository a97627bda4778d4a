"""The page of what contractors were paid in a financial year, to lodge and to print."""

from datetime import date
from urllib.parse import urlencode

from billycan import App
from billycan_users.api import Answer, Screen, Shown, Visit, mounted

from ..resources.files import download_file
from ..resources.kinds import page_of
from . import reports

API = "/v1/reports/taxable_payments"
HERE = "/dashboard/reports/taxable-payments"
_OFFERED = 4


def show_taxable_payments(visit: Visit) -> Answer:
    """The report of a financial year: of the last one that is over, where none is asked for."""
    today = visit.today()
    this = today.year + (today.month > 6)
    asked = {"year": visit.query.get("year") or str(this - 1)}
    report = visit.call("GET", API, asked)["data"]
    page, contractors = reports.page_asked(visit), report["contractors"]
    shown = contractors[(page - 1) * reports.SHOWN :][: reports.SHOWN]
    values = {
        "report": report,
        "contractors": [{**one, "page": page_of(visit.app, one["supplier_id"])} for one in shown],
        "count": len(contractors),
        "lacking": sum(bool(one["missing"]) for one in contractors),
        "page": reports.page_of_rows(page, len(contractors)),
        "query": [("year", report["year"])],
        "years": range(this, this - _OFFERED, -1),
        "due": date(report["year"], 8, 28),
        "is_over": report["year"] < this,
        "file": f"{HERE}.csv?{urlencode(asked)}",
        "business": reports.business(visit),
    }
    return Shown("dashboard/taxable_payments.html", values)


def get_file(visit: Visit) -> Answer:
    """The report for a spreadsheet."""
    return download_file(visit, f"{API}.csv", reports.parameters(visit, "year"))


def has_taxable_payments(app: App) -> bool:
    return ("GET", API) in app.at


screens = mounted(
    Screen(HERE, show_taxable_payments, nav="Taxable payments", group="Reports", when=has_taxable_payments),
    Screen(f"{HERE}.csv", get_file, when=has_taxable_payments),
)
