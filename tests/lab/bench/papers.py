"""The time that a PDF file takes, by the number of its document's lines: `make bench ARGS="--pdf"`."""

import statistics
import time
from collections.abc import Callable
from datetime import date

from billycan.paper import Paper
from billycan_pdf.rendering import render
from billycan_pdf.settings import Settings

ROUNDS = 10
COLUMNS = (Paper.Column(title="Description", kind="words"), Paper.Column(title="Quantity"), Paper.Column(title="Price"))


def run(tell: Callable[[str], None]) -> None:
    """Print the median, the longest time and the size of the files, after loading what is loaded once."""
    _made(1)
    for lines in (10, 100, 300, 1_500):
        tell(f"a PDF file of {lines:,} lines")
        taken, size = [], 0
        for _ in range(ROUNDS):
            start = time.perf_counter()
            size = len(_made(lines))
            taken.append((time.perf_counter() - start) * 1000)
        print(f"{lines:6,} lines: median {statistics.median(taken):,.0f} ms, most {max(taken):,.0f} ms, {size:,} bytes")


def _made(lines: int) -> bytes:
    cells = [Paper.Line((f"Item {i}: supplied and fitted", "2", "$145.00"), ("Includes GST",)) for i in range(lines)]
    paper = Paper(
        noun="invoice",
        title="Tax invoice",
        number="INV-0001",
        filename="INV-0001",
        dated=date(2026, 11, 23),
        seller=Paper.Party(name="Quollbrook Plumbing"),
        buyer=Paper.Party(name="Brindle Wren Cafe"),
        columns=COLUMNS,
        lines=tuple(cells),
    )
    return render(paper, None, None, Settings())
