"""Rows of an earlier release are brought over by the migrations: nothing is lost, and figures add up as new ones do."""

from datetime import UTC, date, datetime
from decimal import Decimal

import sqlalchemy as sa

from billycan import Cents, UTCDateTime
from billycan.businesses import create_tenants
from billycan.fields import Moment
from billycan.starting import migrate, versions
from billycan.tenants import Profile
from billycan.testing import Client, upgrade_to

D = Decimal
PLUGINS = ("contacts", "documents", "hosted", "invoices")
AT = datetime(2026, 6, 30, 13, 30, tzinfo=UTC)  # 23:30 in Hobart, 21:30 in Perth, the next day in Auckland
# Payments were parts of an invoice then.
OLD_PAYMENTS = sa.table(
    "invoices_payments",
    *(sa.column(name) for name in ("tenant_id", "id", "invoice_id", "payment_method", "status", "reverse_reason")),
    *(sa.column(name, Cents()) for name in ("amount", "cash_rounding")),
    *(sa.column(name, UTCDateTime) for name in ("paid_at", "created_at", "reversed_at")),
    sa.column("paid_on", sa.Date),
)


KINDS = ("invoice", "payment", "payment", "payment")


def insert(db, table, **values):
    """A row with the columns that the database has now, whatever the code declares."""
    found = {c["name"] for c in sa.inspect(db).get_columns(table.name)}
    light = sa.table(table.name, *(sa.column(c.name, c.type) for c in table.c if c.name in found))
    db.execute(sa.insert(light).values(values))


def check_ledger(app, tenant_id):
    """Every figure that an invoice shows is the sum of its entries in the ledger."""
    (entries,) = (table for table in app.manifests["invoices"].tables if table.name == "invoices_entries")
    with app.db.reading(tenant_id) as db:
        found = db.execute(sa.select(entries).where(entries.c.tenant_id == tenant_id)).all()
    shown = Client(app, tenant_id).get("/v1/invoices?per_page=100")["data"]
    assert {e.invoice_id for e in found} == {i["id"] for i in shown if i["status"] != "draft"}
    for invoice in shown:
        mine = [e for e in found if e.invoice_id == invoice["id"]]
        for name in ("paid", "credited", "written_off"):
            assert sum(getattr(e, name) for e in mine) == invoice[f"amount_{name}"]
        assert sum(e.cash_rounding for e in mine) == invoice["cash_rounding"]
        there = D(0) if invoice["status"] in ("void", "draft") else invoice["total"] - invoice["amount_credited"]
        assert sum(e.total for e in mine) == there
    return found


def test_invoices_payments_and_contacts_of_the_first_release(make_app):
    app = make_app(*PLUGINS, fresh=True, migrated=False)
    upgrade_to(app, contacts="contacts_0001", invoices="invoices_0001")
    (contacts,) = app.manifests["contacts"].tables
    invoices = app.manifests["invoices"].tables[0]
    kept = {"metadata": {}, "version": 1, "created_at": AT, "updated_at": AT}
    zones = ["Australia/Hobart", "Pacific/Auckland", "Australia/Perth"]
    with app.db.writing() as db:
        tenants = [
            create_tenants(db, Profile(name="Derwent", abn="47555222000", timezone=z), Moment.of(AT))[0] for z in zones
        ]
        for tenant in tenants:
            mine = {"tenant_id": tenant, **kept}
            for id, registered in (("con_a", False), ("con_b", True)):
                who = {"kind": "company", "roles": ["client"], "people": [], "tags": [], "status": "active"}
                names = {"name": id, "name_folded": id, "search_text": id}
                insert(db, contacts, id=id, gst_registered=registered, **who, **names, **mine)
            for i, (status, paid) in enumerate(
                [("written_off", D("30.00")), ("void", D("0.00")), ("paid", D("100.00"))]
            ):
                figures = {name: D("0.00") for name in ("discount_total", "gst")} | {
                    "subtotal": D("100.00"),
                    "total": D("100.00"),
                }
                terms = {"amounts_are": "exclusive", "gst_rounding": "total_invoice", "gst_breakdown": []}
                document = {
                    "document_title": "Invoice",
                    "client_name": "A",
                    "issue_date": AT.date(),
                    "due_date": AT.date(),
                }
                numbers = {"number": f"INV-{i:04d}", "sequence": i, "search_text": "", "sent_at": AT}
                values = figures | terms | document | numbers | mine
                insert(db, invoices, id=f"inv_{i}", client_id="con_a", status=status, amount_paid=paid, **values)
                if paid:
                    how = {"payment_method": "cash", "paid_at": AT, "status": "recorded", "created_at": AT}
                    insert(db, OLD_PAYMENTS, tenant_id=tenant, id=f"pay_{i}", invoice_id=f"inv_{i}", amount=paid, **how)
    migrate.upgrade(app.db, app.manifests)
    for tenant, on in zip(tenants, ("2026-06-30", "2026-07-01", "2026-06-30"), strict=True):
        client = Client(app, tenant)
        assert {c["id"]: c["gst_registered"] for c in client.get("/v1/contacts")["data"]} == {
            "con_a": None,
            "con_b": True,
        }
        off, void, paid = (client.get(f"/v1/invoices/inv_{i}")["data"] for i in range(3))
        assert (off["amount_written_off"], off["amount_due"], off["cash_rounding"]) == (D("70.00"), 0, 0)
        assert (void["amount_written_off"], void["amount_due"], void["total"]) == (0, 0, D("100.00"))
        assert off["written_off_on"] == str(AT.date())
        assert (paid["amount_written_off"], paid["amount_due"]) == (0, 0)
        (payment,) = (e for e in check_ledger(app, tenant) if e.payment_id == "pay_2")
        assert (payment.counts_on.isoformat(), payment.kind, payment.paid) == (on, "payment", 100)
        for invoice in (off, paid):
            (payment,) = invoice["payments"]
            assert (payment["paid_on"], payment["cash_rounding"]) == (on, 0)
    with app.db.writing(
        across="a test looks at every row"
    ) as db:  # and back, where a deployment returns to the earlier release
        for chain in versions.chains(app.manifests):
            if chain.name in ("contacts", "invoices"):
                migrate.undo(db, chain, f"{chain.name}_0001")
        assert db.execute(sa.text("SELECT count(*) FROM contacts WHERE gst_registered")).scalar() == 3


def test_payments_become_records_of_their_own(make_app):
    """Rows as the second release wrote them: whatever an invoice showed it shows again, to the cent."""
    app = make_app(*PLUGINS, fresh=True, migrated=False)
    upgrade_to(app, contacts="contacts_0002", invoices="invoices_0003")
    (contacts,) = app.manifests["contacts"].tables
    invoices = app.manifests["invoices"].tables[0]
    kept = {"metadata": {}, "version": 1, "created_at": AT, "updated_at": AT}
    # Status, what was paid, written off and rounded, and its payments: amount, rounding, status.
    rows = {
        "draft": ("0", "0", "0", []),
        "sent": ("0", "0", "0", [("40.00", "0", "reversed")]),
        "partially_paid": ("30.00", "0", "0", [("30.00", "0", "recorded"), ("5.00", "0", "reversed")]),
        "paid": ("100.05", "0", "-0.02", [("60.00", "0", "recorded"), ("40.05", "-0.02", "recorded")]),
        "written_off": ("30.00", "70.03", "0", [("30.00", "0", "recorded")]),
        "void": ("0", "0", "0", []),
    }
    with app.db.writing() as db:
        tenant, other = (
            create_tenants(db, Profile(name="Derwent", timezone="Australia/Hobart"), Moment.of(AT))[0] for _ in range(2)
        )
        mine = {"tenant_id": tenant, **kept}
        names = {"name": "Ada", "name_folded": "ada", "search_text": "ada"}
        who = {"kind": "company", "roles": ["client"], "people": [], "tags": [], "status": "active"}
        insert(db, contacts, id="con_a", **who, **names, **mine)
        for i, (status, (paid, off, rounding, payments)) in enumerate(rows.items()):
            figures = {"discount_total": D(0), "gst": D(0), "subtotal": D("100.03"), "total": D("100.03")}
            settled = {"amount_paid": D(paid), "amount_written_off": D(off), "cash_rounding": D(rounding)}
            terms = {"amounts_are": "exclusive", "gst_rounding": "total_invoice", "gst_breakdown": []}
            dates = {"issue_date": AT.date(), "due_date": AT.date(), "sent_at": None if status == "draft" else AT}
            dates |= {"written_off_at": AT if status == "written_off" else None}
            numbers = {"number": f"INV-{i:04d}", "sequence": i, "search_text": "", "document_title": "Invoice"}
            name = {"client_name": None if status == "draft" else "Ada as she was"}
            values = figures | settled | terms | dates | numbers | name | mine
            insert(db, invoices, id=f"inv_{i}", client_id="con_a", status=status, **values)
            for j, (amount, rounded, state) in enumerate(payments):
                gone = {"reversed_at": AT, "reverse_reason": "Bounced"} if state == "reversed" else {}
                how = {"payment_method": "cash", "paid_at": AT, "paid_on": AT.date(), "created_at": AT, **gone}
                sums = {"amount": D(amount), "cash_rounding": D(rounded), "status": state}
                ids = {"tenant_id": tenant, "id": f"pay_{i}{j}", "invoice_id": f"inv_{i}"}
                insert(db, OLD_PAYMENTS, **ids, **how, **sums)
    migrate.upgrade(app.db, app.manifests)
    client = Client(app, tenant)
    assert Client(app, other).get("/v1/payments")["pagination"]["total"] == 0
    for i, (status, (paid, off, rounding, payments)) in enumerate(rows.items()):
        shown = client.get(f"/v1/invoices/inv_{i}")["data"]
        assert (shown["status"], shown["amount_credited"]) == (status, 0)
        settled = [shown[name] for name in ("amount_paid", "amount_written_off", "cash_rounding")]
        assert settled == [D(paid), D(off), D(rounding)]
        assert shown["amount_due"] == (0 if status == "void" else D("100.03") - sum(settled))
        found = [(p["id"], p["amount"], p["cash_rounding"], p["status"]) for p in shown["payments"]]
        assert found == [(f"pay_{i}{j}", D(a), D(r), s) for j, (a, r, s) in enumerate(payments)]
    page = client.get("/v1/payments?sort=paid_at")
    assert page["pagination"]["total"] == len(page["data"]) == 6
    for payment in page["data"]:
        assert payment["amount"] == payment["allocated"] + payment["refunded"] + payment["unallocated"]
        assert payment["unallocated"] == 0 and payment["client"] == {"id": "con_a", "name": "Ada as she was"}
        assert (payment["invoice_id"], payment["paid_on"]) == (f"inv_{payment['id'][4]}", "2026-06-30")
        assert len(payment["allocations"]) == (payment["status"] == "recorded") == (payment["reversed_on"] is None)
    ledger = [(e.kind, e.paid, e.counts_on) for e in check_ledger(app, tenant) if e.invoice_id == "inv_2"]
    assert ledger == [(k, D(x), AT.date()) for k, x in zip(KINDS, ("0", "30.00", "5.00", "-5.00"), strict=True)]
    # What was so goes on: the next payment is counted, and an old one is reversed on its invoice.
    back = client.post("/v1/invoices/inv_4/payments/pay_40/reverse", {}, 200)["data"]
    assert (back["amount_written_off"], back["written_off_on"]) == (D("100.03"), "2026-06-30")
    client.post("/v1/invoices/inv_2/payments", {"amount": "70.03", "payment_method": "card"})
    assert client.get("/v1/payments")["pagination"]["total"] == 7
    check_ledger(app, tenant)


def test_expenses_of_before_are_paid_and_claimed_as_they_were(make_app):
    app = make_app("contacts", "expenses", fresh=True, migrated=False)
    upgrade_to(app, contacts="contacts_0002", expenses="expenses_0001")
    categories, _, expenses = app.manifests["expenses"].tables
    with app.db.writing() as db:
        profile = Profile(name="Derwent", gst_registered=True)
        tenant = create_tenants(db, profile, Moment.of(AT))[0]
        mine = {
            "tenant_id": tenant,
            "metadata": {},
            "version": 1,
            "created_at": AT,
            "updated_at": AT,
            "search_text": "",
        }
        insert(db, categories, id="cat_a", name="Fuel", name_folded="fuel", **mine)
        for id, day, held in (("exp_a", date(2019, 11, 3), True), ("exp_b", date(2020, 2, 29), False)):
            gst = {"gst_code": "gst", "gst": D("10.00"), "business_use_percent": D("100"), "tax_invoice_held": held}
            of = {"status": "recorded", "date": day, "amount": D("110.00"), "category_id": "cat_a", "billable": False}
            insert(db, expenses, id=id, **gst, **of, **mine)
    migrate.upgrade(app.db, app.manifests)
    shown = {one["id"]: one for one in Client(app, tenant).get("/v1/expenses")["data"]}
    (a, b) = (shown["exp_a"], shown["exp_b"])
    assert (a["paid_on"], a["tax_invoice_held_on"], a["tax_withheld"]) == ("2019-11-03", "2019-11-03", 0)
    assert (a["gst_breakdown"]["claim_status"], a["gst_breakdown"]["gst_claimable"]) == ("claimable", 10)
    changed = Client(app, tenant).patch("/v1/expenses/exp_a", {"reference": "R-1"})["data"]
    assert changed["gst_breakdown"] == a["gst_breakdown"]
    # Its tax invoice would come too late by now.
    assert (b["tax_invoice_held_on"], b["gst_breakdown"]["claim_status"]) == (None, "too_old")


def test_what_was_invoiced_of_quotes_and_jobs_stays_so(make_app):
    plugins = (*PLUGINS, "expenses", "jobs", "quotes")
    app = make_app(*plugins, fresh=True, migrated=False)
    before = {"invoices": "invoices_0006", "jobs": "jobs_0004", "quotes": "quotes_0004", "expenses": "expenses_0002"}
    upgrade_to(app, contacts="contacts_0002", **before)
    (contacts,), (invoices, invoice_lines, *_) = (app.manifests[name].tables for name in ("contacts", "invoices"))
    jobs, job_lines, links = app.manifests["jobs"].tables
    quotes, quote_lines = app.manifests["quotes"].tables[:2]
    old_links = sa.table(links.name, *(sa.column(name) for name in ("tenant_id", "id", "job_id", "bills")))
    kept = {"metadata": {}, "version": 1, "created_at": AT, "updated_at": AT, "search_text": ""}
    gst = {"gst_code": "gst", "rate": "10", "net": "100.00", "gst": "10.00"}
    document = {
        "amounts_are": "exclusive",
        "gst_rounding": "total_invoice",
        "gst_breakdown": [gst],
        "client_id": "con_a",
    }
    document |= {
        name: D(cents) for name, cents in (("subtotal", 100), ("discount_total", 0), ("gst", 10), ("total", 110))
    }
    line = {"description": "Labour", "quantity": D(1), "unit_price": D(100), "gst_code": "gst", "position": 0}
    line |= {"net": D(100), "gst": D(10), "total": D(110)}
    with app.db.writing() as db:
        tenant = create_tenants(db, Profile(name="Derwent", abn="47555222000", gst_registered=True), Moment.of(AT))[0]
        mine = {"tenant_id": tenant, **kept}
        who = {"kind": "company", "roles": ["client"], "people": [], "tags": [], "status": "active"}
        insert(db, contacts, id="con_a", name="Ada", name_folded="ada", **who, **mine)
        for i, status in enumerate(("sent", "void", "draft", "sent")):
            own = {"number": f"INV-{9000 + i}", "sequence": 9000 + i, "issue_date": AT.date(), "due_date": AT.date()}
            own |= {"document_title": "Tax invoice", "client_name": None if status == "draft" else "Ada"}
            names = {"job_id": f"job_{i}"} if i < 3 else {"quote_id": "quo_3"}
            settled = dict.fromkeys(("amount_paid", "amount_credited", "amount_written_off", "cash_rounding"), D(0))
            sent = {"sent_at": None if status == "draft" else AT}
            insert(db, invoices, id=f"inv_{i}", status=status, **own, **names, **settled, **sent, **document, **mine)
            insert(db, invoice_lines, tenant_id=tenant, id=f"lin_{i}", document_id=f"inv_{i}", **line)
        for i, bills in enumerate((True, False, False)):
            own = {"number": f"JOB-{i:04d}", "sequence": i, "title": "Fix", "title_folded": "fix", "status": "complete"}
            lists = {"assignee_ids": [], "checklist": [], "priority": "normal"}
            insert(db, jobs, id=f"job_{i}", **own, **lists, **document, **mine)
            insert(db, job_lines, tenant_id=tenant, id=f"lin_{i}", document_id=f"job_{i}", **line)
            row = {"tenant_id": tenant, "id": f"inv_{i}", "job_id": f"job_{i}", "bills": bills}
            db.execute(sa.insert(old_links).values(row))
        own = {"number": "QUO-0003", "sequence": 3, "status": "invoiced", "converted_to": "invoice", "revision": 1}
        own |= {"issue_date": AT.date(), "expiry_date": AT.date(), "link_edition": 1, "invoice_id": "inv_3"}
        insert(db, quotes, id="quo_3", client_name="Ada", sent_at=AT, **own, **document, **mine)
        insert(db, quote_lines, tenant_id=tenant, id="lin_3", document_id="quo_3", **line)
    migrate.upgrade(app.db, app.manifests)
    client = Client(app, tenant)
    paths = ("/v1/jobs/job_0", "/v1/jobs/job_1", "/v1/jobs/job_2", "/v1/quotes/quo_3")
    found = [client.get(path)["data"] for path in paths]
    assert [one["invoiced"]["invoiced"] for one in found] == [110, 0, 0, 110]
    assert [one["invoice_ids"] for one in found] == [[f"inv_{i}"] for i in range(4)]
    assert [one["total"] for one in client.get("/v1/invoices")["data"]] == [110] * 4
    client.refused(409, "already_invoiced", "POST", "/v1/jobs/job_0/invoice")
    assert client.post("/v1/jobs/job_2/invoice")["data"]["total"] == 110
    # What was invoiced before is credited and claimed again as anything is.
    note = {"invoice_id": "inv_3", "reason": "error", "line_items": [{"description": "Less", "unit_price": "30.00"}]}
    note = client.post("/v1/adjustment_notes", note)["data"]
    client.post(f"/v1/adjustment_notes/{note['id']}/issue", None, 200)
    rest = client.post("/v1/quotes/quo_3/convert", {"to": "invoice"})["data"]
    assert (rest["total"], rest["gst"]) == (33, 3)


def test_items_that_recurring_invoices_named_before_are_kept(make_app):
    app = make_app(*PLUGINS, "items", "recurring", fresh=True, migrated=False)
    upgrade_to(app, recurring="recurring_0001")
    (contacts,), (items,) = app.manifests["contacts"].tables, app.manifests["items"].tables
    recurring = app.manifests["recurring"].tables[0]
    kept = {"metadata": {}, "version": 1, "created_at": AT, "updated_at": AT, "search_text": ""}
    line = {"id": "lin_a", "quantity": "1", **dict.fromkeys(("description", "unit", "unit_price", "discount_percent"))}
    line |= dict.fromkeys(("discount_amount", "gst_code"))
    with app.db.writing() as db:
        tenant = create_tenants(db, Profile(name="Derwent", timezone="Australia/Hobart"), Moment.of(AT))[0]
        mine = {"tenant_id": tenant, **kept}
        who = {"kind": "company", "roles": ["client"], "people": [], "tags": [], "status": "active"}
        insert(db, contacts, id="con_a", name="Ada", name_folded="ada", **who, **mine)
        for id in ("itm_a", "itm_b"):
            priced = {"name": id, "name_folded": id, "unit_price": D(45), "active": True}
            insert(db, items, id=id, **priced, **mine)
        for i in range(205):  # more than the migration takes at a time
            status, named = ("ended", "itm_b") if i % 2 else ("active", "itm_a")
            lines = [{**line, "item_id": named}, {**line, "item_id": named}, {**line, "item_id": None}]
            when = {"frequency": "month", "start_on": AT.date(), "then": "draft", "pauses": [], "invoices_made": 0}
            of = {"client_id": "con_a", "status": status, "line_items": lines, "total": D(90)}
            insert(db, recurring, id=f"rec_{i:03d}", **when, **of, **mine)
    migrate.upgrade(app.db, app.manifests)
    client = Client(app, tenant)
    refused = client.refused(409, "has_dependents", "DELETE", "/v1/items/itm_a")
    assert refused["dependents"] == {"recurring_invoices": 103}
    client.delete("/v1/items/itm_b")
