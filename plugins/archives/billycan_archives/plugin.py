"""Archives: everything of a business as one file, which its owners ask for and download."""

from billycan import Every, Manifest
from billycan_attachments.api import open_stored, put_stored, remove_stored

from . import making, pages
from .records import Archive
from .settings import Settings
from .tables import archives

manifest = Manifest(
    name="archives",
    requires=("users", "attachments"),
    settings=Settings,
    tables=(archives,),
    events={"archive.ready": Archive},
    pages=pages.screens,
    tasks=(
        Every(seconds=2, due=making.archives_to_make, run=making.make_archive, own_transactions=True, real_time=True),
        Every(
            seconds=600, due=making.archives_to_delete, run=making.delete_archive, own_transactions=True, real_time=True
        ),
    ),
    codes={"archive_under_way": (409, "A file with everything is being made already: wait for it.")},
    offers=(Manifest.Files(table=archives, open=open_stored, put=put_stored, remove=remove_stored),),
)
