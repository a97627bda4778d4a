"""What becomes of an app's webhook endpoints, where there are webhooks."""

from collections.abc import Sequence

from billycan import Context


def follow_consent(ctx: Context, connection_id: str, scopes: Sequence[str]) -> None:
    """Hold the endpoints of a connection that deliver more than these scopes may read, and let go on those held so."""
    if ctx.has("webhooks"):
        from billycan_webhooks import api  # noqa: PLC0415 - there only where that plugin is

        api.follow_consent(ctx, connection_id, scopes)


def delete_endpoints(ctx: Context, connection_id: str) -> None:
    """Delete the endpoints of a connection."""
    if ctx.has("webhooks"):
        from billycan_webhooks import api  # noqa: PLC0415 - there only where that plugin is

        api.delete_of_connection(ctx, connection_id)
