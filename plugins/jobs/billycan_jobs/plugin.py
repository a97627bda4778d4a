"""Jobs: work to do for a client, from open to complete and invoiced."""

from billycan import Deleted, Manifest, Route

from . import handlers as h
from . import record_pages
from .cards import by_status
from .demo import add_samples
from .documents import documents
from .neighbours import hears
from .own import owns
from .resource import Job
from .tables import invoiced, jobs, lines

manifest = Manifest(
    name="jobs",
    requires=("contacts", "documents"),
    uses=("staff", "invoices", "expenses"),
    tables=(jobs, lines, invoiced),
    events={
        "job.created": Job,
        "job.updated": Job,
        "job.scheduled": Job,
        "job.started": Job,
        "job.completed": Job,
        "job.cancelled": Job,
        "job.reopened": Job,
        "job.deleted": Deleted,
    },
    routes=(
        Route("GET", "/v1/jobs", h.list_jobs, scope="jobs:read"),
        Route("POST", "/v1/jobs", h.create_job, scope="jobs:write", status=201, prepare=documents.prepare_new),
        Route("GET", "/v1/jobs/{id}", h.get_job, scope="jobs:read"),
        Route("PATCH", "/v1/jobs/{id}", h.update_job, scope="jobs:write", prepare=h.prepare_update),
        Route("DELETE", "/v1/jobs/{id}", h.delete_job, scope="jobs:write"),
        Route("POST", "/v1/jobs/{id}/schedule", h.schedule_job, scope="jobs:write"),
        Route("POST", "/v1/jobs/{id}/start", h.start_job, scope="jobs:write"),
        Route("POST", "/v1/jobs/{id}/hold", h.hold_job, scope="jobs:write"),
        Route("POST", "/v1/jobs/{id}/resume", h.resume_job, scope="jobs:write"),
        Route("POST", "/v1/jobs/{id}/complete", h.complete_job, scope="jobs:write"),
        Route("POST", "/v1/jobs/{id}/cancel", h.cancel_job, scope="jobs:write"),
        Route("POST", "/v1/jobs/{id}/reopen", h.reopen_job, scope="jobs:write"),
        Route(
            "POST",
            "/v1/jobs/{id}/invoice",
            h.invoice_job,
            scope="jobs:write",
            status=201,
            needs=("invoices",),
            makes=("/v1/invoices/{id}",),
        ),
    ),
    records=(record_pages.jobs,),
    cards=(by_status,),
    hears=hears,
    demo=add_samples,
    codes={
        "checklist_incomplete": (409, "Something required on the checklist is not done; the message says what."),
    },
    offers=owns,
)
