"""`make crash`: 200 kills on each database, then the latency without faults; prints the figures of docs/reliability.md.

ARGS="--kills 50 --engine sqlite --steady" makes it shorter.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import harness


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=200)
    parser.add_argument("--rate", type=float, default=20.0)
    parser.add_argument("--every", type=float, default=1.0)
    parser.add_argument("--engine", choices=("sqlite", "postgresql"))
    parser.add_argument("--url", default="", help="only the kills, on this empty database, such as that of a cluster")
    parser.add_argument("--steady", action="store_true", help="only the latency without faults")
    parser.add_argument("--redis", action="store_true", help="with a Redis for Huey, which is killed and started again")
    parser.add_argument("--seconds", type=float, default=20.0, help="of each turn of the latency")
    parser.add_argument("--rounds", type=int, default=3, help="how many turns alone, and beside troubled endpoints")
    parser.add_argument("--backlog", type=int, metavar="COUNT", help="only how fast a worker sends so many that wait")
    given = parser.parse_args()
    if given.url:
        found = harness.crash("that of --url", given.kills, given.rate, given.every, redis=given.redis, url=given.url)
        show(found)
        harness.must_hold(found)
        return
    engines = [given.engine] if given.engine else ["sqlite", "postgresql"]
    for engine in engines:
        if given.backlog:
            for endpoints in (8, 1):
                found = harness.backlog(engine, given.backlog, endpoints, redis=given.redis)
                show(found)
                harness.must_arrive({**found, "expected": given.backlog})
            continue
        if not given.steady:
            found = harness.crash(engine, given.kills, given.rate, given.every, redis=given.redis)
            show(found)
            harness.must_hold(found)
        found = harness.steady(engine, seconds=given.seconds, rounds=given.rounds, redis=given.redis)
        show(found)
        harness.must_arrive(found)


def show(found):
    for name, value in found.items():
        print(f"{name:>24}: {value:.3f}" if isinstance(value, float) else f"{name:>24}: {value}")
    print(flush=True)


if __name__ == "__main__":
    main()
