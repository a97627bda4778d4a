"""The way to the collector: a thread sends spans there in batches, and no request waits for it."""

import logging
from collections.abc import Sequence

from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult

from .settings import Settings

log = logging.getLogger("billycan.telemetry")

MOST_WAITING = 2_048  # spans, in each process; then the oldest are dropped
_MOST_AT_ONCE = 512
_EVERY_SECONDS = 1.0
_PATIENCE_SECONDS, _CHECK_SECONDS = 5.0, 0.5
# What the libraries say of each batch would fill the log, and not in the form of other lines.
_libraries = logging.getLogger("opentelemetry")
_libraries.propagate = False
_libraries.addHandler(logging.NullHandler())


class Collector(SpanExporter):
    """Sends spans to the collector. Those that it does not take in time are dropped, and the log says so once."""

    def __init__(self, settings: Settings) -> None:
        self._exporter = _exporter_to(settings, _PATIENCE_SECONDS)
        self._is_away = False
        self.ends = False  # once the process stops, it waits for a collector that is away no further

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        if self.ends and self._is_away:
            return SpanExportResult.FAILURE
        result = self._exporter.export(spans)
        is_away = result is not SpanExportResult.SUCCESS
        if is_away and not self._is_away:
            log.warning("the collector of traces does not take them, so they are dropped until it does")
        if self._is_away and not is_away:
            log.warning("the collector of traces is back")
        self._is_away = is_away
        return result

    def shutdown(self) -> None:
        self._exporter.shutdown()  # type: ignore[no-untyped-call]

    def sending(self) -> BatchSpanProcessor:
        """Return what keeps spans until a thread of its own sends them here."""
        return BatchSpanProcessor(
            self,
            max_queue_size=MOST_WAITING,
            schedule_delay_millis=_EVERY_SECONDS * 1000,
            max_export_batch_size=_MOST_AT_ONCE,
            export_timeout_millis=_PATIENCE_SECONDS * 1000,
        )


def takes_traces(settings: Settings) -> bool:
    """Tell whether the collector answers as it should."""
    return _exporter_to(settings, _CHECK_SECONDS).export(()) is SpanExportResult.SUCCESS


def _exporter_to(settings: Settings, seconds: float) -> OTLPSpanExporter:
    headers = dict(header.split("=", 1) for header in settings.headers)
    return OTLPSpanExporter(settings.endpoint, headers=headers, timeout=seconds)
