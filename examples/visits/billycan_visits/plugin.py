"""Visits to a job's site, and plans of regular ones: two more members on every job."""

from billycan import Deleted, Every, Manifest, Route

from .announcing import announce_visit, to_announce
from .handlers import create_visit, delete_visit, get_visit, list_visits, update_visit
from .plans import forget_plan, keep_plan, plans_of
from .resource import Visit, visits
from .schemas import JobPlan, NewJobPlan, VisitDue
from .settings import Settings
from .tables import plans

manifest = Manifest(
    name="visits",
    requires=("jobs",),
    settings=Settings,
    tables=(visits.table, plans),
    events={
        "visit.created": Visit,
        "visit.updated": Visit,
        "visit.deleted": Deleted,
        "visit.due": VisitDue,
    },
    routes=(
        Route("GET", "/v1/visits", list_visits, scope="visits:read"),
        Route("POST", "/v1/visits", create_visit, scope="visits:write", status=201),
        Route("GET", "/v1/visits/{id}", get_visit, scope="visits:read"),
        Route("PATCH", "/v1/visits/{id}", update_visit, scope="visits:write"),
        Route("DELETE", "/v1/visits/{id}", delete_visit, scope="visits:write"),
    ),
    extends=(Manifest.Extends(path="/v1/jobs", shows=JobPlan, fill=plans_of, takes=NewJobPlan, keep=keep_plan),),
    hears={"job.deleted": forget_plan},
    tasks=(Every(seconds=60, due=to_announce, run=announce_visit),),
)
