"""Imports: CSV files whose rows become records of any plugin that takes part, all of them or none."""

from billycan import Every, Manifest, RecordPages, Route

from . import drafts as d
from . import handlers as h
from .demo import add_samples
from .reading import MOST_BYTES
from .schemas import Import
from .stuck import QUEUE
from .tables import additions, chunks, imports, mappings, sources
from .working import expired_imports, forget_import, left_additions, longest_wait, remove_additions, run_imports

_PATH = "/v1/imports"

manifest = Manifest(
    name="imports",
    tables=(imports, chunks, sources, mappings, additions),
    events={"import.finished": Import, "import.failed": Import},
    routes=(
        Route("GET", _PATH, h.list_imports, scope="imports:read"),
        Route(
            "POST",
            _PATH,
            h.create_import,
            scope="imports:write",
            status=202,
            receive=h.receive,
            most_bytes=MOST_BYTES,
        ),
        Route("GET", f"{_PATH}/{{id}}", h.get_import, scope="imports:read"),
        Route("GET", f"{_PATH}/{{id}}/rows", d.list_import_rows, scope="imports:read"),
        Route("POST", f"{_PATH}/{{id}}/map", d.map_import, scope="imports:write"),
        Route("POST", f"{_PATH}/{{id}}/correct", d.correct_import, scope="imports:write"),
        Route("POST", f"{_PATH}/{{id}}/start", d.start_import, scope="imports:write"),
        Route("POST", f"{_PATH}/{{id}}/cancel", d.cancel_import, scope="imports:write"),
    ),
    records=(RecordPages(path=_PATH, hidden=True),),
    tasks=(
        Every(seconds=3600, due=d.old_drafts, run=d.cancel_old_draft, real_time=True),
        Every(seconds=3600, due=expired_imports, run=forget_import, real_time=True),
        Every(seconds=60, due=left_additions, run=remove_additions, real_time=True),
    ),
    workers=(run_imports,),
    gauges=(
        Manifest.Gauge(
            "imports_waiting_seconds",
            "How long ago the import that waits longest had its last step.",
            "",
            longest_wait,
            most=300,
            cure="start a worker, or another one: too many files are imported at once, or they have stopped",
        ),
    ),
    demo=add_samples,
    codes={
        "malformed_csv": (400, "The file cannot be read as CSV."),
        "too_many_corrections": (409, "Too many rows of the draft are corrected."),
        "too_many_imports": (409, "Too many imports are not finished yet."),
        "too_many_rows": (400, "The file has more rows than can be imported at once."),
    },
    offers=(QUEUE,),
)
