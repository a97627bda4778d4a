"""The floor: the same answers from the same SQL by hand, with only Falcon, sqlite3 or psycopg, and msgspec.

No keys, no limits, no events except the row that billycan writes, and no errors except 500. The X-Tenant header names
the tenant, and a cursor is not signed.
"""

import json
import os
import secrets
import sqlite3
import threading
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import falcon
import msgspec

DATABASE = os.environ["BENCH_DATABASE"]
MEMBERS = json.loads(os.environ["BENCH_MEMBERS"])
ON_SQLITE = not DATABASE.startswith("postgresql")
PER_PAGE = 25
encode = msgspec.json.Encoder(decimal_format="number").encode


class NewLine(msgspec.Struct):
    description: str
    unit_price: Decimal
    quantity: Decimal = Decimal(1)


class NewInvoice(msgspec.Struct):
    client_id: str
    line_items: list[NewLine]
    reference: str | None = None


decode = msgspec.json.Decoder(NewInvoice).decode
_idle: deque[Any] = deque()
_writing = threading.Lock()


def _connect() -> Any:
    if ON_SQLITE:
        connection = sqlite3.connect(DATABASE, isolation_level=None, check_same_thread=False)
        for pragma in ("journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=10000"):
            connection.execute(f"PRAGMA {pragma}")
        return connection
    import psycopg

    return psycopg.connect(DATABASE, autocommit=True, options="-c timezone=UTC -c jit=off")


@contextmanager
def reading() -> Iterator[Any]:
    connection = _idle.pop() if _idle else _connect()
    yield connection
    _idle.append(connection)


@contextmanager
def writing() -> Iterator[Any]:
    if ON_SQLITE:
        with _writing, reading() as db:
            db.execute("BEGIN IMMEDIATE")
            yield db
            db.execute("COMMIT")
    else:
        with reading() as db, db.transaction():
            yield db


def sql(text: str) -> str:
    return text if ON_SQLITE else text.replace("?", "%s")


# The members and their order are those of billycan's answers; what is not stored has its place kept by a NULL.
NOT_STORED = {
    *("client", "currency", "amount_due", "is_overdue", "tax_invoice", "hosted_url", "allowed_actions"),
    *("forfeited_gst", "line_items", "payments", "work", "less_invoiced"),
}
LISTED, SHOWN = (" ".join([*MEMBERS[name], "client_name", "client_abn"]) for name in ("listed", "shown"))
LINE = "id description quantity unit unit_price discount_percent discount_amount gst_code net gst total item_id"
PAYMENT, CONTACT = " ".join(MEMBERS["payment"]), " ".join(MEMBERS["contact"])
# A payment's members that are its allocation's, and the one that is not stored.
SETTLED_BY = {"invoice_id": "a.invoice_id", "amount": "a.amount", "cash_rounding": "a.cash_rounding"}
SETTLED_BY["allowed_actions"] = "NULL"
ACTIONS = {
    "draft": ["send", "pay", "duplicate"],
    "sent": ["payments", "pay", "void", "write_off", "duplicate"],
    "paid": ["duplicate"],
}


def columns(names: str) -> str:
    return ", ".join("NULL" if name in NOT_STORED else name for name in names.split())


def money(cents: int | None) -> Decimal | None:
    return None if cents is None else Decimal(cents).scaleb(-2)


def number(parts: int | None, places: int = 0) -> Decimal | None:
    """Convert ten-thousandths to a decimal without trailing zeros."""
    if parts is None:
        return None
    while places < 4 and parts % 10 ** (4 - places):
        places += 1
    return Decimal(parts // 10 ** (4 - places)).scaleb(-places)


def moment(value: Any) -> str | None:
    if value is None:
        return None
    text = value.replace(" ", "T") if ON_SQLITE else value.isoformat(timespec="microseconds")[:26]
    return (text[:19] if text.endswith("000000") else text[:23]) + "Z"


def loaded(value: Any) -> Any:
    return json.loads(value) if ON_SQLITE and value is not None else value


_profiles: dict[str, Any] = {}


def profile(db: Any, tenant: str) -> Any:
    if tenant not in _profiles:
        _profiles[tenant] = read_profile(db, tenant)
    return _profiles[tenant]


def read_profile(db: Any, tenant: str) -> Any:
    return loaded(db.execute(sql("SELECT profile FROM core_tenants WHERE id = ?"), (tenant,)).fetchone()[0])


def clients(db: Any, tenant: str, ids: Sequence[str]) -> dict[str, Any]:
    if not ids:
        return {}
    marks = ", ".join("?" * len(ids))
    wanted = "id, name, abn, billing_address, payment_terms_days"
    found = f"SELECT {wanted} FROM contacts WHERE tenant_id = ? AND id IN ({marks})"
    return {row[0]: row for row in db.execute(sql(found), (tenant, *ids)).fetchall()}


def invoices(db: Any, tenant: str, rows: Sequence[Any], names: str) -> list[dict[str, Any]]:
    seller = profile(db, tenant)
    today = datetime.now(ZoneInfo(seller["timezone"])).date()
    shown = [dict(zip(names.split(), row, strict=True)) for row in rows]
    parties = clients(db, tenant, list({s["client_id"] for s in shown if s["client_name"] is None}))
    for s in shown:
        name, abn = s.pop("client_name"), s.pop("client_abn")
        if name is None:
            _, name, abn, *_ = parties[s["client_id"]]
        total = s["total"]
        settled = s["amount_paid"] + s["amount_credited"] + s["amount_written_off"] + s["cash_rounding"]
        due_date = date.fromisoformat(s["due_date"]) if ON_SQLITE else s["due_date"]
        lacking = {
            "seller_name": not (seller["legal_name"] or seller["name"]),
            "seller_abn": not seller["abn"],
            "buyer_identity": total >= 100_000 and not (name or abn),
        }
        missing = [m for m, lacks in lacking.items() if lacks and s["document_title"] == "Tax invoice"]
        amounts = "discount_amount subtotal discount_total gst total amount_paid amount_credited amount_written_off"
        for column in (*amounts.split(), "cash_rounding", "deposits_applied"):
            s[column] = money(s[column])
        for column in ("sent_at", "paid_at", "voided_at", "written_off_at", "created_at", "updated_at"):
            s[column] = moment(s[column])
        s["discount_percent"] = number(s["discount_percent"])
        s["gst_breakdown"] = [
            {name: Decimal(text) if name in ("rate", "net", "gst") else text for name, text in code.items()}
            for code in loaded(s["gst_breakdown"])
        ]
        s["metadata"] = loaded(s["metadata"])
        s["client"] = {"id": s["client_id"], "name": name}
        s["currency"], s["hosted_url"] = "AUD", None
        s["amount_due"] = money(0 if s["status"] == "void" else total - settled)
        s["is_overdue"] = s["status"] in ("sent", "partially_paid") and due_date < today
        compliant = not missing if s["document_title"] == "Tax invoice" else None
        s["tax_invoice"] = {"compliant": compliant, "missing": missing}
        s["allowed_actions"] = ACTIONS[s["status"]]
    return shown


def line(row: Sequence[Any]) -> dict[str, Any]:
    id, description, quantity, unit, price, percent, amount, code, net, gst, total, item = row
    return {
        "id": id,
        "description": description,
        "quantity": number(quantity),
        "unit": unit,
        "unit_price": number(price, 2),
        "discount_percent": number(percent),
        "discount_amount": money(amount),
        "gst_code": code,
        "net": money(net),
        "gst": money(gst),
        "total": money(total),
        "item_id": item,
    }


def payment(row: Sequence[Any]) -> dict[str, Any]:
    shown = dict(zip(PAYMENT.split(), row, strict=True))
    shown["amount"], shown["cash_rounding"] = money(shown["amount"]), money(shown["cash_rounding"])
    shown["paid_on"] = str(shown["paid_on"])
    shown["allowed_actions"] = ["reverse"] if shown["status"] == "recorded" else []
    return shown | {name: moment(shown[name]) for name in ("paid_at", "created_at", "reversed_at")}


def contact(row: Sequence[Any]) -> dict[str, Any]:
    shown = dict(zip(CONTACT.split(), row, strict=True))
    for column in ("roles", "billing_address", "site_address", "people", "tags", "metadata"):
        shown[column] = loaded(shown[column])
    shown["created_at"], shown["updated_at"] = moment(shown["created_at"]), moment(shown["updated_at"])
    known = shown["gst_registered"]
    shown["gst_registered"] = None if known is None else bool(known)
    shown["contractor"] = bool(shown["contractor"])
    shown["allowed_actions"] = ["archive", "merge"]
    return shown


def page_of(
    db: Any, tenant: str, table: str, names: str, params: dict[str, str]
) -> tuple[list[Any], dict[str, Any] | None]:
    """Return the rows of a page, newest first, and its envelope's pagination."""
    where, given, page, offset = "tenant_id = ?", [tenant], int(params.get("page", 1)), ""
    cursor = params.get("cursor")
    if search := params.get("search"):
        where += " AND search_text LIKE ? ESCAPE '\\'"
        given.append(f"%{search}%")
        total, given = f"(SELECT count(*) FROM {table} WHERE {where})", given + given
    elif cursor:
        created_at, id, page, counted = json.loads(urlsafe_b64decode(cursor))
        where, total = where + " AND (created_at, id) < (?, ?)", int(counted)
        given += [created_at, id]
    else:
        total, given = "(SELECT live FROM core_counters WHERE tenant_id = ? AND name = ?)", [tenant, table, tenant]
    if page > 1 and not cursor:
        offset = f" OFFSET {(page - 1) * PER_PAGE}"
    order = f"ORDER BY created_at DESC, id DESC LIMIT {PER_PAGE + 1}{offset}"
    # A plan that PostgreSQL keeps for any text would read all rows of the tenant.
    anew = {"prepare": False} if search and not ON_SQLITE else {}
    select = f"SELECT {columns(names)}, {total} FROM {table} WHERE {where} {order}"
    rows = db.execute(sql(select), given, **anew).fetchall()
    total = rows[0][-1]
    more, rows = len(rows) > PER_PAGE, [row[:-1] for row in rows[:PER_PAGE]]

    def at(row: Sequence[Any], to: int) -> str:
        key = [row[names.split().index("created_at")], row[names.split().index("id")], to, total]
        return urlsafe_b64encode(json.dumps(key, default=str).encode()).decode()

    return rows, {
        "page": page,
        "per_page": PER_PAGE,
        "total": total,
        "has_more": more,
        "next_cursor": at(rows[-1], page + 1) if more else None,
        "prev_cursor": at(rows[0], page - 1) if page > 1 else None,
    }


def answer(resp: falcon.Response, data: Any, pagination: Any = None) -> None:
    resp.data = encode({"data": data, "pagination": pagination, "error": None})
    resp.content_type = falcon.MEDIA_JSON


class Contacts:
    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        with reading() as db:
            rows, pagination = page_of(db, req.get_header("X-Tenant"), "contacts", CONTACT, req.params)
        answer(resp, [contact(row) for row in rows], pagination)


class Invoices:
    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        tenant = req.get_header("X-Tenant")
        with reading() as db:
            rows, pagination = page_of(db, tenant, "invoices", LISTED, req.params)
            answer(resp, invoices(db, tenant, rows, LISTED), pagination)

    def on_post(self, req: falcon.Request, resp: falcon.Response) -> None:
        tenant, body = req.get_header("X-Tenant"), decode(req.bounded_stream.read())
        with writing() as db:
            shown = create(db, tenant, body)
            written = encode(shown).decode()
            sequence = advance_both(db, tenant, "core_events", "core_events.bytes", len(written.encode()))
            event = (tenant, new_id("evt"), sequence, "invoice.created", now(), written)
            db.execute(
                sql(
                    "INSERT INTO core_events (tenant_id, id, sequence, event, created_at, data) "
                    "VALUES (?, ?, ?, ?, ?, ?)"
                ),
                event,
            )
            answer(resp, shown)
        resp.status = 201


class Invoice:
    def on_get(self, req: falcon.Request, resp: falcon.Response, id: str) -> None:
        tenant = req.get_header("X-Tenant")
        found = f"SELECT {columns(SHOWN)} FROM invoices WHERE tenant_id = ? AND id = ?"
        of_it = f"SELECT {columns(LINE)} FROM invoices_lines WHERE tenant_id = ? AND document_id = ? ORDER BY position"
        settled_by = ", ".join(SETTLED_BY.get(name, f"p.{name}") for name in PAYMENT.split())
        paid = (
            f"SELECT {settled_by} FROM invoices_allocations a"
            " JOIN invoices_payments p ON p.tenant_id = a.tenant_id AND p.id = a.payment_id"
            " WHERE a.tenant_id = ? AND a.invoice_id = ? ORDER BY a.payment_id"
        )
        with reading() as db:
            row = db.execute(sql(found), (tenant, id)).fetchone()
            (shown,) = invoices(db, tenant, [row], SHOWN)
            shown["line_items"] = [line(r) for r in db.execute(sql(of_it), (tenant, id)).fetchall()]
            shown["payments"] = []
            if shown["status"] != "draft":
                shown["payments"] = [payment(r) for r in db.execute(sql(paid), (tenant, id)).fetchall()]
        answer(resp, shown)


def new_id(prefix: str) -> str:
    return f"{prefix}_{secrets.token_hex(13)}"


def now() -> Any:
    time = datetime.now(UTC)
    return time.strftime("%Y-%m-%d %H:%M:%S.") + f"{time.microsecond // 1000:03d}000" if ON_SQLITE else time


def advance(db: Any, tenant: str, name: str) -> int:
    given = (
        "INSERT INTO core_counters (tenant_id, name, number, live) VALUES (?, ?, 1, 1) ON CONFLICT (tenant_id, name) "
        "DO UPDATE SET number = core_counters.number + 1, live = core_counters.live + 1 RETURNING number"
    )
    return int(db.execute(sql(given), (tenant, name)).fetchone()[0])


def advance_both(db: Any, tenant: str, name: str, other: str, by: int) -> int:
    """Advance a counter by one, and another that sums up sizes; return the first one's number."""
    given = (
        "INSERT INTO core_counters (tenant_id, name, number, live) VALUES (?, ?, 1, 1), (?, ?, ?, ?) "
        "ON CONFLICT (tenant_id, name) DO UPDATE SET number = core_counters.number + excluded.number, "
        "live = core_counters.live + excluded.live RETURNING name, number"
    )
    rows = db.execute(sql(given), (tenant, name, tenant, other, by, by)).fetchall()
    return next(int(number) for found, number in rows if found == name)


def create(db: Any, tenant: str, body: NewInvoice) -> dict[str, Any]:
    """Create a draft with its lines; nets are multiples of ten cents, so that no cent is left to share out."""
    (client,) = clients(db, tenant, [body.client_id]).values()
    seller = read_profile(db, tenant)
    lines = []
    for new in body.line_items:
        net = int((new.quantity * new.unit_price * 100).to_integral_value())
        gst = net // 10
        quantity, price = int(new.quantity * 10_000), int(new.unit_price * 10_000)
        row = (new_id("lin"), new.description, quantity, None, price, None, None, "gst", net, gst, net + gst, None)
        lines.append(row)
    net, gst = sum(row[8] for row in lines), sum(row[9] for row in lines)
    code = {"gst_code": "gst", "rate": "10", "net": str(money(net)), "gst": str(money(gst))}
    sequence = advance(db, tenant, "invoices")
    today = datetime.now(ZoneInfo(seller["timezone"])).date()
    terms = seller["default_payment_terms_days"] if client[4] is None else client[4]
    due_date = today + timedelta(days=terms)
    number, text = f"INV-{sequence:04d}", json.dumps([code])
    values = {
        "tenant_id": tenant,
        "id": new_id("inv"),
        "number": number,
        "sequence": sequence,
        "client_id": body.client_id,
        "status": "draft",
        "issue_date": today.isoformat(),
        "due_date": due_date.isoformat(),
        "amounts_are": seller["amounts_are"],
        "gst_rounding": seller["gst_rounding"],
        "subtotal": net,
        "discount_total": 0,
        "gst": gst,
        "total": net + gst,
        "gst_breakdown": text,
        "document_title": "Tax invoice",
        "amount_paid": 0,
        "amount_credited": 0,
        "amount_written_off": 0,
        "cash_rounding": 0,
        "deposits_applied": 0,
        "reference": body.reference,
        "search_text": "\n".join(t.casefold() for t in (number, body.reference) if t),
        "metadata": "{}",
        "version": 1,
        "created_at": (at := now()),
        "updated_at": at,
    }
    marks = ", ".join("?" * len(values))
    insert = f"INSERT INTO invoices ({', '.join(values)}) VALUES ({marks}) RETURNING {columns(SHOWN)}"
    row = db.execute(sql(insert), list(values.values())).fetchone()
    insert = (
        f"INSERT INTO invoices_lines (tenant_id, document_id, position, {columns(LINE)}) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
    )
    many = [(tenant, values["id"], i, *line) for i, line in enumerate(lines)]
    (db if ON_SQLITE else db.cursor()).executemany(sql(insert), many)
    (shown,) = invoices(db, tenant, [row], SHOWN)
    return {**shown, "line_items": [line(row) for row in lines], "payments": []}


class Health:
    def on_get(self, req: falcon.Request, resp: falcon.Response) -> None:
        answer(resp, "ok")


application = falcon.App()
application.add_route("/-/health", Health())
application.add_route("/v1/contacts", Contacts())
application.add_route("/v1/invoices", Invoices())
application.add_route("/v1/invoices/{id}", Invoice())
