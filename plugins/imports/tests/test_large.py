"""A file as large as one may be, in and out: in little memory, with progress, and made in one short transaction."""

import csv
import io
import re
from pathlib import Path

import pytest

from billycan.testing import Client, holding
from billycan_imports.reading import MOST_ROWS
from billycan_imports.testing import finish_imports

pytestmark = pytest.mark.long
HEADER = "name,email,phone,tags,external_id,billing_address.suburb"
# PostgreSQL takes five times as long for each row, and a fifth of them shows as well what a row costs.
ROWS = {"sqlite": MOST_ROWS, "postgresql": MOST_ROWS // 5}
MOST_GROWTH_KIB = {"sqlite": 48 * 1024, "postgresql": 24 * 1024}  # all records at once would be several times that
STATUS = Path("/proc/self/status")


def file(rows):
    line = 'Client {0},client{0}@example.com,+61 491 570 156,"wholesale, north",crm-{0},Hobart'
    return "\n".join([HEADER, *(line.format(number) for number in range(rows))]).encode()


def finish(client, content):
    """Import a file; what the import showed after each step of the worker."""
    id = client.call("POST", "/v1/imports?resource=contacts", raw=content, status=202).json["data"]["id"]
    seen = [client.get(f"/v1/imports/{id}")["data"]]
    while seen[-1]["status"] not in ("done", "failed"):
        finish_imports(client.app, rounds=20)
        seen.append(client.get(f"/v1/imports/{id}")["data"])
    return seen


def kib(name):
    return int(re.search(rf"{name}:\s+(\d+) kB", STATUS.read_text("utf-8"))[1])


@pytest.mark.skipif(not STATUS.exists(), reason="how much memory was in use is asked of Linux")
def test_a_large_file_comes_in_and_goes_out_in_little_memory(make_app, engine, monkeypatch):
    monkeypatch.setattr(holding, "MOST_ROWS", 100_000)  # all become visible together, with what finds their texts
    if engine == "postgresql":
        # The last transaction hands the driver all rows, which takes seconds of CPU time: others do not wait for it.
        monkeypatch.setattr(holding, "MOST_CPU_SECONDS", 30)
    app = make_app("contacts", "imports", "webhooks")
    client = Client(app)
    finish(client, file(200))  # what is loaded once is not growth
    content = file(ROWS[engine]).replace(b"crm-", b"new-")
    Path("/proc/self/clear_refs").write_text("5", "utf-8")  # the peak is from now on
    before = kib("VmRSS")
    seen = finish(client, content)
    growth = kib("VmHWM") - before
    assert seen[-1]["status"] == "done", seen[-1]["faults"]
    assert growth < MOST_GROWTH_KIB[engine], f"{growth:,} KiB"
    checked = [each["rows_checked"] for each in seen]
    assert checked == sorted(checked) and len(set(checked)) > 10
    total = ROWS[engine] + 200
    assert client.get("/v1/contacts?per_page=1")["pagination"]["total"] == total
    assert client.get("/v1/events?event=contact.created&per_page=1")["pagination"]["total"] == total
    out = client.call("GET", "/v1/contacts", headers={"Accept": "text/csv"}, status=200).body.decode()
    assert len({row["external_id"] for row in csv.DictReader(io.StringIO(out))}) == total
