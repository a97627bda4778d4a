"""Staff: the people who do the work, and when they work."""

from pathlib import Path

from billycan import Deleted, Manifest, Route

from .demo import add_samples
from .handlers import create_staff, delete_staff, get_staff, list_staff, update_staff
from .schemas import Staff
from .tables import staff

manifest = Manifest(
    name="staff",
    tables=(staff,),
    migrations=Path(__file__).parent / "migrations",
    events={"staff.created": Staff, "staff.updated": Staff, "staff.deleted": Deleted},
    routes=(
        Route("GET", "/v1/staff", list_staff, scope="staff:read"),
        Route("POST", "/v1/staff", create_staff, scope="staff:write", status=201),
        Route("GET", "/v1/staff/{id}", get_staff, scope="staff:read"),
        Route("PATCH", "/v1/staff/{id}", update_staff, scope="staff:write"),
        Route("DELETE", "/v1/staff/{id}", delete_staff, scope="staff:write"),
    ),
    demo=add_samples,
    examples=Path(__file__).parent / "examples.json",
)
