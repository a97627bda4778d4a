"""Webhook endpoints of an app on hold or disconnected, if there are webhooks."""

from collections.abc import Sequence

from billycan import Context


def follow_consent(ctx: Context, connection_id: str, scopes: Sequence[str]) -> None:
    """Hold a connection's endpoints that deliver more than these scopes may read; release those that no longer do."""
    if ctx.has("webhooks"):
        from billycan_webhooks import api  # noqa: PLC0415 - there only where that plugin is

        api.follow_consent(ctx, connection_id, scopes)


def delete_endpoints(ctx: Context, connection_id: str) -> None:
    """Delete the endpoints of a connection."""
    if ctx.has("webhooks"):
        from billycan_webhooks import api  # noqa: PLC0415 - there only where that plugin is

        api.delete_of_connection(ctx, connection_id)
