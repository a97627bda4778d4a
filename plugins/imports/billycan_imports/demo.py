"""Sample drafts of an invented plumber in Hobart: lists of contacts, one checked and with faults to mend, one not."""

from billycan import Context
from billycan.csv.importing import Importer
from billycan.demo import ago

from .drafts import read_sources, translation_of
from .handlers import Parsed, create_import, keep_rows
from .mapping import guess_mapping, name_columns
from .records import fault_columns, records
from .schemas import Upload
from .working import rehearse_rows

_SUPPLIERS = """\
Client,Mail,Phone,Roles
Pademelon Plumbing Parts,trade@pademelon.example,03 5550 0125,Supplier
Tamar Tool Repairs,,03 5550 0193,Supplier
"""
# An email address and an ABN lack a character, and a row has no name.
_CLIENTS = """\
Client,Mail,Mobile,ABN,Street,Town,State,Postcode
Liffey Farm,farm.liffeyfarm.example,0491 570 110,,210 Liffey Road,Liffey,Tasmania,7301
Banksia Bed & Breakfast,stay@banksia.example,03 5550 0119,,5 Honeyeater Lane,Richmond,Tasmania,7025
Curlew Bookshop,hello@curlew.example,03 5550 0152,4755522200,18 Plover Street,Hobart,Tasmania,7000
,rosella@frond.example,0491 570 313,,2/6 Tea Tree Court,Rosny,Tasmania,7018
Wombat Gully Vineyard,cellar@wombatgully.example,03 5550 0176,,Lot 3 Gully Road,Cambridge,Tasmania,7170
"""


def add_samples(ctx: Context) -> None:
    """Add the sample drafts; none without contacts, of which they are."""
    if "contacts" in ctx.app.importable:
        with ago(ctx, 1):
            _leave_draft(ctx, _SUPPLIERS)
        _check_draft(ctx, _leave_draft(ctx, _CLIENTS))


def _leave_draft(ctx: Context, file: str) -> str:
    """Upload a file as a draft, whose columns are guessed."""
    header, *rows = (line.split(",") for line in file.splitlines())
    columns = name_columns(header)
    importer = Importer(ctx.of_business(ctx.app.importable["contacts"]), [])
    mapping, preset = guess_mapping("contacts", columns, importer.members(), rows)
    parsed = Parsed(header, columns=columns, mapping=mapping, preset=preset)
    keep_rows(parsed, enumerate(rows, 1))
    return create_import(ctx, Upload(resource="contacts", draft=True), parsed).id


def _check_draft(ctx: Context, id: str) -> None:
    """Check the rows of a draft, as a worker does after `start` with `dry_run`."""
    row = records.lock(ctx, id)
    endpoint = ctx.of_business(ctx.app.importable[row.resource])
    mapped = translation_of(row, Importer(endpoint, []))
    rows = [[number, *cells] for number, cells in mapped.rows(read_sources(ctx, row, 0))]
    _, faults = rehearse_rows(ctx, Importer(endpoint, mapped.header), rows)
    records.save(ctx, row, dry_run=True, header=mapped.header, rows_checked=row.rows, **fault_columns(row, faults))
