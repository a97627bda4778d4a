"""The text of `/-/metrics` in Prometheus' format: the requests of a host, and the gauges of plugins."""

from __future__ import annotations

import logging
from array import array
from collections.abc import Iterator
from importlib.metadata import version
from typing import TYPE_CHECKING

import sqlalchemy as sa

from ..db import reason
from ..fields import Moment
from ..manifest import Manifest
from ..sharing.folder import BOUNDS, BUCKETS, METHODS, MICROSECONDS, STATUSES
from ..starting import filling
from .disks import measure_disks

if TYPE_CHECKING:
    from ..app import App

log = logging.getLogger("billycan")
_FROM_NOUGHT = (500, 503)  # Prometheus sees no rise in what it has not seen before, so the first would alert nobody


def write_metrics(app: App) -> str:
    """Return the whole text."""
    return "\n".join([*_write_requests(app.counts.whole()), *_write_disks(app), *_write_gauges(app), ""])


def _write_requests(words: array[int]) -> Iterator[str]:
    yield "# HELP billycan_info The release of core that answers."
    yield "# TYPE billycan_info gauge"
    yield f'billycan_info{{version="{version("billycan-core")}"}} 1'
    yield "# HELP billycan_requests_total Requests answered on this host."
    yield "# TYPE billycan_requests_total counter"
    for place, number in enumerate(words[:BUCKETS]):
        method, status = METHODS[place // STATUSES], 100 + place % STATUSES
        if number or status in _FROM_NOUGHT:
            yield f'billycan_requests_total{{method="{method}",status="{status}"}} {number}'
    yield "# HELP billycan_request_seconds How long they took, from the head of a request to its answer."
    yield "# TYPE billycan_request_seconds histogram"
    below = 0
    for bound, number in zip((*BOUNDS, "+Inf"), words[BUCKETS:MICROSECONDS], strict=True):
        below += number
        yield f'billycan_request_seconds_bucket{{le="{bound}"}} {below}'
    yield f"billycan_request_seconds_sum {words[MICROSECONDS] / 1_000_000}"
    yield f"billycan_request_seconds_count {below}"


def _write_disks(app: App) -> Iterator[str]:
    yield "# HELP billycan_disk_free_bytes The free space where this host writes files."
    yield "# TYPE billycan_disk_free_bytes gauge"
    disks = [*measure_disks(app)]
    for disk in disks:
        yield f'billycan_disk_free_bytes{{use="{disk.use}"}} {disk.free}'
    yield "# HELP billycan_disk_short Whether somebody should make room there."
    yield "# TYPE billycan_disk_short gauge"
    for disk in disks:
        yield f'billycan_disk_short{{use="{disk.use}"}} {int(disk.is_short)}'


def _write_gauges(app: App) -> Iterator[str]:
    measured: list[str] = []
    try:
        with app.db.reading(across="gauges measure the whole deployment") as db:
            now = app.shared_now(db)
            gauges = [gauge for part in app.parts.values() for gauge in part.gauges]
            measured = [line for gauge in gauges for line in _measure_gauge(db, gauge, now)]
            measured += _write_fills([*filling.measure(db, app.manifests)])
        up = 1
    except sa.exc.SQLAlchemyError as error:
        # The request counts matter most while the database is away.
        log.warning("the database cannot be measured: %s", reason(error))
        up = 0
    yield "# HELP billycan_database_up Whether the database answered."
    yield "# TYPE billycan_database_up gauge"
    yield f"billycan_database_up {up}"
    yield from measured
    if up:
        yield from _write_read_only(app)
        yield from _write_replicas(app)


def _write_read_only(app: App) -> Iterator[str]:
    yield "# HELP billycan_read_only Whether nothing can be changed, because the operator maintains the deployment."
    yield "# TYPE billycan_read_only gauge"
    yield f"billycan_read_only {int(app.read_only is not None)}"


def _write_fills(found: list[filling.Progress]) -> Iterator[str]:
    if found:
        yield "# HELP billycan_fill_businesses_left Businesses with rows to fill after a migration."
        yield "# TYPE billycan_fill_businesses_left gauge"
    for each in found:
        yield f'billycan_fill_businesses_left{{version="{each.version}"}} {each.businesses - each.done}'


def _write_replicas(app: App) -> Iterator[str]:
    found = [*measure_replicas(app)]
    if not found:
        return
    yield "# HELP billycan_replica_up Whether a replica answers and follows the primary."
    yield "# TYPE billycan_replica_up gauge"
    for name, behind in found:
        yield f'billycan_replica_up{{replica="{name}"}} {int(isinstance(behind, int))}'
    yield "# HELP billycan_replica_behind_bytes How much of the primary's log a replica has not replayed."
    yield "# TYPE billycan_replica_behind_bytes gauge"
    for name, behind in found:
        if isinstance(behind, int):
            yield f'billycan_replica_behind_bytes{{replica="{name}"}} {behind}'


_NOT_READ = "does not follow this primary, or reads from replicas of other nodes"


def measure_replicas(app: App) -> Iterator[tuple[str, int | str]]:
    """Yield each replica's name, and by how many bytes it is behind, or what is wrong with it."""
    if app.db.replicas is None:
        return
    written = app.db.replicas.written()
    for replica in app.db.replicas:
        try:
            behind = replica.behind(written)
            yield replica.name, _NOT_READ if behind is None else max(behind, 0)
        except sa.exc.SQLAlchemyError as error:
            yield replica.name, reason(error)


def _measure_gauge(db: sa.Connection, gauge: Manifest.Gauge, now: Moment) -> Iterator[str]:
    yield f"# HELP {gauge.name} {gauge.help}"
    yield f"# TYPE {gauge.name} gauge"
    for value, number in sorted(gauge.read(db, now).items()):
        label = f'{{{gauge.label}="{value}"}}' if gauge.label else ""
        yield f"{gauge.name}{label} {number}"
