"""Tests of the SQL statements of requests: their number, and their plans for a business with 20,000 invoices."""

import json
from contextlib import contextmanager
from urllib.parse import quote

import pytest
import sqlalchemy as sa

from billycan.testing import Client
from billycan_contacts import resource
from billycan_invoices.tables import invoices

contacts = resource.contacts.table

MANY, CLIENTS = 20_000, 2_000  # tests/test_plans.py has 100,000
CASH = {"payment_method": "cash"}


@contextmanager
def recorded(app):
    """The statements sent while the block runs, with their parameters."""
    sent = []

    def note(connection, cursor, statement, parameters, context, many):
        if not statement.startswith("BEGIN"):
            sent.append((statement, parameters))

    engines = [app.db.writer] if app.db.is_sqlite else [app.db.writer, app.db.reader]  # on SQLite both are one
    for engine in engines:
        sa.event.listen(engine, "before_cursor_execute", note)
    try:
        yield sent
    finally:
        for engine in engines:
            sa.event.remove(engine, "before_cursor_execute", note)


# In addition, at most once a second: the key, the ceilings and standings of businesses and, for a read, the profile.
EXPECTED = {
    "list": 2,  # the page with its total, and the clients' names
    "list by cursor": 2,
    "list with lines": 4,  # their counts first, by which they are fetched in groups
    "list with payments": 4,
    "list of a status": 2,
    "search": 2,
    "get a draft": 3,  # the invoice, its client, its lines
    "get one that was sent": 3,  # the invoice, its lines, its payments
    "preview": 1,  # the client; the profile is known, as for any read
    "create": 7,  # the client, the profile, the number, the invoice, its lines, the event's number, the event
    "change": 8,  # before the transaction the invoice and its lines, in it the invoice, and as above
    "change lines": 10,
    "send": 9,  # the profile, the draft, its lines, its client, the invoice, its entry, and the events
    # The profile, the invoice twice, the payments' count, the payment, its allocation, its entry, and the events.
    "record a payment": 11,
    "pay": 11,
    "list of payments": 2,  # the page with its total, and what they settle
    "get a payment": 2,
    "draft a note": 11,  # the invoice and its notes twice, before the transaction and in it
    "issue a note": 22,  # of an invoice with two payments, both released and held back; each has an event
    "list of notes": 1,
    "get a note": 2,
}
# On PostgreSQL an event and a new record get their numbers in the statement that writes them; two events, as of `pay`,
# are numbered together. Before a change of lines, the business's turn is taken, since the invoice's job may hear of it.
ON_POSTGRESQL = {"create": 5, "change": 7, "change lines": 10, "send": 8, "record a payment": 9, "pay": 10}
# An invoice, its lines and its payments are read in one round trip, even for a draft, which has no payments.
ON_POSTGRESQL["get a draft"] = 4
ON_POSTGRESQL |= {"draft a note": 9, "issue a note": 23}
# On PostgreSQL the indexes of invoices and of contacts find the rows with the text.
ON_SQLITE = {"search": 4}


def test_each_request_takes_a_fixed_small_number_of_statements(make_app):
    app = make_app("contacts", "documents", "hosted", "invoices")
    client = Client(app)
    clients = [client.post("/v1/contacts", {"name": f"Client {i}"})["data"]["id"] for i in range(30)]
    line = {"description": "Labour", "unit_price": "95.00"}
    body = {"client_id": clients[0], "line_items": [line] * 5}
    made = [client.post("/v1/invoices", {**body, "client_id": id})["data"] for id in clients]
    path = f"/v1/invoices/{made[0]['id']}"
    cursor = client.get("/v1/invoices?per_page=25&sort=number")["pagination"]["next_cursor"]
    paid, drafted = [], []
    note = {"invoice_id": made[0]["id"], "reason": "other", "full": True}
    calls = {
        "list": lambda: client.get("/v1/invoices"),
        "list by cursor": lambda: client.get(f"/v1/invoices?sort=number&cursor={cursor}"),
        "list with lines": lambda: client.get("/v1/invoices?include=line_items"),
        "list of a status": lambda: client.get("/v1/invoices?status=draft"),
        "search": lambda: client.get("/v1/invoices?search=client"),
        "get a draft": lambda: client.get(path),
        "preview": lambda: client.post("/v1/invoices/preview", body, 200),
        "create": lambda: client.post("/v1/invoices", body),
        "change": lambda: client.patch(path, {"notes": "x"}),
        "change lines": lambda: client.patch(path, {"line_items": [line]}),
        "send": lambda: client.post(f"{path}/send", status=200),
        "record a payment": lambda: paid.append(
            client.post(f"{path}/payments", {"amount": 1, **CASH})["data"]["payments"][0]["id"]
        ),
        "get one that was sent": lambda: client.get(path),
        "pay": lambda: client.post(f"{path}/pay", CASH, 200),
        "list with payments": lambda: client.get("/v1/invoices?include=payments&sort=number"),
        "draft a note": lambda: drafted.append(client.post("/v1/adjustment_notes", note)["data"]["id"]),
        "issue a note": lambda: client.post(f"/v1/adjustment_notes/{drafted[0]}/issue", status=200),
        "list of notes": lambda: client.get("/v1/adjustment_notes"),
        "get a note": lambda: client.get(f"/v1/adjustment_notes/{drafted[0]}"),
        "list of payments": lambda: client.get("/v1/payments"),
        "get a payment": lambda: client.get(f"/v1/payments/{paid[-1]}"),
    }
    counts = {}
    for name, call in calls.items():
        with recorded(app) as sent:
            call()
        reads = client.last.request.method == "GET" or name == "preview"
        cached = ("core_keys", "core_ceilings", "core_standings", *(["core_tenants"] if reads else []))
        counts[name] = sum(not any(table in statement for table in cached) for statement, _ in sent)
    assert counts == EXPECTED | (ON_SQLITE if app.db.is_sqlite else ON_POSTGRESQL)


FILL = """
INSERT INTO {table} ({columns})
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < {count})
SELECT {values} FROM {table} CROSS JOIN n WHERE {table}.id = :template
"""


def fill(db, table, template, count, **values):
    """Copy a row many times; `values` gives in SQL the columns that differ, `n.i` being the number of the copy."""
    columns = {column.name: values.get(column.name, f"{table.name}.{column.name}") for column in table.c}
    names, sources = ", ".join(columns), ", ".join(columns.values())
    filled = FILL.format(table=table.name, columns=names, values=sources, count=count)
    db.execute(sa.text(filled), {"template": template})


@pytest.fixture
def busy(make_app):
    """A business with 20,000 invoices: most of them paid, the newest first, for 2,000 clients."""
    app = make_app("contacts", "documents", "hosted", "invoices", fresh=True, walled=False)
    client = Client(app)
    contact_id = client.post("/v1/contacts", {"name": "Client"})["data"]["id"]
    body = {"client_id": contact_id, "line_items": [{"description": "Labour", "unit_price": "95.00"}]}
    made = client.post("/v1/invoices", body)["data"]
    client.post(f"/v1/invoices/{made['id']}/send", status=200)
    if app.db.is_sqlite:
        earlier = "strftime('%Y-%m-%d %H:%M:%S', invoices.created_at, (-n.i) || ' seconds') || '.000000'"
        due = "date(invoices.due_date, (n.i % 365 - 180) || ' days')"
    else:
        earlier, due = "invoices.created_at - n.i * interval '1 second'", "invoices.due_date + (n.i % 365 - 180)"
    name = f"'client ' || (1 + n.i % {CLIENTS})"
    with app.db.writing() as db:
        db.execution_options(billycan_unhurried=True)
        if not app.db.is_sqlite:
            db.exec_driver_sql("SET LOCAL statement_timeout = 0; SET LOCAL session_replication_role = replica")
        folded = "'client ' || n.i"
        ids = {"id": "'con_' || (1000000 + n.i)", "name": folded, "name_folded": folded, "search_text": folded}
        fill(db, contacts, contact_id, CLIENTS, **ids)
        fill(
            db,
            invoices,
            made["id"],
            MANY,
            id="'inv_' || (1000000 + n.i)",
            number="'INV-' || (1000000 + n.i)",
            sequence="1000000 + n.i",
            client_id=f"'con_' || (1000001 + n.i % {CLIENTS})",
            client_name=name,
            status="CASE n.i % 20 WHEN 0 THEN 'draft' WHEN 1 THEN 'sent' WHEN 2 THEN 'partially_paid' ELSE 'paid' END",
            search_text=f"'inv-' || (1000000 + n.i) || ' ' || {name} || ' job ' || (n.i * 7919 % 99991)",
            created_at=earlier,
            due_date=due,
        )
        db.execute(sa.text(f"UPDATE core_counters SET live = {MANY + 1} WHERE name = 'invoices'"))
    if not app.db.is_sqlite:
        with app.db.reader.connect() as db:
            db.exec_driver_sql("VACUUM ANALYZE")  # as autovacuum does in time
    return client


def statements(client, query):
    """Return the statements of a list of invoices that read the invoices' table."""
    with recorded(client.app) as sent:
        client.get(f"/v1/invoices{query}")
    return [(statement, parameters) for statement, parameters in sent if "FROM invoices" in statement]


def steps(client, statement, parameters):
    """The steps of a statement's plan: what each does, and to which table."""
    with client.app.db.reading() as db:
        if client.app.db.is_sqlite:
            plan = [row.detail for row in db.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)]
            return [(text, next((t for t in ("invoices", "contacts") if f" {t}" in text), "")) for text in plan]
        (plan,) = db.exec_driver_sql(f"EXPLAIN (FORMAT JSON) {statement}", parameters).scalar_one()
    found, nodes = [], [plan["Plan"]]
    while nodes:
        node = nodes.pop()
        found.append((node["Node Type"], node.get("Relation Name", "")))
        nodes += node.get("Plans", [])
    return found


def cost(client, statement, parameters):
    """Return the cost of running a statement: PostgreSQL's blocks, or the instructions of SQLite's machine."""
    with client.app.db.reading() as db:
        if client.app.db.is_sqlite:
            ticks = []
            connection = db.connection.dbapi_connection
            connection.set_progress_handler(lambda: ticks.append(1), 1)
            db.exec_driver_sql(statement, parameters).all()
            connection.set_progress_handler(None, 1)
            return len(ticks)
        explain = f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {statement}"
        (plan,) = db.exec_driver_sql(explain, parameters).scalar_one()
    return plan["Plan"]["Shared Hit Blocks"] + plan["Plan"]["Shared Read Blocks"]


def test_lists_of_many_invoices_read_an_index_in_its_order(busy):
    second = busy.get("/v1/invoices")["pagination"]["next_cursor"]
    deep = busy.get(f"/v1/invoices?page={MANY * 9 // 10 // 25}")["pagination"]["next_cursor"]
    number = busy.get("/v1/invoices?sort=-number")["pagination"]["next_cursor"]
    in_order = (
        *("", f"?cursor={second}", f"?cursor={deep}", "?sort=number", f"?sort=-number&cursor={number}"),
        *("?sort=-due_date", "?sort=issue_date", "?status=draft", "?status=unpaid", "?client_id=con_1000077"),
    )
    by_index = ("?number=INV-1000077", "?external_id=x", "?status=overdue", "?due_date_to=2026-06-30")
    searches = tuple(f"?search={quote(text)}" for text in ("client 1977", "inv-1000077", "job 7919", "nobody"))
    for query in (*in_order, *by_index, *searches):
        sent = statements(busy, query)
        assert sent
        for statement, parameters in sent:
            plan = steps(busy, statement, parameters)
            for step, table in plan:
                read = table == "invoices" and (step == "Seq Scan" or step.startswith("SCAN"))
                assert not read, (query, plan)
                # The clients whose names match the search are few enough to be sorted with their invoices.
                assert query not in in_order or not ("Sort" in step or "TEMP B-TREE" in step), (query, plan)
    (first,), (last,) = statements(busy, f"?cursor={second}"), statements(busy, f"?cursor={deep}")
    assert json.loads(busy.last.text)["data"][0]["id"] == f"inv_{1_000_000 + MANY * 9 // 10}"
    early, late = cost(busy, *first), cost(busy, *last)
    assert late <= early + 5, (early, late)
