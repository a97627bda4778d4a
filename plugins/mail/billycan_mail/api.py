"""Mail's functions for other plugins: emails with a business's documents, and plain emails of the platform."""

from .document_email import NobodyToWriteTo, email_document
from .plain_email import can_send, send
from .schemas import Email, NewEmail

__all__ = ["Email", "NewEmail", "NobodyToWriteTo", "can_send", "email_document", "send"]
