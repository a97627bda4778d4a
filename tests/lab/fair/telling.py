"""The results of `make fair` for docs/reliability.md: a table between two markers, and a picture."""

from collections import Counter
from collections.abc import Iterator, Sequence
from html import escape
from math import log10
from pathlib import Path
from typing import TYPE_CHECKING

from curves import STYLE

if TYPE_CHECKING:
    from contest import Outcome

DOCS = Path(__file__).parents[3] / "docs"
BEGIN, END = "<!-- Written by make fair: begin -->", "<!-- Written by make fair: end -->"
NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "GET": "read", "POST": "write"}
LEFT, RIGHT, TOP, HIGH, WIDTH = 210, 700, 84, 30, 720
LEAST, MOST = 0.5, 1000.0  # multiples, from one side to the other


def write(outcomes: Sequence["Outcome"], folder: Path = DOCS) -> None:
    """Put the table and the picture into the docs."""
    (folder / "fairness.svg").write_text(picture(outcomes), "utf-8")
    page = folder / "reliability.md"
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{table(outcomes)}\n{END}{rest.partition(END)[2]}", "utf-8")


def table(outcomes: Sequence["Outcome"]) -> str:
    """Write the worst results of each database and kind of worker, in Markdown."""
    titles = ("beside", "contests, lost", "worst median", "worst 99th percentile", "answers to the noise")
    lines = ["| | " + " | ".join(titles) + " |", "|---" * (len(titles) + 1) + "|"]
    for (database, worker_class, kind), these in grouped(outcomes).items():
        lost = sum(bool(each.faults) for each in these)
        worst = [
            max((times[i], what, each.noise) for each in these for what, times in each.times.items()) for i in (0, 1)
        ]
        shown = [
            f"{times:.{1 - i}f} x ({NAMES.get(what, what)}{_beside(noise)})"
            for i, (times, what, noise) in enumerate(worst)
        ]
        answers = Counter[str]()
        for each in these:
            answers.update(
                {f"{status[0]}xx" if status not in ("429",) else status: n for status, n in each.noisy.items()}
            )
        said = ", ".join(f"{status}: {n:,}" for status, n in sorted(answers.items()))
        name = f"{NAMES[database]}, {worker_class}"
        lines.append(f"| {name} | {kind} | {len(these)}, {lost} | {' | '.join(shown)} | {said or '-'} |")
    return "\n".join(lines)


def _beside(noise: str) -> str:
    return "" if noise.startswith("timed") else f", `{noise}`"


def grouped(outcomes: Sequence["Outcome"]) -> dict[tuple[str, str, str], list["Outcome"]]:
    """Group the outcomes by database, kind of worker and kind of noise."""
    found: dict[tuple[str, str, str], list[Outcome]] = {}
    for each in outcomes:
        kind = "timed work" if each.noise.startswith("timed") else "routes"
        found.setdefault((each.database, each.worker_class, kind), []).append(each)
    return found


def picture(outcomes: Sequence["Outcome"]) -> str:
    """Draw a dot for each contest: the times of a read and a write as multiples of those alone, by powers of ten."""
    groups = grouped(outcomes)
    rows = [
        (f"{NAMES[database]}, {worker_class}: {NAMES.get(what, what)}", [each.times[what] for each in these])
        for (database, worker_class, _), these in groups.items()
        for what in these[0].times
        if what in ("GET", "POST", "delivery")
    ]
    merged: dict[str, list[tuple[float, float]]] = {}
    for name, times in rows:
        merged.setdefault(name, []).extend(times)
    height = TOP + HIGH * len(merged) + 40
    body = "\n  ".join(_parts(merged))
    title = "What one business notices of another's flood, as multiples of what it has alone"
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img"
  font-family="system-ui, sans-serif" font-size="15">
  <title>{escape(title)}</title>
  <style>{STYLE}    .median {{ fill: #1f7a6d; opacity: .6 }} .p99 {{ fill: #c8772e; opacity: .35 }}
  </style>
  <rect class="paper" width="{WIDTH}" height="{height}" rx="12"/>
  <text class="title" x="20" y="30">{escape(title)}</text>
  {body}
</svg>
"""


def _parts(rows: dict[str, list[tuple[float, float]]]) -> Iterator[str]:
    yield '<circle class="median" cx="26" cy="52" r="5"/><text class="soft" x="36" y="56">median, at most 10 x</text>'
    yield '<circle class="p99" cx="186" cy="52" r="5"/>'
    yield '<text class="soft" x="196" y="56">99th percentile, at most 100 x</text>'
    bottom = TOP + HIGH * len(rows)
    for times in (1, 10, 100, 1000):
        yield f'<path class="grid" d="M{_x(times):.1f} {TOP - 6}V{bottom}"/>'
        anchor = "end" if times == MOST else "middle"
        yield f'<text class="soft" x="{_x(times):.1f}" y="{bottom + 20}" text-anchor="{anchor}">{times:,} x</text>'
    for number, (name, times) in enumerate(rows.items()):
        y = TOP + HIGH * number + HIGH / 2
        yield f'<text class="soft" x="{LEFT - 12}" y="{y + 4:.1f}" text-anchor="end">{escape(name)}</text>'
        for middle, most in times:
            yield f'<circle class="p99" cx="{_x(most):.1f}" cy="{y + 5:.1f}" r="3"/>'
            yield f'<circle class="median" cx="{_x(middle):.1f}" cy="{y - 5:.1f}" r="3"/>'


def _x(times: float) -> float:
    share = log10(min(max(times, LEAST), MOST) / LEAST) / log10(MOST / LEAST)
    return LEFT + (RIGHT - LEFT) * share
