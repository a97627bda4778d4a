"""How many statements a request sends, and how the databases run them on a tenant with 100,000 invoices."""

import re
from contextlib import contextmanager

import pytest
import sqlalchemy as sa

from billycan.testing import Client

MANY = 100_000
CLIENTS = 2_000


@contextmanager
def recorded(app):
    """The statements sent while the block runs, with their parameters."""
    sent = []

    def note(connection, cursor, statement, parameters, context, many):
        if not statement.startswith("BEGIN"):
            sent.append((statement, parameters))

    # On SQLite both are one engine.
    engines = [app.db.writer] if app.db.is_sqlite else [app.db.writer, app.db.reader]
    for engine in engines:
        sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        for engine in engines:
            sa.event.remove(engine, "before_cursor_execute", note)


def named(statements, *, writes):
    """Each statement as its verb and first table; a read may find the key and the profile in a cache of one second."""
    names = []
    for statement, _ in statements:
        verb, table = re.search(r"^(\w+).*?(?:FROM|INTO|UPDATE) (\w+)", "UPDATE " * statement.startswith("UPDATE") + statement, re.S).groups()
        names.append(f"{verb} {table}")
    return [name for name in names if writes or name not in ("SELECT core_tenants", "SELECT core_keys", "UPDATE core_keys")]


# How many -------------------------------------------------------------------------------------------------------------

EVENT = ["INSERT core_counters", "INSERT core_events"]
LOCKED = ["SELECT invoices", "SELECT core_tenants"]
EXPECTED = {
    "list": ["SELECT invoices", "SELECT core_counters", "SELECT contacts"],
}


def test_each_request_takes_a_fixed_small_number_of_statements(make_app):
    app = make_app("contacts", "gst", "invoices")
    client = Client(app)
    contacts = [client.post("/v1/contacts", {"name": f"Client {i}"})["data"]["id"] for i in range(30)]
    line = {"description": "Labour", "unit_price": "95.00"}
    body = {"client_id": contacts[0], "line_items": [line] * 5}
    made = [client.post("/v1/invoices", {**body, "client_id": id})["data"] for id in contacts]
    path = f"/v1/invoices/{made[0]['id']}"
    cursor = client.get("/v1/invoices")["pagination"]["next_cursor"]
    payment = {"amount": 1, "payment_method": "cash"}
    calls = {
        "list": lambda: client.get("/v1/invoices"),
        "cursor": lambda: client.get(f"/v1/invoices?cursor={cursor}"),
        "lines": lambda: client.get("/v1/invoices?include=line_items"),
        "search": lambda: client.get("/v1/invoices?search=client"),
        "status": lambda: client.get("/v1/invoices?status=overdue"),
        "get": lambda: client.get(path),
        "create": lambda: client.post("/v1/invoices", body),
        "preview": lambda: client.post("/v1/invoices/preview", body, 200),
        "change": lambda: client.patch(path, {"notes": "x"}),
        "lines changed": lambda: client.patch(path, {"line_items": [line]}),
        "send": lambda: client.post(f"{path}/send", status=200),
        "payments": lambda: client.post(f"{path}/payments", payment),
        "get sent": lambda: client.get(path),
        "pay": lambda: client.post(f"{path}/pay", {"payment_method": "cash"}, 200),
    }
    for name, call in calls.items():
        with recorded(app) as sent:
            call()
        print(name, named(sent, writes=client.last.request.method != "GET"))


# How --------------------------------------------------------------------------------------------------------------------

FILL = """
INSERT INTO {table} ({columns})
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
SELECT {values} FROM {table} CROSS JOIN n WHERE {table}.id = :id
"""


def fill(db, table, template, count, **values):
    """Copy a row many times; `values` are SQL of the columns that differ, `n.i` the number of the copy."""
    columns = {column.name: values.get(column.name, f"{table.name}.{column.name}") for column in table.c}
    statement = FILL.format(
        table=table.name, columns=", ".join(columns), values=", ".join(columns.values()), count=count
    )
    db.execute(sa.text(statement), {"id": template})


def test_x(make_app, engine):
    from billycan_contacts.tables import contacts
    from billycan_invoices.tables import invoices
    app = make_app("contacts", "gst", "invoices", fresh=True)
    client = Client(app)
    contact_id = client.post("/v1/contacts", {"name": "Client"})["data"]["id"]
    body = {"client_id": contact_id, "line_items": [{"description": "Labour", "unit_price": "95.00"}]}
    made = client.post("/v1/invoices", body)["data"]
    client.post(f"/v1/invoices/{made['id']}/send", status=200)
    sqlite = app.db.is_sqlite
    before = "strftime('%Y-%m-%d %H:%M:%S', invoices.created_at, '-' || n.i || ' seconds') || '.000000'" if sqlite else "invoices.created_at - n.i * interval '1 second'"
    later = "date(invoices.{0}, '+' || n.i % 365 || ' days')" if sqlite else "invoices.{0} + n.i % 365"
    with app.db.writing() as db:
        fill(db, contacts, contact_id, CLIENTS, id="'con_' || (1000000 + n.i)", name="'Client ' || n.i", name_folded="'client ' || n.i", search_text="'client ' || n.i")
        fill(db, invoices, made["id"], MANY, id="'inv_' || (1000000 + n.i)", number="'INV-' || (1000000 + n.i)", sequence="1000000 + n.i",
             client_id=f"'con_' || (1000001 + n.i % {CLIENTS})", client_name=f"'Client ' || (1 + n.i % {CLIENTS})",
             status="CASE n.i % 20 WHEN 0 THEN 'draft' WHEN 1 THEN 'sent' WHEN 2 THEN 'partially_paid' ELSE 'paid' END",
             created_at=before, issue_date=later.format("issue_date"), due_date=later.format("due_date"),
             search_text=f"'inv-' || (1000000 + n.i) || ' client ' || (1 + n.i % {CLIENTS}) || ' job ' || (n.i * 7919 % 99991)")
        db.execute(sa.text("UPDATE core_counters SET live = :n WHERE name = 'invoices'"), {"n": MANY + 1})
    if not sqlite:
        with app.db.reader.connect() as db:
            db.exec_driver_sql("VACUUM ANALYZE")
    deep = client.get("/v1/invoices?page=3600")["pagination"]["next_cursor"]
    second = client.get("/v1/invoices")["pagination"]["next_cursor"]
    for path in ("", f"?cursor={second}", f"?cursor={deep}", "?status=draft", "?status=sent", "?status=unpaid", "?status=overdue", "?client_id=con_1000077", "?sort=number", "?sort=-due_date",
                 "?sort=issue_date", "?search=client 1977", "?search=zzz", "?search=77", "?number=INV-1000077", "?external_id=x", "?search=client"):
        with recorded(app) as sent:
            import time
            t=time.time()
            client.get("/v1/invoices"+path.replace(" ", "%20"))
            t=time.time()-t
        print("\n##", path[:40], f"{t*1000:.1f} ms")
        for statement, parameters in sent:
            if "invoices" not in statement: continue
            with app.db.reading() as db:
                rows = db.exec_driver_sql(("EXPLAIN QUERY PLAN " if sqlite else "EXPLAIN (ANALYZE, BUFFERS, COSTS OFF) ") + statement, parameters).all()
            for row in rows:
                print("     ", row[-1])
            print("     --")
