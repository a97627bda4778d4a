"""The text of an email with a document: plain text, and HTML for old Outlook and dark screens."""

from datetime import date
from decimal import Decimal

from msgspec import Struct

from billycan.paper import Paper

from .logos import Logo
from .message import one_line
from .templates import load_template

SANDBOX = "SANDBOX, not a tax invoice. This message was made for testing."
MOST_SUBJECT = 250
_ENDED = {"VOID": "is void", "EXPIRED": "has expired"}


class ComposeRequest(Struct, frozen=True, kw_only=True):
    """The sender's own words, empty where the default is used, and the options of the email."""

    subject: str = ""
    message: str = ""
    has_pdf: bool = False
    is_reminder: bool = False
    leave: str = ""  # the URL to unsubscribe
    logo: Logo | None = None


class Composed(Struct, frozen=True, kw_only=True):
    """A subject, the message above the details, and the whole email as text and HTML, which only names its logo."""

    subject: str
    message: str
    text: str
    html: str


def compose(paper: Paper, said: ComposeRequest, today: date) -> Composed:
    """Compose an email with a document."""
    subject = one_line(said.subject) or _fill_subject(paper, said, today)
    if paper.is_sandbox:
        subject = f"[SANDBOX] {subject}"
    message = said.message or _fill_message(paper, said, today)
    name = _name_paper(paper)
    values = {
        "paper": paper,
        "subject": subject[:MOST_SUBJECT],
        "sandbox": SANDBOX if paper.is_sandbox else "",
        "message": message,
        "paragraphs": [part.split("\n") for part in message.split("\n\n") if part.strip()],
        "details": _list_details(paper),
        "button": f"View {paper.noun}" if paper.url else "",
        "name": name[:1].upper() + name[1:],
        "leave": said.leave,
        "accent": paper.brand.accent,
        "logo": said.logo,
    }
    text, html = (load_template(file).render(values) for file in ("document.txt", "document.html"))
    return Composed(subject=subject[:MOST_SUBJECT], message=message, text=_tidy_lines(text), html=html)


def _name_paper(paper: Paper) -> str:
    """Return a name such as `invoice INV-0001`."""
    return f"{paper.noun} {paper.number}".strip()


def _fill_subject(paper: Paper, said: ComposeRequest, today: date) -> str:
    name = _name_paper(paper)
    if said.is_reminder:
        is_late = paper.due_date is not None and paper.due_date < today
        name = f"{'overdue: ' if is_late else 'reminder: '}{name}"
    return one_line(f"{name[:1].upper()}{name[1:]} from {paper.seller.name}")


def _fill_message(paper: Paper, said: ComposeRequest, today: date) -> str:
    owed = paper.amount_due if paper.amount_due is not None else paper.total
    is_over = bool(paper.mark) and not paper.is_draft  # paid, void and the like
    what = _name_paper(paper) if paper.number else f"your {paper.noun}"
    amount = f" for {money(owed)}" if owed and paper.number and not is_over else ""
    due = ""
    if paper.due_date and owed:
        # A quote's total is not owed: its last day is the last on which it can be accepted.
        means = "valid until" if paper.amount_due is None else "due on"
        due = f"{'was' if paper.due_date < today else 'is'} {means} {day(paper.due_date)}"
    if said.is_reminder and owed is not None:
        body = f"This is a reminder that {what} for {money(owed)} {due or 'is due'}."
        body += " If you have paid already, thank you: please disregard this message."
    else:
        where = "attached" if said.has_pdf else "below"
        body = f"Please find {what}{amount} {where}." + (f" It {due}." if due else "")
        body += f" It {_ENDED.get(paper.mark) or f'has been {paper.mark.lower()}'}." if is_over else ""
    return f"Hello {one_line(paper.buyer.name)},\n\n{body}\n\nKind regards,\n{one_line(paper.seller.name)}"


def _list_details(paper: Paper) -> list[tuple[str, str]]:
    """Return the important facts of a document in a few lines: its number, its key figure and its dates."""
    found = [(paper.title, paper.number)] if paper.number else [*paper.facts]  # such as the days of a statement
    if paper.key:
        found.append((paper.key.label, paper.key.value))
    if paper.due_date and paper.amount_due:
        found.append(("Due", day(paper.due_date)))
    return [*found, *paper.contract]


def money(value: Decimal) -> str:
    """Format an amount as `$1,210.00`."""
    return f"-${-value:,.2f}" if value < 0 else f"${value:,.2f}"


def day(value: date) -> str:
    """Format a date as `5 December 2026`."""
    return f"{value.day} {value:%B %Y}"


def _tidy_lines(text: str) -> str:
    """Remove repeated blank lines, and those at both ends."""
    lines = [each.rstrip() for each in text.strip().split("\n")]
    return "\n".join(a for i, a in enumerate(lines) if a or (i and lines[i - 1])) + "\n"
