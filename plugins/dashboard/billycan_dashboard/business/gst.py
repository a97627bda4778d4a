"""The pages of the GST report: what to lodge, what each figure is made of, and that it was lodged; all to print."""

from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct

from billycan import App, GstEntries
from billycan_users.api import Answer, Led, Screen, Shown, Visit, mounted

from ..resources.files import download_file
from ..resources.kinds import page_at, page_of
from . import reports

API, PERIODS, TAX_PERIODS = "/v1/reports/gst", "/v1/gst_periods", "/v1/reports/gst/periods"
HERE = "/dashboard/reports/gst"
SALES = ("G1", "G2", "G3", "G4", "G5", "G6", "G7", "G8", "G9", "1A")
PURCHASES = ("G10", "G11", "G12", "G13", "G14", "G15", "G16", "G17", "G18", "G19", "G20", "1B")
WITHHELD = ("W4",)
_LODGED = ("G1", "G2", "G3", "1A", "G10", "G11", "1B", "W4")  # on the statement itself; the others are of its worksheet
_ELEVENTHS = ("G9", "G20")
_WITHOUT = {"invoices": "sales", "expenses": "purchases"}
_OFFERED, _DRAWN, _PER_PAGE = 5, 4, 1000
_TALL = 100


class Span(Struct, frozen=True):
    """A tax period: its days, and what people call it."""

    since: date
    until: date
    words: str


class Bar(Struct, frozen=True):
    """A tax period in the picture: the GST on sales and on purchases, and the height of each bar."""

    words: str
    on_sales: Decimal
    on_purchases: Decimal
    sales: int
    purchases: int


def show_gst(visit: Visit) -> Answer:
    """The report of a tax period: of the last that is over, where none is asked for."""
    with visit.reading() as ctx:
        business, today = ctx.tenant, ctx.today()
    spans = _last_periods(visit, today)
    given = visit.query or visit.form  # a form that was refused is shown here
    asked = {name: given[name] for name in ("from", "to", "basis") if given.get(name)}
    if not asked.keys() & {"from", "to"}:
        last = next((span for span in spans if span.until < today), spans[0] if spans else None)
        asked |= {"from": str(last.since if last else today.replace(day=1)), "to": str(last.until if last else today)}
    report = visit.call("GET", API, asked)["data"]
    over = date.fromisoformat(str(report["to"])) < today
    is_period = any(report[label] and report[label]["to_lodge"] is not None for label in GstEntries.NAMES)
    values = {
        "report": report,
        "sides": [("Sales", SALES), ("Purchases", PURCHASES), ("Tax withheld", WITHHELD)],
        "names": GstEntries.NAMES,
        "lodged_labels": _LODGED,
        "is_period": is_period,
        "headline": _net_amounts(report),
        "without": [(plugin, _WITHOUT.get(plugin, plugin)) for plugin in report["missing"]],
        "corrections": _list_corrections(visit, report),
        "not_claimed": [{**one, "documents": _with_pages(visit, one)} for one in report["not_claimed"]],
        "bars": _draw_bars(visit, spans[:_DRAWN][::-1], asked, report),
        "spans": spans,
        "basis": asked.get("basis", ""),
        "query": urlencode(asked),
        "here": HERE,
        "lodged_page": page_of(visit.app, report["gst_period_id"] or ""),
        "reopening_page": _reopening_page(visit, report["gst_period_id"]),
        "periods_page": page_at(visit.app, PERIODS),
        "may_lodge": over and is_period and not report["gst_period_id"] and visit.identity.holds("reports:write"),
        "is_over": over,
        "today": today,
        "business": business,
    }
    return Shown("dashboard/gst.html", values)


def lodge(visit: Visit) -> Answer:
    """Note that the statement of a period was lodged."""
    days = {name: visit.form.get(name, "") for name in ("from", "to")}
    visit.call("POST", PERIODS, body=days)
    return Led(f"{HERE}?{urlencode(days)}", "The period is marked as lodged. What changes from now on is a correction.")


def show_documents(visit: Visit) -> Answer:
    """The documents that a label is made of."""
    asked, page = reports.parameters(visit, "from", "to", "basis", "label"), reports.page_asked(visit)
    first, label = (page - 1) * reports.SHOWN, asked.get("label", "")
    found = visit.call("GET", f"{API}/documents", {**asked, "page": first // _PER_PAGE + 1})["data"]
    days = {name: text for name, text in asked.items() if name != "label"}
    total = first // _PER_PAGE * _PER_PAGE + len(found)
    if len(found) == _PER_PAGE:  # there may be more
        total = visit.call("GET", API, {**days, "labels": label})["data"][label]["documents_total"]
    shown = found[first % _PER_PAGE :][: reports.SHOWN]
    values = {
        "documents": [{**one, "page": page_of(visit.app, one["id"])} for one in shown],
        "label": label,
        "name": GstEntries.NAMES[label],
        "since": date.fromisoformat(asked["from"]),
        "until": date.fromisoformat(asked["to"]),
        "back": f"{HERE}?{urlencode(days)}",
        "file": f"{HERE}/documents.csv?{urlencode(asked)}",
        "page": reports.page_of_rows(page, total),
        "query": [*asked.items()],
        "business": reports.business(visit),
    }
    return Shown("dashboard/gst_documents.html", values)


def get_file(visit: Visit) -> Answer:
    """The report for a spreadsheet."""
    return download_file(visit, f"{API}.csv", reports.parameters(visit, "from", "to", "basis"))


def get_documents_file(visit: Visit) -> Answer:
    """The documents of a label for a spreadsheet."""
    return download_file(visit, f"{API}/documents.csv", reports.parameters(visit, "from", "to", "basis", "label"))


def has_gst(app: App) -> bool:
    return ("GET", API) in app.at


def _last_periods(visit: Visit, today: date) -> list[Span]:
    """The last tax periods of the business, newest first; none where it was not registered for GST."""
    since = today.replace(year=today.year - _OFFERED, day=1)
    listed = visit.call("GET", TAX_PERIODS, {"from": str(since)})["data"][:_OFFERED]
    days = [(date.fromisoformat(str(one["from"])), date.fromisoformat(str(one["to"]))) for one in listed]
    return [Span(*each, _name_period(*each)) for each in days]


def _name_period(since: date, until: date) -> str:
    """Name a period as people do: a month, a quarter, a year to June, or else its first and last day."""
    months = (until.year - since.year) * 12 + until.month - since.month + 1
    if since.day != 1 or (until + timedelta(days=1)).day != 1:
        return f"{since.day} {since:%b} to {until.day} {until:%b %Y}"
    if (months, until.month) == (12, 6):
        return f"Year to June {until.year}"
    return f"{since:%B %Y}" if months == 1 else f"{since:%b} to {until:%b %Y}"


def _reopening_page(visit: Visit, period_id: str | None) -> str:
    """The page that reopens a period, if it is the last that was lodged and the visitor may do so."""
    if period_id is None or not visit.identity.holds("reports:write"):
        return ""
    period = visit.call("GET", f"{PERIODS}/{period_id}")["data"]
    may = "reopen" in period["allowed_actions"]
    return f"{page_of(visit.app, period_id)}/reopen?version={period['version']}" if may else ""


def _net_amounts(report: dict[str, Any]) -> dict[str, Any]:
    """Return 1A, 1B and the first less the second; nothing where one of them is not known.

    Of a tax period they are what is lodged: whole dollars with the corrections. Of other days, or as if on another
    basis, they are the amounts.
    """
    if report["1A"] is None or report["1B"] is None:
        return {}
    member = "amount" if report["1A"]["to_lodge"] is None else "to_lodge"
    sales, purchases = (report[label][member] for label in ("1A", "1B"))
    return {"1A": sales, "1B": purchases, "net": sales - purchases}


def _list_corrections(visit: Visit, report: dict[str, Any]) -> list[dict[str, Any]]:
    """List the changes to lodged periods at each label of the statement, with the pages of the first documents."""
    found = []
    for label in (*_LODGED, *(one for one in GstEntries.NAMES if one not in _LODGED)):
        if (figure := report["corrections"].get(label)) and label not in _ELEVENTHS:
            found.append(
                {**figure, "label": label, "name": GstEntries.NAMES[label], "documents": _with_pages(visit, figure)}
            )
    return found


def _with_pages(visit: Visit, figure: dict[str, Any]) -> list[dict[str, Any]]:
    """The documents of a figure, each with its page."""
    return [{**one, "page": page_of(visit.app, one["id"])} for one in figure["documents"]]


def _draw_bars(visit: Visit, spans: list[Span], asked: dict[str, str], shown: dict[str, Any]) -> list[Bar]:
    """The GST on sales beside that on purchases in each of these periods; none where either is not known."""
    if shown["1A"] is None or shown["1B"] is None:
        return []
    amounts, basis = [], {"basis": asked["basis"]} if "basis" in asked else {}
    for span in spans:
        days = {"from": str(span.since), "to": str(span.until)}
        same = days == {"from": str(shown["from"]), "to": str(shown["to"])}
        report = shown if same else visit.call("GET", API, {**days, **basis, "labels": "1A,1B"})["data"]
        amounts.append((span.words, report["1A"]["amount"], report["1B"]["amount"]))
    most = max((max(a, b) for _, a, b in amounts), default=0)
    if most <= 0:
        return []
    return [Bar(words, a, b, *(max(0, int(each * _TALL / most)) for each in (a, b))) for words, a, b in amounts]


screens = mounted(
    Screen(HERE, show_gst, nav="GST", group="Reports", when=has_gst),
    Screen(f"{HERE}.csv", get_file, when=has_gst),
    Screen(f"{HERE}/lodge", post=lodge, role="bookkeeper", on=HERE, when=has_gst),
    Screen(f"{HERE}/documents", show_documents, when=has_gst),
    Screen(f"{HERE}/documents.csv", get_documents_file, when=has_gst),
)
