"""`make hosts`: a day of business on ten hosts while each is killed, frozen and cut off, for docs/reliability.md.

ARGS="--short" has the faults of the short form, and ARGS="--seconds 10" lets each last longer.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import day
import machines


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--short", action="store_true", help="seven faults")
    parser.add_argument("--seconds", type=float, default=3.0, help="how long a host is frozen or cut off")
    parser.add_argument("--host", choices=machines.NAMES, help="only the faults of this one")
    given = parser.parse_args()
    if lacking := machines.missing():
        parser.error(f"this needs {lacking}")
    faults = [each for each in (day.SHORT if given.short else day.FAULTS) if given.host in (None, each[0])]
    found, told = day.live(faults, given.seconds)
    for each in told:
        print("{host} {is}: back after {back after} s".format(**each))
    for name, value in found.items():
        print(f"{name:>34}: {value}")
    day.must_hold(found)


if __name__ == "__main__":
    main()
