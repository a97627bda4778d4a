"""Structs that clients send and receive about adjustment notes, besides the notes."""

from billycan.books import Undoing

from ..invoices.schemas import Reason


class NoteVoiding(Undoing, kw_only=True):
    """Voiding an adjustment note.

    reason: Why.
    """

    reason: Reason | None = None
