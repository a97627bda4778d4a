"""Hold the contests of every route and of all timed work, on each database and kind of worker (`make fair`).

`make fair ARGS=--write` puts the table and the picture of this run into docs/reliability.md and docs/fairness.svg. All
contests take about an hour: with `--keep FILE`, a run goes on after the contests that are in the file and were won.
"""

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

sys.path += [str(Path(__file__).parent), str(Path(__file__).parents[1] / "bench")]
import msgspec
import telling
import timed
from contest import ALONE_EVERY, DATABASES, HEADING, QUICK, WORKER_CLASSES, Outcome, contest, prepare
from noise import Sizes

TIMED = "timed work"


class Kept:
    """The contests that were won, by database, kind of worker and noise, and the file that they are written to."""

    def __init__(self, path: Path | None) -> None:
        self._path = path
        lines = path.read_bytes().splitlines() if path and path.exists() else []
        read = msgspec.json.Decoder(Outcome, dec_hook=lambda _, answers: Counter(answers)).decode
        self._found = {self._key(each): each for each in map(read, lines)}

    def find(self, *key: str) -> Outcome | None:
        """Return a contest that was won in an earlier run."""
        return self._found.get(key)

    def add(self, outcome: Outcome) -> None:
        """Write down a contest if it was won."""
        if self._path and not outcome.faults:
            with self._path.open("ab") as file:
                file.write(msgspec.json.encode(outcome) + b"\n")

    def _key(self, outcome: Outcome) -> tuple[str, ...]:
        noise = TIMED if outcome.noise.startswith(f"{TIMED}:") else outcome.noise
        return outcome.database, outcome.worker_class, noise


def run(database: str, options: argparse.Namespace, kept: Kept) -> Iterator[Outcome]:
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
                    if outcome := kept.find(database, worker_class, noise):
                        yield outcome
                        continue
                    alone = alone if number % ALONE_EVERY else one.alone()
                    outcome = one.hold(noise, alone)
                    kept.add(outcome)
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
    parser.add_argument("--keep", type=Path, metavar="FILE", help="go on after the contests won in it, and add to it")
    options = parser.parse_args()
    outcomes, kept = [], Kept(options.keep)
    for database in [options.database] if options.database else DATABASES:
        for worker_class in [options.worker_class] if options.worker_class else WORKER_CLASSES:
            if options.only in "timed":
                if (outcome := kept.find(database, worker_class, TIMED)) is None:
                    outcome = timed.hold(database, worker_class, timed.Amounts())
                    kept.add(outcome)
                outcomes.append(outcome)
        if options.only != "timed":
            outcomes += run(database, options, kept)
    print(f"\n{telling.table(outcomes)}")
    if options.write:
        telling.write(outcomes)
    sys.exit(any(outcome.faults for outcome in outcomes))


if __name__ == "__main__":
    main()
