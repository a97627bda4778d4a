"""What other plugins may use of mail: letters of the platform, and a business's documents sent to its clients."""

from .mailing import email_document
from .posting import can_send, send
from .schemas import Email

__all__ = ["Email", "can_send", "email_document", "send"]
