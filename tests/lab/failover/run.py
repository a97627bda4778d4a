"""`make failover`: kill the primary 20 times while three hosts with Patroni write, for docs/reliability.md.

ARGS="--kills 4" makes it shorter, and ARGS="--asynchronous" counts what is lost where a replica may lag.
"""

import argparse
import sys
from itertools import cycle, islice
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import cluster
import kills


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=20, help="half of them through HAProxy, half by addresses")
    parser.add_argument("--asynchronous", action="store_true", help="with replicas that are not waited for")
    given = parser.parse_args()
    if lacking := cluster.missing():
        parser.error(f"this needs {lacking}")
    for listed in (False, True):
        ways = list(islice(cycle(kills.WAYS), given.kills // 2))
        found = kills.live(ways, listed=listed, synchronous=not given.asynchronous, tell=print)
        print(f"{'through':>34}: {'target_session_attrs' if listed else 'HAProxy'}")
        for name, value in found.items():
            print(f"{name:>34}: {value}", flush=True)
        if not given.asynchronous:
            kills.must_hold(found)


if __name__ == "__main__":
    main()
