"""Writes and webhooks while the primary is killed again and again, and what came of them.

The writers, the receiver and most of the judgement are those of the crash runs.
"""

import importlib.util
import statistics
import sys
import time
from collections import Counter
from itertools import pairwise
from pathlib import Path

import cluster
import sqlalchemy as sa

HARNESS = Path(__file__).parents[1] / "crash" / "harness.py"
WAYS = ("PostgreSQL", "host")  # what is killed: it alone, or with it the Patroni that would tell the others
ACROSS = "a test looks at every row"
LAG_SECONDS = 0.5


def _harness():
    """Return the module of the crash runs."""
    name = "billycan_crash_harness"
    if name not in sys.modules:
        spec = importlib.util.spec_from_file_location(name, HARNESS)
        sys.modules[name] = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(sys.modules[name])
    return sys.modules[name]


def live(ways, *, listed=False, synchronous=True, rate=10.0, impatience=None, tell=lambda text: None):
    """Run once: load, kills, drain, judgement.

    listed: The app has the addresses of all hosts, and not HAProxy's.
    synchronous: Without it, the replicas get nothing for a moment before each kill, as behind a slow network.
    """
    harness, hosts = _harness(), cluster.Cluster(synchronous=synchronous)
    receiver, deployment, writers = harness.Receiver(failing=0.02), None, None
    try:
        url = (hosts.listed if listed else hosts.proxied).render_as_string(hide_password=False)
        # Leases as they are by default: longer than a failover takes.
        deployment = harness.Deployment("postgresql", url=url, lease=45)
        deployment.start()
        deployment.subscribe(receiver)
        workers = [worker.pid for worker in deployment.workers]
        began, writers, pauses = time.monotonic(), harness.Writers(deployment, rate), {way: [] for way in WAYS}
        for way in ways:
            hosts.until(hosts.is_whole)
            written = len(writers.times)
            hosts.until(lambda written=written: len(writers.times) >= written + rate)
            pauses[way].append(_kill_primary(hosts, writers, way, lags=not synchronous))
            tell(f"{way} killed: writes went on after {pauses[way][-1]:.1f} s")
        writers.finish()
        loaded = time.monotonic() - began
        deployment.app.db.dispose()
        drained = harness.drain(deployment, 900, impatience)
        with deployment.app.db.reading(across=ACROSS) as db:
            made = db.execute(sa.text("SELECT id, tenant_id, name FROM contacts")).all()
        kept, names = {row.id for row in made}, {(row.tenant_id, row.name) for row in made}
        gone = [id for _, id in writers.acknowledged if id not in kept]
        return {
            "primaries killed": dict(Counter(ways)),
            "seconds": round(loaded),
            **{f"no write for, {way}": _spread(found) for way, found in pauses.items() if found},
            "longest wait for an answer": round(writers.longest, 1),
            "acknowledged writes that are gone": len(gone),
            "done twice": len(made) - len(names),
            "workers that ended": len({*workers} - {w.pid for w in deployment.workers if w.poll() is None}),
            "drained after": f"{drained:.0f} s",
            **harness.judge(deployment, receiver, writers),
        }
    except BaseException:
        sys.stderr.write(hosts.said() + (deployment.said()[-4000:] if deployment else ""))
        raise
    finally:
        if writers:
            writers.finish()
        if deployment:
            deployment.close()
        receiver.close()
        hosts.close()


def _kill_primary(hosts, writers, way, *, lags):
    """Kill the primary and start it again once another has its place; return the longest time without a write."""
    primary = hosts.primary()
    if lags:
        hosts.hold_back(primary)
        time.sleep(LAG_SECONDS)
    killed = time.monotonic()
    hosts.kill(primary, patroni=way == "host")
    hosts.until(lambda: hosts.primary() not in (None, primary))
    since = len(writers.times)
    hosts.until(lambda: len(writers.times) >= since + len(writers.threads))
    if way == "host":
        hosts.start(primary)
    times = writers.times[:]
    return max(after - before for before, after in pairwise(times) if after > killed)


def _spread(found):
    return f"{min(found):.1f} to {max(found):.1f} s, median {statistics.median(found):.1f} s"


def must_hold(found):
    """Raise AssertionError unless all that must hold with synchronous replicas did."""
    for name in ("acknowledged writes that are gone", "done twice", "workers that ended"):
        assert found[name] == 0, f"{name}: {found}"
    assert found["longest wait for an answer"] < 25, found
    _harness().must_hold(found)
