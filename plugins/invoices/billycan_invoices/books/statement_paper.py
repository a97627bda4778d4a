"""Statements on paper: the amount a client owed, the changes, and the amount they owe now."""

from collections.abc import Iterator

from billycan import Context
from billycan.paper import Paper
from billycan_contacts import api as contacts
from billycan_hosted.api import brand_of, buyer, day, how_to_pay, money, seller

from .statement import get_statement
from .statement_schemas import Statement, StatementEntry, StatementQuery

_KINDS = {
    "invoice": "Invoice",
    "void": "Invoice voided",
    "adjustment_note": "Adjustment note",
    "adjustment_note_void": "Adjustment note voided",
    "payment": "Payment received, thank you",
    "cash_rounding": "Cash rounding",
    "reversal": "Payment reversed",
    "refund": "Refund",
    # Clients do not see that a debt was written off: they could take it for a gift, but still owe it.
    "write_off": "Adjustment",
    "recovery": "Adjustment reversed",
}
_COLUMNS = (
    Paper.Column(title="Date", kind="short"),
    Paper.Column(title="Details", kind="words"),
    Paper.Column(title="Amount"),
    Paper.Column(title="Balance"),
)


def statement_paper(ctx: Context, id: str, query: StatementQuery | None = None) -> Paper:
    """Return the statement of a contact, by default of the last 90 days."""
    statement = get_statement(ctx, id, query or StatementQuery())
    client_id = statement.client.id  # not the one asked for, if that was merged into another
    since, until = day(statement.since), day(statement.until)
    return Paper(
        noun="statement",
        title="Statement",
        filename=f"statement-{statement.since}-{statement.until}",
        dated=statement.until,
        is_sandbox=ctx.tenant.environment == "sandbox",
        seller=seller(ctx),
        buyer=buyer(ctx, client_id),
        client_id=client_id,
        email=contacts.emails(ctx, [client_id]).get(client_id) or "",
        facts=(("From", since), ("To", until)),
        key=_build_key(statement, until),
        columns=_COLUMNS,
        lines=(
            Paper.Line((since, "Opening balance", "", money(statement.opening))),
            *map(_build_line, statement.entries),
            Paper.Line((until, "Closing balance", "", money(statement.closing))),
        ),
        sums=tuple(_sums_by_age(statement)),
        pay=how_to_pay(ctx, "", statement.closing) if statement.closing > 0 else (),
        total=statement.closing,
        brand=brand_of(ctx),
    )


def _build_line(entry: StatementEntry) -> Paper.Line:
    what = f"{_KINDS[entry.kind]} {entry.number}" if entry.number else _KINDS[entry.kind]
    notes = (entry.reference,) if entry.reference else ()
    return Paper.Line((day(entry.date), what, money(entry.amount), money(entry.balance)), notes)


def _build_key(statement: Statement, until: str) -> Paper.Key:
    if statement.closing < 0:
        return Paper.Key("Your credit", money(-statement.closing), f"at {until}")
    return Paper.Key("Amount owed", money(statement.closing), f"at {until}")


def _sums_by_age(statement: Statement) -> Iterator[Paper.Sum]:
    """Yield the amounts owed by age, leaving out ages with nothing owed."""
    ages = {
        "Not yet due": statement.current,
        "1–30 days overdue": statement.days_1_30,
        "31–60 days overdue": statement.days_31_60,
        "61–90 days overdue": statement.days_61_90,
        "More than 90 days overdue": statement.days_over_90,
        "Less credit": -statement.credit,
    }
    for label, amount in ages.items():
        if amount:
            yield Paper.Sum(label, money(amount))
    yield Paper.Sum("Balance", money(statement.closing), "strong")
