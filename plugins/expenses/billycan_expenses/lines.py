"""The lines of an expense: worked out from what a client sends, stored, and shown."""

from collections.abc import Collection
from decimal import Decimal
from typing import Any

import sqlalchemy as sa

from billycan import Context, Fault, Invalid, Named, Patch, Row, RuleBroken, new_id, own
from billycan.sql import ByIds, Statement

from . import categories, rules
from .parts_schemas import ExpenseLine, NewExpenseLine
from .resource import NewExpense
from .tables import lines

COLUMNS = tuple(NewExpenseLine.__struct_fields__)
_MOST = Decimal("999999999.99")

_insertion = Statement.Insertion(lines, lines.c.keys())
BY_EXPENSE = ByIds(
    sa.select(lines.c.expense_id, *(lines.c[name] for name in COLUMNS)).order_by(lines.c.expense_id, lines.c.position),
    lines.c.expense_id,
)

Lines = list[dict[str, Any]]


def of_expense(ctx: Context, row: Row) -> Lines:
    """Return the stored lines of an expense, in order; no query if it has none."""
    if not row.line_count:
        return []
    return [{name: getattr(line, name) for name in COLUMNS} for line in BY_EXPENSE.all(ctx.db, ctx.tenant_id, [row.id])]


def show_line(line: Any, names: dict[str, str]) -> ExpenseLine:
    """Return a stored line as clients see it; `names` are those of the categories."""
    return ExpenseLine(
        line.id,
        line.category_id,
        Named(line.category_id, names[line.category_id]),
        line.amount,
        line.description,
        line.gst_code,
        line.gst,
        rules.plain_percent(line.business_use_percent),
        line.refunded_line_id,
    )


def let_gst_follow(body: Patch[NewExpense], stored: Lines) -> None:
    """Let the GST of each line that a patch changes follow its amount and code, unless the user entered it."""
    by_id = {line["id"]: line for line in stored}
    for part in body.sent.get("line_items") or ():
        line = by_id.get(part.get("id"))
        if line is None or _changes_any(part, line, "gst"):
            continue
        is_worked_out = line["gst"] == rules.default_gst(line["amount"], line["gst_code"])
        is_taxed = (part.get("gst_code") or line["gst_code"]) in rules.TAXABLE
        follows = is_worked_out or line["refunded_line_id"] or not is_taxed
        if follows and _changes_any(part, line, "amount", "gst_code", "refunded_line_id"):
            part["gst"] = None


def _changes_any(part: dict[str, Any], line: dict[str, Any], *names: str) -> bool:
    """Tell whether a patch of a line has another value for any of these members."""
    for name in names:
        before, sent = line[name], part.get(name, line[name])
        if isinstance(before, Decimal) and sent is not None:
            sent = Decimal(str(sent))
        if sent != before:
            return True
    return False


def work_out(ctx: Context, body: NewExpense, said: Collection[str], stored: Lines) -> Lines:
    """Give an expense what it has from its lines, and return the lines with the columns that are stored.

    `said` are the members of the expense that the client sent and that differ from the stored ones. Raise Invalid for
    all faults of the lines.
    """
    if not body.line_items:
        return []
    faults = [
        Fault(name, "invalid_value", "is worked out from line_items: leave it out")
        for name in rules.OF_THE_LINES
        if name in said
    ]
    left = {line["id"] for line in stored}
    defaults = categories.defaults_of_each(ctx, {line.category_id for line in body.line_items})
    made = []
    for i, line in enumerate(body.line_items):
        at = f"line_items[{i}]"
        if line.id is not None and line.id not in left:
            rule = "is not a line of this expense, or appears twice; leave it out"
            faults.append(Fault(f"{at}.id", "not_found", rule))
        left.discard(line.id or "")
        if line.category_id not in defaults:
            faults.append(Fault(f"{at}.category_id", "not_found", "there is no such record"))
            continue
        made.append(_with_terms(line, defaults[line.category_id]))
        is_required = body.import_gst or defaults[line.category_id].gst_required
        if line.gst is None and is_required and made[-1]["gst_code"] in rules.TAXABLE:
            rule = "is required here, because it is not 1/11 of the amount: enter what the document says"
            faults.append(Fault(f"{at}.gst", "required", rule))
        faults += _find_faults(at, made[-1], body)
    total = sum((line["amount"] for line in made), rules.NOTHING)
    if abs(total) > _MOST:
        faults.append(Fault("line_items", "out_of_range", f"must add up to at most {_MOST}"))
    if faults:
        raise Invalid.of(*faults)
    lead = made[rules.leading([(line["gst_code"], line["amount"]) for line in made])]
    body.amount, body.gst = total, sum((line["gst"] for line in made), rules.NOTHING)
    body.category_id, body.gst_code = lead["category_id"], lead["gst_code"]
    body.business_use_percent = lead["business_use_percent"]
    try:
        body.check_amount()
    except RuleBroken as broken:
        raise Invalid.member("line_items" if broken.at == "amount" else broken.at, broken.code, str(broken)) from None
    return made


def _with_terms(line: NewExpenseLine, defaults: categories.Defaults) -> dict[str, Any]:
    code = line.gst_code or defaults.gst_code
    use = defaults.business_use_percent if line.business_use_percent is None else line.business_use_percent
    gst = rules.default_gst(line.amount, code) if line.gst is None else line.gst
    columns = {name: getattr(line, name) for name in COLUMNS}
    return {**columns, "id": line.id or new_id("lin"), "gst_code": code, "gst": gst, "business_use_percent": use}


def _find_faults(at: str, line: dict[str, Any], body: NewExpense) -> list[Fault]:
    faults = []
    if not line["amount"]:
        faults.append(Fault(f"{at}.amount", "out_of_range", "must not be zero"))
    if body.refunded_expense_id is not None:
        return faults  # the GST of the purchase limits it
    if line["refunded_line_id"] is not None:
        rule = "is for what a supplier gives back: send refunded_expense_id too"
        faults.append(Fault(f"{at}.refunded_line_id", "invalid_value", rule))
    code, gst = line["gst_code"], line["gst"]
    if not rules.gst_fits(gst, line["amount"], code, import_gst=body.import_gst):
        faults.append(Fault(f"{at}.gst", "out_of_range", rules.gst_rule(code, import_gst=body.import_gst)))
    return faults


def figures(of: Lines, *besides: str) -> list[tuple[Any, ...]]:
    """Return what GST is worked out from, and these columns: whatever else changes, no label does."""
    names = ("amount", "gst_code", "gst", "business_use_percent", *besides)
    return [tuple(line[name] for name in names) for line in of]


def gst_for_business(made: Lines) -> Decimal | None:
    """Return the GST in the lines that is for business use, each line rounded; None without lines."""
    if not made:
        return None
    shares = (rules.claimable_part(line["gst"], line["business_use_percent"]) for line in made)
    return sum(shares, rules.NOTHING)


def insertion(ctx: Context, expense_id: str, made: Lines) -> list[Statement.Asked]:
    """Return the statements that insert the lines of an expense, for `at_once`."""
    rows = [{**line, "expense_id": expense_id, "position": i} for i, line in enumerate(made)]
    return [_insertion.asked(ctx.tenant_id, rows)] if rows else []


def replace(ctx: Context, expense_id: str, made: Lines) -> None:
    """Store these lines of an expense in place of those that it has."""
    ctx.db.execute(sa.delete(lines).where(own(ctx, lines), lines.c.expense_id == expense_id))
    for asked in insertion(ctx, expense_id, made):
        ctx.at_once(asked)
