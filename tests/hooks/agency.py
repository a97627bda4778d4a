"""An agency's key works for the businesses of its clients: the header `X-Business` names one of them."""

import falcon

from billycan import Forbidden, Identity, Manifest, hookimpl

manifest = Manifest(name="agency")
CLIENTS: dict[str, set[str]] = {}  # the ids of the businesses that a key works for besides its own, by the key's id


@hookimpl
def resolve_tenant(identity: Identity, req: falcon.Request) -> str | None:
    """Return the business that a request names; None for the key's own."""
    business = req.get_header("X-Business")
    if business and business not in CLIENTS.get(identity.id, ()):
        raise Forbidden("This key does not work for that business.")
    return business
