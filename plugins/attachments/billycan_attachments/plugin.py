"""Attachments: files that belong to records of any plugin, such as the receipt of an expense."""

from billycan import App, Context, Deleted, Every, Manifest, Records, Route, hookimpl

from . import handlers as h
from . import stored_files
from .owners import attachments_of_own, check_any
from .rules import MOST_BYTES
from .schemas import Attachment
from .settings import Settings
from .storage import Folder, storage_of
from .tables import attachments, leftovers, used, waiting


def doctor(app: App) -> str:
    """Describe the place of the bytes. Raise OSError if nothing can be stored there."""
    storage = storage_of(app)
    is_alone = isinstance(storage, Folder) and not app.db.is_sqlite
    return f"kept {storage.check()}{', on this host alone unless hosts share that folder' if is_alone else ''}"


manifest = Manifest(
    name="attachments",
    settings=Settings,
    tables=(attachments, waiting, leftovers, used),
    events={"attachment.created": Attachment, "attachment.deleted": Deleted},
    routes=(
        Route("GET", "/v1/attachments", h.list_attachments, scope=None, authorize=check_any, own=True),
        Route(
            "POST",
            "/v1/attachments",
            h.add_attachment,
            scope=None,
            authorize=check_any,
            status=201,
            own=True,
            receive=h.receive,
            most_bytes=MOST_BYTES,
        ),
        Route("GET", "/v1/attachments/{id}", h.get_attachment, scope=None, authorize=check_any, own=True),
        Route(
            "GET", "/v1/attachments/{id}/content", h.get_attachment_content, scope=None, authorize=check_any, own=True
        ),
        Route("DELETE", "/v1/attachments/{id}", h.delete_attachment, scope=None, authorize=check_any, own=True),
    ),
    hears={"*.deleted": stored_files.remove_files_of, "contact.merged": stored_files.move_files},
    tasks=(
        Every(
            seconds=600,
            due=stored_files.leftover_files,
            run=stored_files.sweep_file,
            own_transactions=True,
            real_time=True,
        ),
        Every(seconds=600, due=stored_files.orphaned_attachments, run=stored_files.remove_orphan, real_time=True),
        Every(
            seconds=30,
            due=stored_files.unstored_files,
            run=stored_files.store_file,
            own_transactions=True,
            real_time=True,
        ),
    ),
    codes={
        "quota_exceeded": (422, "The business has no room left for a file of this size."),
        "too_many_attachments": (409, "The record has as many attachments as it can."),
    },
    doctor=doctor,
    offers=(
        Records.Own(prefix="att", ids=attachments_of_own, writes=True),
        Context.Emptied(stay=(leftovers,), remove=stored_files.remove_some),
        Manifest.Files(
            table=attachments,
            open=stored_files.open_stored,
            put=stored_files.put_stored,
            remove=stored_files.remove_stored,
        ),
    ),
)


@hookimpl
def startup(app: App) -> None:
    """Report wrong settings of the storage at the start, not at the first upload."""
    storage_of(app)
