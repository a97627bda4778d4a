"""Custom fields: members that a business adds to the records of any resource, third parties' too."""

from billycan import App, Deleted, Every, Manifest, RecordPages, Route, hookimpl
from billycan.paper import Paper

from . import handlers as h
from .clearing import clear_values, to_clear
from .definitions import remove_values
from .extension import extends, facts_of, join_merged
from .schemas import CustomField
from .tables import clearings, fields, values
from .triggers import add_field, change_field, delete_field

_PATH = "/v1/custom_fields"

manifest = Manifest(
    name="custom_fields",
    tables=(fields.table, values, clearings),
    events={
        "custom_field.created": CustomField,
        "custom_field.updated": CustomField,
        "custom_field.deleted": Deleted,
    },
    routes=(
        Route("GET", _PATH, h.list_custom_fields, scope="custom_fields:read"),
        Route("POST", _PATH, h.create_custom_field, scope="custom_fields:write", status=201),
        Route("GET", f"{_PATH}/{{id}}", h.get_custom_field, scope="custom_fields:read"),
        Route("PATCH", f"{_PATH}/{{id}}", h.update_custom_field, scope="custom_fields:write"),
        Route("DELETE", f"{_PATH}/{{id}}", h.delete_custom_field, scope="custom_fields:write"),
    ),
    extends=(extends,),
    records=(
        RecordPages(
            path=_PATH,
            title="Custom fields",
            empty="Custom fields are members of your own on contacts, invoices and all other records.",
            columns=("label", "resource", "key", "type", "required", "on_document"),
            order=150,
        ),
    ),
    hears={"*.deleted": remove_values, "contact.merged": join_merged},
    tasks=(Every(seconds=10, run=clear_values, tenants=to_clear, real_time=True),),
    codes={
        "duplicate_custom_field": (409, "The resource has a custom field of this `key`."),
        "has_values": (409, "Records have values that would be removed: send `clear_values` if that is meant."),
        "too_many_custom_fields": (409, "The business has 200 custom fields."),
    },
    offers=(Paper.Facts(facts_of),),
)


@hookimpl
def startup(app: App) -> None:
    runs = {"created": add_field, "updated": change_field, "deleted": delete_field}
    for happened, run in runs.items():
        app.add_trigger(f"custom_field.{happened}", run)
