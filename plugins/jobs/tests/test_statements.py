"""The plan by which PostgreSQL finds the jobs of a member of staff among many."""

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
