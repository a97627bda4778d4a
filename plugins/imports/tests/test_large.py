"""A file as large as one may be: in and out in little memory, with progress, in one transaction at the end."""

import time
import tracemalloc

import pytest

from billycan.testing import Client, run_timed
from billycan_imports.reading import MOST_ROWS

pytestmark = pytest.mark.long
HEADER = "name,email,phone,tags,external_id,billing_address.suburb"
MOST_GROWTH = 24 * 1024 * 1024  # bytes; the file alone has 2 MiB, its records have 15


def file(rows):
    line = 'Client {0},client{0}@example.com,+61 491 570 156,"wholesale, north",crm-{0},Hobart'
    return "\n".join([HEADER, *(line.format(number) for number in range(rows))]).encode()


def test_twenty_thousand_rows_come_in_and_go_out_in_little_memory(make_app, capsys):
    app = make_app("contacts", "imports", "webhooks")
    client = Client(app, scopes=("read", "write"))
    content = file(MOST_ROWS)
    # tracemalloc.start()
    try:
        id = client.call("POST", "/v1/imports?resource=contacts", raw=content, status=202).json["data"]["id"]
        seen, started, took = [], time.perf_counter(), {}
        while not seen or seen[-1]["status"] not in ("done", "failed"):
            before = time.perf_counter()
            run_timed(app)
            found = client.get(f"/v1/imports/{id}")["data"]
            took[found["status"]] = took.get(found["status"], 0) + time.perf_counter() - before
            seen.append(found)
        print(took, time.perf_counter() - started, tracemalloc.get_traced_memory())
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert seen[-1]["status"] == "done", seen[-1]["faults"]
    checked = [each["rows_checked"] for each in seen]
    assert checked == sorted(checked) and len(set(checked)) >= 10
    assert seen[-1]["rows_imported"] == MOST_ROWS and most < MOST_GROWTH
    assert client.get("/v1/contacts?per_page=1")["pagination"]["total"] == MOST_ROWS
    assert client.get("/v1/events?event=contact.created&per_page=1")["pagination"]["total"] == MOST_ROWS
