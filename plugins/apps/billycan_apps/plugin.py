"""Apps: third parties connect a business's account by OAuth 2.1, and call the API for it until somebody ends that."""

from billycan import Context, Every, Identity, Manifest

from . import authorizing, callers, grants, operating, pages, protocol
from .connecting import Connection
from .tables import access_tokens, apps, codes, connections, refresh_tokens, secrets

manifest = Manifest(
    name="apps",
    requires=("users",),
    uses=("webhooks",),
    tables=(apps, secrets, connections, codes, access_tokens, refresh_tokens),
    events={"app.connected": Connection, "app.disconnected": Connection},
    pages=(
        *authorizing.screens,
        *pages.screens,
        *operating.screens,
        (protocol.TOKEN, protocol.TokenEndpoint),
        (protocol.REVOKE, protocol.RevocationEndpoint),
        (protocol.DESCRIPTION, protocol.Description),
    ),
    tasks=(
        Every(seconds=60, due=grants.answered_tokens, run=grants.forget_answer, real_time=True),
        Every(seconds=3600, run=grants.forget_old, tenants=grants.with_old, real_time=True),
    ),
    codes={"app_disconnected": (401, "The app that queued the work was disconnected, or is on hold.")},
    offers=(
        Identity.Kind("cnx", callers.find_identity, starts=callers.STARTS, identify=callers.identify),
        Context.Emptied(stay=(connections, codes, access_tokens, refresh_tokens)),
    ),
)
