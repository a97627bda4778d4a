"""Batch: up to a hundred requests in one, all of them or each by itself."""

from billycan import Manifest, Route

from .handlers import admit_batch, carry_out_batch

manifest = Manifest(
    name="batch",
    routes=(
        Route(
            "POST",
            "/v1/batch",
            carry_out_batch,
            scope=None,
            own=True,
            prepare=admit_batch,
            own_transactions=lambda body: not body.atomic,
        ),
    ),
    codes={
        "not_carried_out": (503, "The batch took too long or answered too much before it came to this operation."),
        "reference_failed": (409, "The operation refers to the record of another one, which failed."),
        "too_many_changes": (422, "The operations of an atomic batch would change too much at once."),
    },
)
