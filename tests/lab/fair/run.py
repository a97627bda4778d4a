"""Hold the contests of every route and of all timed work, on each database and kind of worker (`make fair`).

`make fair ARGS=--write` puts the table and the picture of this run into docs/reliability.md and docs/fairness.svg.
"""

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1] / "bench")]
import telling
import timed
from contest import ALONE_EVERY, DATABASES, HEADING, QUICK, WORKER_CLASSES, Outcome, contest, prepare
from noise import Sizes


def run(database: str, options: argparse.Namespace) -> Iterator[Outcome]:
    """Hold the contests of one database."""
    with tempfile.TemporaryDirectory(prefix="billycan-fair-") as name:
        folder = Path(name) / "first"
        folder.mkdir()
        held = prepare(database, folder, QUICK if options.quick else Sizes(), options.only)
        for worker_class in [options.worker_class] if options.worker_class else WORKER_CLASSES:
            print(f"\n{database}, {worker_class}\n{HEADING}", flush=True)
            with contest(held, database, worker_class, options.seconds) as one:
                alone = one.alone()
                for number, noise in enumerate(held.noises, 1):
                    alone = alone if number % ALONE_EVERY else one.alone()
                    outcome = one.hold(noise, alone)
                    print(outcome, flush=True)
                    yield outcome


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=1.2, help="of each noise")
    parser.add_argument("--write", action="store_true", help="write the table and the picture of docs/reliability.md")
    parser.add_argument(
        "--only", default="", help="only routes with this in them, such as `POST /v1/quotes`, or `timed`"
    )
    parser.add_argument("--quick", action="store_true", help="with fewer records in lists and for actions")
    parser.add_argument("--database", choices=DATABASES, help="one of them only")
    parser.add_argument("--worker-class", choices=WORKER_CLASSES, help="one of them only")
    options = parser.parse_args()
    outcomes = []
    for database in [options.database] if options.database else DATABASES:
        for worker_class in [options.worker_class] if options.worker_class else WORKER_CLASSES:
            if options.only in "timed":
                outcomes.append(timed.hold(database, worker_class, timed.Amounts()))
        if options.only != "timed":
            outcomes += run(database, options)
    print(f"\n{telling.table(outcomes)}")
    if options.write:
        telling.write(outcomes)
    sys.exit(any(outcome.faults for outcome in outcomes))


if __name__ == "__main__":
    main()
