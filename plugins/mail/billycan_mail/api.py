"""What other plugins may use of mail: letters of the platform, and a business's documents sent to its clients."""

from .mailing import NobodyToWriteTo, email_document
from .posting import can_send, send
from .schemas import Email, NewEmail

__all__ = ["Email", "NewEmail", "NobodyToWriteTo", "can_send", "email_document", "send"]
