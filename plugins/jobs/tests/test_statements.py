"""The plans by which the databases find the jobs of a member of staff, and those to invoice, among many."""

import pytest
import sqlalchemy as sa

from billycan.testing import Client
from billycan_jobs.tables import jobs

MANY, STAFF = 20_000, 500


def test_the_jobs_of_somebody_are_found_by_an_index(make_app, engine):
    if engine == "sqlite":
        pytest.skip("SQLite looks through the lists of one tenant")
    app = make_app("contacts", "documents", "jobs", "staff", fresh=True, walled=False)
    client = Client(app)
    contact_id = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    made = client.post("/v1/jobs", {"client_id": contact_id, "title": "Fix"})["data"]
    copied = {
        "id": "'job_' || (1000000 + n)",
        "number": "'JOB-' || (1000000 + n)",
        "sequence": "1000000 + n",
        "assignee_ids": f"jsonb_build_array('stf_' || mod(n, {STAFF}))",
        "created_at": "created_at - n * interval '1 second'",
    }
    columns = {column.name: copied.get(column.name, column.name) for column in jobs.c}
    fill = f"INSERT INTO jobs ({', '.join(columns)}) SELECT {', '.join(columns.values())} FROM jobs, "
    with app.db.writing() as db:
        db.exec_driver_sql(f"{fill} generate_series(1, {MANY}) n WHERE id = '{made['id']}'")
    with app.db.reader.connect() as db:
        db.exec_driver_sql("VACUUM ANALYZE jobs")
    sent = []

    def note(connection, cursor, statement, parameters, context, many):
        sent.append((statement, parameters))

    sa.event.listen(app.db.reader, "before_cursor_execute", note)
    found = client.get("/v1/jobs?assignee_id=stf_77&per_page=100")["data"]
    sa.event.remove(app.db.reader, "before_cursor_execute", note)
    assert len(found) == MANY // STAFF
    (asked,) = [(statement, parameters) for statement, parameters in sent if "@>" in statement]
    with app.db.reading() as db:
        plan = "\n".join(db.exec_driver_sql(f"EXPLAIN {asked[0]}", asked[1]).scalars())
    assert "ix_jobs_assignee_ids_search" in plan and "Seq Scan on jobs" not in plan, plan


def test_jobs_to_invoice_are_found_by_an_index_of_their_own(make_app, engine):
    app = make_app("contacts", "documents", "invoices", "hosted", "jobs", fresh=True, walled=False)
    client = Client(app)
    contact_id = client.post("/v1/contacts", {"name": "Ada"})["data"]["id"]
    line = {"description": "Work", "unit_price": "100.00"}
    made = client.post("/v1/jobs", {"client_id": contact_id, "title": "Fix", "line_items": [line]})["data"]
    client.post(f"/v1/jobs/{made['id']}/complete", status=200)
    if engine == "postgresql":  # SQLite goes by no statistics here
        copied = {
            "id": "'job_' || n",
            "number": "'JOB-' || (1000000 + n)",
            "sequence": "1000000 + n",
            "billed": "total",
        }
        columns = {column.name: copied.get(column.name, column.name) for column in jobs.c}
        with app.db.writing() as db:
            db.exec_driver_sql(
                f"INSERT INTO jobs ({', '.join(columns)}) SELECT {', '.join(columns.values())} FROM jobs,"
                f" generate_series(1, {MANY}) n WHERE id = '{made['id']}'"
            )
        with app.db.reader.connect() as db:
            db.exec_driver_sql("VACUUM ANALYZE jobs")
    sent, engine_asked = [], app.db.writer if app.db.is_sqlite else app.db.reader

    def note(connection, cursor, statement, parameters, context, many):
        sent.append((statement, parameters))

    sa.event.listen(engine_asked, "before_cursor_execute", note)
    found = client.get("/v1/jobs?to_invoice=true")
    sa.event.remove(engine_asked, "before_cursor_execute", note)
    assert [each["id"] for each in found["data"]] == [made["id"]] and found["pagination"]["total"] == 1
    asked = [each for each in sent if "coalesce(jobs.billed, 0)" in each[0]]
    assert asked
    explain = "EXPLAIN QUERY PLAN" if app.db.is_sqlite else "EXPLAIN"
    with app.db.reading() as db:
        for statement, parameters in asked:
            rows = db.exec_driver_sql(f"{explain} {statement}", parameters).all()
            plan = "\n".join(str(row[-1]) for row in rows)
            assert "ix_jobs_to_invoice" in plan, f"{statement}\n{plan}"
