"""If the memory that processes share is full, each counts by itself, the cause is logged, and no process ends."""

import errno
import json
import os
import shutil
import subprocess
import sys

import pytest

from billycan.sharing import folder as counts
from billycan.sharing import limits
from billycan.testing import Client

CHILD = """
import json, logging, sys
from pathlib import Path
from billycan.sharing.folder import Counts
from billycan.sharing.folder import Epoch
from billycan.sharing.addresses import by_address
from billycan.sharing.limits import Limiter

folder, filler, found = Path(sys.argv[1]), Path(sys.argv[1]) / "filler", {}
logging.disable()

def fill():
    try:
        with filler.open("ab", buffering=0) as file:
            while file.write(b"x"):
                pass
    except OSError:
        pass

def taken(limiter, times, name="key", later=0):
    kinds = {True: 0, False: 0, "full": 0}
    for _ in range(times):
        try:
            kinds[limiter.take(name, 5000, 5000, 1_800_000_000.0 + later).allowed] += 1
        except OSError:
            kinds["full"] += 1
    return [*kinds.values()]

limiter, other, epoch, counts = Limiter(folder / "a"), Limiter(folder / "a"), Epoch(folder), Counts(folder)
roomy = Limiter(folder / "b")
found["before"], found["idle"] = taken(limiter, 10), taken(roomy, 1, "idle", -61)
fill()
before = epoch.read()
epoch.bump()
found["epoch"] = epoch.read() != before
found["full"] = taken(limiter, 1000), taken(other, 1000)
found["new key"] = taken(limiter, 1, "another")
few = Limiter(folder / "a", most_addresses=1)
found["addresses"] = [taken(few, 1, by_address("api", f"192.0.2.{i}")) for i in (1, 2)]
found["made room"] = taken(roomy, 1), taken(roomy, 1, "another")
late = Counts(folder)
late.add("GET", 200, 0.1)
counts.add("GET", 200, 0.1)
found["counted"] = sum(late.whole())
late.close()
filler.unlink()
found["after"] = taken(other, 3000), taken(limiter, 3000)
found["new key after"] = taken(limiter, 1, "another")
found["addresses after"] = [taken(few, 1, by_address("api", f"192.0.2.{i}")) for i in (1, 2)]
print(json.dumps(found))
"""


def test_a_full_folder_ends_no_process(tmp_path):
    program = f'mount -t tmpfs -o size=160k none {tmp_path} && exec {sys.executable} -c "$0" {tmp_path}'
    alone = ["unshare", "--mount", *([] if os.geteuid() == 0 else ["--map-root-user"]), "sh", "-c"]
    if (
        not shutil.which("unshare")
        or subprocess.run([*alone, f"mount -t tmpfs none {tmp_path}"], check=False).returncode
    ):
        pytest.skip("A full folder was NOT TESTED: no folder of a bounded size can be made here")
    done = subprocess.run([*alone, program, CHILD], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (done.returncode, done.stderr[-2000:])
    found = json.loads(done.stdout)
    (allowed, _, failed), elsewhere = found["full"]
    assert found["before"] == [10, 0, 0] and found["epoch"]
    assert 0 < allowed < 1000 and allowed + failed == 1000, "a page that is there is used up"
    assert elsewhere == [0, 0, 1000]
    assert found["new key"] == [0, 0, 1] and found["addresses"] == [[0, 0, 1]] * 2, "each is told of"
    assert found["made room"] == [[1, 0, 0], [0, 0, 1]], "what is idle makes room for one, at most once a second"
    assert found["counted"] == 2 + 100_000, "the process that came too late is missing, and no other"
    after = [sum(kinds) for kinds in zip(*found["after"], strict=True)]
    assert after == [5000 - 10 - allowed, 1000 + 10 + allowed, 0], "with room again, all that was counted is known"
    assert found["new key after"] == [1, 0, 0] and found["addresses after"] == [[1, 0, 0]] * 2


@pytest.fixture
def full(monkeypatch):
    """Have nothing more found room in the shared folder from now on."""

    def fail(*_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def start():
        monkeypatch.setattr(limits, "reserve_bytes", fail)
        monkeypatch.setattr(counts, "reserve_bytes", fail)

    return start


@pytest.mark.sqlite_alone
def test_each_process_counts_by_itself(make_app, full, caplog):
    client = Client(make_app("contacts"))
    full()
    app = make_app("contacts")
    late = Client(app, client.tenant_id, per_minute=4, per_second=4)
    assert "the metrics lack" in caplog.text and str(app.shared) in caplog.text
    caplog.clear()
    assert late.post("/v1/contacts", {"name": "Ada"})["data"]["name"] == "Ada"
    assert late.last.headers["X-RateLimit-Limit"] == "4" and late.last.headers["X-RateLimit-Remaining"] == "1"
    assert "rate limits cannot be shared" in caplog.text and "No space left on device" in caplog.text
    caplog.clear()
    late.get("/v1/contacts")
    late.refused(429, "rate_limited", "GET", "/v1/contacts")
    Client(app, client.tenant_id, per_minute=4, per_second=4).get("/v1/contacts")
    app.clock.move(seconds=30)
    late.get("/v1/contacts")
    assert not caplog.text, "told of once a minute"
    app.clock.move(seconds=31)
    late.get("/v1/contacts")
    assert "rate limits cannot be shared" in caplog.text
    assert app.counts.whole() is not None
    app.counts.close()
