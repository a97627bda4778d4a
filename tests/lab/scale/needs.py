"""The day of one business, and the arithmetic of what many businesses need, for docs/scale.md."""

import sys
from collections.abc import Iterator, Mapping
from html import escape
from math import ceil, log10
from pathlib import Path
from typing import Any

import msgspec

sys.path.append(str(Path(__file__).parents[1] / "bench"))
from curves import STYLE

DOCS = Path(__file__).parents[3] / "docs"
BEGIN, END = "<!-- Written by make scale: begin -->", "<!-- Written by make scale: end -->"

# A busy trade business of about five people that keeps its own software in step through the API: what it makes in a
# day and which actions follow, with their bodies, and how often it asks for what.
WRITES: Mapping[str, tuple[int, dict[str, dict[str, Any]]]] = {
    "contacts": (2, {}),
    "quotes": (4, {"send": {}}),
    "invoices": (8, {"send": {}, "pay": {"payment_method": "card"}}),
    "expenses": (3, {}),
}
READS: Mapping[str, int] = {
    "/v1/invoices": 60,
    "/v1/invoices/{id}": 120,
    "/v1/invoices?status=sent": 60,
    "/v1/contacts": 30,
    "/v1/contacts/{contact}": 30,
    "/v1/contacts?search=ada": 20,
    "/v1/quotes": 30,
    "/v1/expenses": 20,
    "/v1/reports/receivables": 2,
}
BUSINESSES = (1_000, 10_000, 100_000)
PEAK_HOUR = 0.15  # of a day's requests
PEAK_SECOND = 2.0  # the requests of the busiest seconds of that hour, of its mean
FULL = 0.6  # of a core: beyond it requests wait for each other noticeably
CONNECTIONS = 32  # that a process opens at most, with the default `pool_size`
REPLICATED = 0.2  # of a read's cost to the primary that is left with a replica (docs/performance.md)
# One host, as one rents it.
HOST_CORES, HOST_GIB, HOST_TIB, HOST_SESSIONS = 16, 64, 2, 400
# What is stored for a time, and then deleted.
LOGS = ("core_events", "webhooks_deliveries", "webhooks_attempts", "requests_log", "huey_task")
LOG_DAYS = 90  # the longest of them, and so a little more than they take
YEARS = 5  # that the law has a business keep its books


class Costs(msgspec.Struct):
    """A day of one business in numbers, and the CPU time, bytes and memory that it takes."""

    writes: float
    reads: float
    deliveries: float
    web_write_ms: float
    web_read_ms: float
    database_write_ms: float
    database_read_ms: float
    worker_delivery_ms: float
    kept_kib: float
    forgotten_kib: float
    logged_kib: float
    web_mib: float
    worker_mib: float


class Need(msgspec.Struct):
    """An amount that is needed of something, in its unit, and what one host has of it."""

    what: str
    amount: float
    unit: str
    host: float


def needs(costs: Costs, businesses: int) -> list[Need]:
    """Return what so many businesses need in their busiest seconds and, of disk, while books are kept."""
    a_second = businesses * PEAK_HOUR / 3600 * PEAK_SECOND  # days that are asked for in one second
    web = a_second * (costs.writes * costs.web_write_ms + costs.reads * costs.web_read_ms) / 1000 / FULL
    worker = a_second * costs.deliveries * costs.worker_delivery_ms / 1000 / FULL
    of_writes, of_reads = (
        a_second * calls * ms / 1000 / FULL
        for calls, ms in ((costs.writes, costs.database_write_ms), (costs.reads, costs.database_read_ms))
    )
    disk = businesses * (costs.kept_kib * 365 * YEARS + costs.forgotten_kib * LOG_DAYS)
    processes = ceil(web) + ceil(worker)
    return [
        Need("web processes", web, "cores", HOST_CORES),
        Need("workers", worker, "cores", HOST_CORES),
        Need("PostgreSQL", of_writes + of_reads, "cores", HOST_CORES),
        Need("PostgreSQL beside replicas", of_writes + of_reads * REPLICATED, "cores", HOST_CORES),
        Need("sessions without a pooler", processes * CONNECTIONS, "sessions", HOST_SESSIONS),
        Need(
            "memory of the processes",
            (ceil(web) * costs.web_mib + ceil(worker) * costs.worker_mib) / 1024,
            "GiB",
            HOST_GIB,
        ),
        Need(f"disk of {YEARS} years", disk / 1024**3, "TiB", HOST_TIB),
    ]


def table(costs: Costs) -> str:
    """Write what a day costs and what so many businesses need, as two tables in Markdown."""
    return "\n".join([*_costs(costs), "", *_needs(costs)])


def _costs(c: Costs) -> Iterator[str]:
    yield "| One business's day | |"
    yield "|---|---|"
    yield f"| requests that write, that read; deliveries | {c.writes:.0f}, {c.reads:.0f}; {c.deliveries:.0f} |"
    yield f"| CPU time of the web process: a write, a read | {c.web_write_ms:.1f}, {c.web_read_ms:.1f} ms |"
    of_database = f"{c.database_write_ms:.1f}, {c.database_read_ms:.1f} ms"
    yield f"| CPU time of PostgreSQL: a write with its deliveries, a read | {of_database} |"
    yield f"| CPU time of a worker: a delivery | {c.worker_delivery_ms:.1f} ms |"
    yield f"| stored for good, for {LOG_DAYS} days at most | {c.kept_kib:.0f}, {c.forgotten_kib:.0f} KiB |"
    yield f"| written to PostgreSQL's log | {c.logged_kib:.0f} KiB |"
    yield f"| memory of a web process, of a worker | {c.web_mib:.0f}, {c.worker_mib:.0f} MiB |"


def _needs(costs: Costs) -> Iterator[str]:
    yield "| | " + " | ".join(f"{number:,}" for number in BUSINESSES) + " | one host has |"
    yield "|---" * (len(BUSINESSES) + 2) + "|"
    busiest = [number * PEAK_HOUR / 3600 * PEAK_SECOND * (costs.writes + costs.reads) for number in BUSINESSES]
    yield "| requests in the busiest second | " + " | ".join(f"{rate:,.0f}" for rate in busiest) + " | |"
    for rows in zip(*(needs(costs, number) for number in BUSINESSES), strict=True):
        amounts = (f"**{_number(n.amount)}**" if n.amount > n.host else _number(n.amount) for n in rows)
        yield f"| {rows[0].what}, {rows[0].unit} | " + " | ".join(amounts) + f" | {rows[0].host} |"


def _number(amount: float) -> str:
    return f"{amount:,.0f}" if amount >= 10 else f"{amount:.1f}" if amount >= 1 else f"{amount:.2f}"


WIDTH, LEFT, RIGHT, TOP, ROW = 720, 210, 690, 92, 62
LEAST, MOST = 0.001, 30.0  # of a host, from one side to the other
BAR = 12
COLOURS = ("hsl(190 50% 45%)", "hsl(40 75% 50%)", "hsl(10 65% 50%)")


def picture(costs: Costs) -> str:
    """Draw for each need how much of one host so many businesses take, by powers of ten."""

    def x(share: float) -> float:
        return LEFT + (RIGHT - LEFT) * log10(max(min(share, MOST), LEAST) / LEAST) / log10(MOST / LEAST)

    rows = [*zip(*(needs(costs, number) for number in BUSINESSES), strict=True)]
    high = TOP + ROW * len(rows)
    parts = []
    for share, says in ((0.001, "0.1 %"), (0.01, "1 %"), (0.1, "10 %"), (1.0, "one host"), (10.0, "ten")):
        parts.append(f'<path class="grid" d="M{x(share):.1f} {TOP - 8}V{high - 8}"/>')
        parts.append(f'<text class="soft" x="{x(share):.1f}" y="{high + 12}" text-anchor="middle">{says}</text>')
    for number, (businesses, colour) in enumerate(zip(BUSINESSES, COLOURS, strict=True)):
        parts.append(f'<rect x="{LEFT + number * 130}" y="48" width="12" height="12" fill="{colour}"/>')
        parts.append(f'<text class="soft" x="{LEFT + number * 130 + 18}" y="59">{businesses:,}</text>')
    for row, these in enumerate(rows):
        y = TOP + row * ROW
        parts.append(
            f'<text x="{LEFT - 12}" y="{y + 25}" font-size="13" text-anchor="end">{escape(these[0].what)}</text>'
        )
        for number, (need, colour) in enumerate(zip(these, COLOURS, strict=True)):
            wide = x(need.amount / need.host) - LEFT
            top = y + number * (BAR + 3)
            parts.append(
                f'<rect x="{LEFT}" y="{top}" width="{max(wide, 1):.1f}" height="{BAR}" rx="2" fill="{colour}"/>'
            )
    body = "\n  ".join(parts)
    title = "What so many businesses take of one host"
    return f"""<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high + 28}" role="img"
  font-family="system-ui, sans-serif" font-size="15">
  <title>{title}</title>
  <style>{STYLE}  </style>
  <rect class="paper" width="{WIDTH}" height="{high + 28}" rx="12"/>
  <text class="title" x="20" y="30">{title}</text>
  {body}
</svg>
"""


def write(costs: Costs, folder: Path = DOCS) -> None:
    """Put the tables and the picture into the docs."""
    (folder / "scale.svg").write_text(picture(costs), "utf-8")
    page = folder / "scale.md"
    before, _, rest = page.read_text("utf-8").partition(BEGIN)
    page.write_text(f"{before}{BEGIN}\n{table(costs)}\n{END}{rest.partition(END)[2]}", "utf-8")
