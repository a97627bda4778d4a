"""Changes: the latest state of each record that changed since a moment, for copies of them elsewhere."""

from billycan import Code, Manifest, Route

from .handlers import get_changes

manifest = Manifest(
    name="changes",
    routes=(Route("GET", "/v1/changes", get_changes, scope=None),),
    codes={"resync": Code(410, "Not all changes after `after` are kept: fetch the lists anew, with a new cursor.")},
)
