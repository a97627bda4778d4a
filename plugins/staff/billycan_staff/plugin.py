"""Staff: the people who do the work, and when they work."""

from billycan import Deleted, Manifest, RecordPages, Records, Route

from . import handlers as h
from .api import signing_in_as
from .choosing import choose_person
from .demo import add_samples
from .resource import Staff, staff

manifest = Manifest(
    name="staff",
    tables=(staff.table,),
    events={"staff.created": Staff, "staff.updated": Staff, "staff.deleted": Deleted},
    routes=(
        Route("GET", "/v1/staff", h.list_staff, scope="staff:read"),
        Route("POST", "/v1/staff", h.create_staff, scope="staff:write", status=201),
        Route("GET", "/v1/staff/{id}", h.get_staff, scope="staff:read"),
        Route("PATCH", "/v1/staff/{id}", h.update_staff, scope="staff:write"),
        Route("DELETE", "/v1/staff/{id}", h.delete_staff, scope="staff:write"),
    ),
    records=(
        RecordPages(
            path="/v1/staff",
            empty="Staff take bookings and jobs. Their hours say when they can be booked.",
            one="member of staff",
            columns=("name", "email", "phone", "active"),
            labels={"timezone": "Time zone", "user_id": "Signs in as"},
            hints={
                "user_id": "Who sees this member's jobs and bookings as their own. Invite them under People first.",
                "timezone": "Such as Australia/Hobart. Leave it empty for the business's own.",
            },
            order=90,
        ),
    ),
    demo=add_samples,
    offers=(
        Records.Own(prefix="stf", ids=signing_in_as),
        RecordPages.Place(at="form.control", show=choose_person, paths=("/v1/staff",), members=("user_id",)),
    ),
)
