"""Changes: the latest state of each record that changed since a moment, for copies of them elsewhere."""

from billycan import Manifest, Records, Route

from .handlers import get_changes
from .noting import note_untold
from .tables import untold

manifest = Manifest(
    name="changes",
    tables=(untold,),
    routes=(Route("GET", "/v1/changes", get_changes, scope=None),),
    codes={"resync": (410, "Not all changes after `after` are kept: fetch the lists anew, with a new cursor.")},
    offers=(Records.Follower(note_untold),),
)
