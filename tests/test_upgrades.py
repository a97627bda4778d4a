"""Rows of an earlier release are brought over by the migrations: nothing is lost, and figures add up as new ones do."""

from datetime import UTC, datetime
from decimal import Decimal

import sqlalchemy as sa

from billycan.fields import Moment
from billycan.starting import migrate
from billycan.starting.businesses import create_tenants
from billycan.tenants import Profile
from billycan.testing import Client, upgrade_to

D = Decimal
PLUGINS = ("contacts", "documents", "hosted", "invoices")
AT = datetime(2026, 6, 30, 13, 30, tzinfo=UTC)  # 23:30 in Hobart, 21:30 in Perth, the next day in Auckland


def insert(db, table, **values):
    """A row with the columns that the database has now, whatever the code declares."""
    found = {c["name"] for c in sa.inspect(db).get_columns(table.name)}
    light = sa.table(table.name, *(sa.column(c.name, c.type) for c in table.c if c.name in found))
    db.execute(sa.insert(light).values(values))


def test_invoices_payments_and_contacts_of_the_first_release(make_app):
    app = make_app(*PLUGINS, fresh=True, migrated=False)
    upgrade_to(app, contacts="contacts_0001", invoices="invoices_0001")
    (contacts,) = app.manifests["contacts"].tables
    invoices, _, payments = app.manifests["invoices"].tables
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
                    insert(db, payments, tenant_id=tenant, id=f"pay_{i}", invoice_id=f"inv_{i}", amount=paid, **how)
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
        assert (paid["amount_written_off"], paid["amount_due"]) == (0, 0)
        for invoice in (off, paid):
            (payment,) = invoice["payments"]
            assert (payment["paid_on"], payment["cash_rounding"]) == (on, 0)
    with app.db.writing(
        across="a test looks at every row"
    ) as db:  # and back, where a deployment returns to the earlier release
        for name, scripts in migrate._chains(app.manifests):
            if name in ("contacts", "invoices"):
                migrate._run(db, name, scripts, lambda rev, ctx, s=scripts, n=name: s._downgrade_revs(f"{n}_0001", rev))
        assert db.execute(sa.text("SELECT count(*) FROM contacts WHERE gst_registered")).scalar() == 3
