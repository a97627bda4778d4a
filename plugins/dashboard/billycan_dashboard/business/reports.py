"""The pages of what is owed: by and to whom, by age on any day, and as the statement of a client, all to print."""

from collections.abc import Callable, Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Any
from urllib.parse import urlencode

from msgspec import Struct

from billycan import App
from billycan_users.api import Answer, Screen, Shown, Visit, mounted

from ..resources.files import STATEMENT, STATEMENTS, download_file, has_statements
from ..resources.kinds import page_at, page_of
from ..resources.mailed import may_send
from . import reminding

RECEIVABLES, PAYABLES = "/v1/reports/receivables", "/v1/reports/payables"
HERE, TO_SUPPLIERS = "/dashboard/reports/receivables", "/dashboard/reports/payables"
AGES = {
    "current": "Not due yet",
    "days_1_30": "1 to 30 days",
    "days_31_60": "31 to 60 days",
    "days_61_90": "61 to 90 days",
    "days_over_90": "Over 90 days",
}
_WORDS = {
    "invoice": "Invoice",
    "void": "Invoice voided",
    "adjustment_note": "Adjustment note",
    "adjustment_note_void": "Adjustment note voided",
    "payment": "Payment, thank you",
    "cash_rounding": "Cash rounding",
    "reversal": "Payment reversed",
    "refund": "Refund",
    # As on the paper: a debtor who is given this page is not told that the debt was written off.
    "write_off": "Adjustment",
    "recovery": "Adjustment reversed",
}
SHOWN = 100  # rows on a page of a report: all are in its file
_ANSWERED = 1000  # clients or suppliers on a page of the API


class Part(Struct, frozen=True):
    """A part of a picture: what it stands for, and where it lies in a thousand."""

    name: str
    words: str
    amount: Decimal
    at: int
    wide: int
    percent: int


class Words(Struct, frozen=True):
    """The words on the page of a report by age; `owed` stands before a name or number."""

    title: str
    says: str
    who: str
    owed: str
    credit: str
    credit_note: str
    note: str
    nothing: str
    settled: str


_BY_CLIENTS = Words(
    title="Receivables",
    says="What clients owed",
    who="client",
    owed="Owed by",
    credit="Client credit",
    credit_note="Credit is what clients have paid and no invoice has used.",
    note="Ages go by the due dates that invoices have now.",
    nothing="Nobody owed anything",
    settled="every invoice that was sent had been settled.",
)
_TO_SUPPLIERS = Words(
    title="Payables",
    says="What was owed to suppliers",
    who="supplier",
    owed="Owed to",
    credit="Owed by suppliers",
    credit_note="Credit is what suppliers owe: paid before the bill, or to be given back.",
    note="Ages go by the due dates that bills have now; one without is due on its date.",
    nothing="Nothing was owed",
    settled="every bill had been paid.",
)


def show_receivables(visit: Visit) -> Answer:
    """Show the amounts that clients owe, or owed at the end of a day."""
    reminds = reminding.may_remind(visit)

    def whose(entry: Mapping[str, Any], as_at: str) -> dict[str, str]:
        statement = f"{STATEMENTS}/{entry['client_id']}?{urlencode({'to': as_at})}"
        is_late = reminds and as_at == str(visit.today()) and entry["total"] > entry["current"]
        remind = reminding.page_for_client(entry["client_id"], HERE) if is_late else ""
        return {"name": entry["client"]["name"], "page": statement, "remind": remind}

    return _by_age(visit, RECEIVABLES, HERE, _BY_CLIENTS, whose)


def show_payables(visit: Visit) -> Answer:
    """Show the amounts owed to suppliers, now or at the end of a day."""

    def whose(entry: Mapping[str, Any], as_at: str) -> dict[str, str]:
        name = entry["supplier"]["name"] if entry["supplier"] else entry["supplier_name"]
        if name is None:
            return {"name": "Nobody named", "page": ""}
        bills = {"supplier_id": entry["supplier_id"]} if entry["supplier"] else {"search": name}
        return {"name": name, "page": page_at(visit.app, f"/v1/expenses?{urlencode({'status': 'unpaid', **bills})}")}

    return _by_age(visit, PAYABLES, TO_SUPPLIERS, _TO_SUPPLIERS, whose)


def _by_age(
    visit: Visit, path: str, here: str, words: Words, whose: Callable[[Mapping[str, Any], str], dict[str, str]]
) -> Answer:
    """Show a report by age; `whose` gives the name of an entry, and the page that it leads to."""
    asked, page = parameters(visit, "as_at"), page_asked(visit)
    first = (page - 1) * SHOWN
    report = visit.call("GET", path, {**asked, "page": str(first // _ANSWERED + 1)})["data"]
    shown = report["entries"][first % _ANSWERED :][:SHOWN]
    values = {
        "report": report,
        "words": words,
        "count": report[f"{words.who}s"],
        "entries": (entries := [{**entry, **whose(entry, report["as_at"])} for entry in shown]),
        "reminds": any(entry.get("remind") for entry in entries),
        "parts_of": _draw_ages,
        "overdue": report["total"] - report["current"],
        "days": _likely_days(visit.today()),
        "page": page_of_rows(page, report[f"{words.who}s"]),
        "query": [("as_at", report["as_at"])],
        "file": f"{here}.csv?{urlencode({'as_at': report['as_at']})}",
        "business": business(visit),
    }
    return Shown("dashboard/aged.html", values)


def show_statement(visit: Visit, id: str) -> Answer:
    """Show the opening balance of a client, the entries of the period, and the closing balance."""
    asked, path = parameters(visit, "from", "to"), STATEMENT.replace("{id}", id)
    statement = visit.call("GET", path, asked)["data"]
    is_late = statement["to"] == str(visit.today()) and statement["total"] > statement["current"]
    values = {
        "statement": statement,
        "entries": [
            {**entry, "words": _WORDS[entry["kind"]], "page": _page_of_entry(visit, entry)}
            for entry in statement["entries"]
        ],
        "parts": _draw_ages(statement),
        "spans": _likely_spans(visit.today()),
        "contact": visit.call("GET", f"/v1/contacts/{id}")["data"],
        "contact_page": page_of(visit.app, id),
        "file": f"{STATEMENTS}/{id}/file?{urlencode({'from': statement['from'], 'to': statement['to']})}",
        "pdf": _address_below(visit, id, "pdf", statement) if ("GET", f"{STATEMENT}.pdf") in visit.app.at else "",
        "email": _address_below(visit, id, "email", statement) if may_send(visit, STATEMENT) else "",
        "remind": reminding.page_for_client(id, f"{STATEMENTS}/{id}")
        if is_late and reminding.may_remind(visit)
        else "",
        "receivables": HERE if has_receivables(visit.app) else "",
        "business": business(visit),
    }
    return Shown("dashboard/statement.html", values)


def _address_below(visit: Visit, id: str, what: str, statement: Mapping[str, Any]) -> str:
    """Return the address of this statement's PDF file, or of its email form; empty if the client has no page."""
    days = urlencode({"from": statement["from"], "to": statement["to"]})
    return f"{page}/statement/{what}?{days}" if (page := page_of(visit.app, id)) else ""


def get_receivables_file(visit: Visit) -> Answer:
    """The receivables for a spreadsheet."""
    return download_file(visit, f"{RECEIVABLES}.csv", parameters(visit, "as_at"))


def get_payables_file(visit: Visit) -> Answer:
    """The payables for a spreadsheet."""
    return download_file(visit, f"{PAYABLES}.csv", parameters(visit, "as_at"))


def get_statement_file(visit: Visit, id: str) -> Answer:
    """A statement for a spreadsheet."""
    return download_file(visit, f"{STATEMENT.replace('{id}', id)}.csv", parameters(visit, "from", "to"))


def has_receivables(app: App) -> bool:
    return ("GET", RECEIVABLES) in app.at


def has_payables(app: App) -> bool:
    return ("GET", PAYABLES) in app.at


def parameters(visit: Visit, *names: str) -> dict[str, str]:
    """The parameters of the API that were sent; a field left empty was not."""
    return {name: value for name in names if (value := visit.query.get(name))}


def page_asked(visit: Visit) -> int:
    """Return the number of the requested page of rows, or 1 if it makes no sense."""
    text = visit.query.get("page", "1")
    return max(int(text), 1) if text.isascii() and text.isdigit() and len(text) < 7 else 1


def page_of_rows(page: int, total: int) -> dict[str, Any]:
    """Return the values that the links to other pages need."""
    return {"page": page, "per_page": SHOWN, "total": total, "has_more": page * SHOWN < total}


def business(visit: Visit) -> Any:
    """Return the profile of the business, for the head of a printed report."""
    with visit.reading() as ctx:
        return ctx.tenant


def _likely_days(today: date) -> list[tuple[str, str]]:
    """Days for which one often wants to know what was owed."""
    month = today.replace(day=1) - timedelta(days=1)
    year = date(today.year - (today.month < 7), 6, 30)
    return [("Today", str(today)), (f"End of {month:%B}", str(month)), (f"30 June {year.year}", str(year))]


def _likely_spans(today: date) -> list[tuple[str, str, str]]:
    """Times for which one often wants a statement."""
    month = today.replace(day=1)
    before = (month - timedelta(days=1)).replace(day=1)
    year = date(today.year - (today.month < 7), 7, 1)
    return [
        ("This month", str(month), str(today)),
        (f"{before:%B}", str(before), str(month - timedelta(days=1))),
        ("Since 1 July", str(year), str(today)),
    ]


def _page_of_entry(visit: Visit, entry: dict[str, Any]) -> str:
    """The page of the document or payment that an entry is about."""
    of_note = entry["kind"].startswith("adjustment_note")
    id = entry["adjustment_note_id"] if of_note else entry["invoice_id"] if entry["number"] else entry["payment_id"]
    return page_of(visit.app, id) if id else ""


def _draw_ages(owed: dict[str, Any]) -> list[Part]:
    """A picture of what is owed by age: each age has its share of a thousand."""
    total, at, parts, so_far = owed["total"], 0, [], Decimal(0)
    for name, words in AGES.items():
        so_far += owed[name]
        end = int(so_far * 1000 / total) if total else 0
        percent = int((owed[name] * 100 / total).to_integral_value()) if total else 0
        said = f"{words} overdue" if name == "days_1_30" else words  # and so are those after it
        parts.append(Part(name, said, owed[name], at, end - at, percent))
        at = end
    return parts


screens = mounted(
    Screen(HERE, show_receivables, nav="Receivables", group="Reports", when=has_receivables),
    Screen(f"{HERE}.csv", get_receivables_file, when=has_receivables),
    Screen(TO_SUPPLIERS, show_payables, nav="Payables", group="Reports", when=has_payables),
    Screen(f"{TO_SUPPLIERS}.csv", get_payables_file, when=has_payables),
    Screen(f"{STATEMENTS}/{{id}}", show_statement, when=has_statements),
    Screen(f"{STATEMENTS}/{{id}}/file", get_statement_file, when=has_statements),
)
