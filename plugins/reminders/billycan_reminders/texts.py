"""Texts of reminders: their placeholders, and the texts that a business starts with."""

import re
from collections.abc import Mapping

from billycan import RuleBroken

PLACEHOLDERS = ("number", "amount_due", "due_date", "client", "business", "link")
_LISTED = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
_PLACEHOLDER = re.compile(rf"\{{({'|'.join(PLACEHOLDERS)})\}}")

_HELLO = "Hello {client},\n\n"
_REST = (
    "\n\nYou can read it, and how to pay it, here: {link}\n\n"
    "If you have paid in the meantime, thank you: please ignore this message.\n\nKind regards,\n{business}"
)
_SOON = "Invoice {number} is due on {due_date}"
_LATE = "Invoice {number} was due on {due_date}"

# Subjects and messages by days after the due date.
FIRST_TEXTS = {
    -3: (
        _SOON,
        f"{_HELLO}A friendly reminder that {{amount_due}} of invoice {{number}} is due on {{due_date}}.{_REST}",
    ),
    7: (
        _LATE,
        f"{_HELLO}{{amount_due}} of invoice {{number}} was due on {{due_date}}. It may have slipped your mind, so this "
        f"is a short reminder.{_REST}",
    ),
    14: (
        _LATE,
        f"{_HELLO}{{amount_due}} of invoice {{number}} has been due since {{due_date}}. Could you please pay it this "
        f"week? If something is wrong with the invoice, just reply to this message.{_REST}",
    ),
}


def check_placeholders(text: str) -> str:
    """Return the text. Raise RuleBroken if anything in braces is not a placeholder."""
    if wrong := re.search(r"\{[^{}\n]{0,40}\}?|\}", _PLACEHOLDER.sub("", text)):
        raise RuleBroken("invalid_value", f"has {wrong[0]}, which is no placeholder: use {_LISTED}")
    return text


def fill_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Replace the placeholders of a text; braces in a value stay as they are."""
    return _PLACEHOLDER.sub(lambda found: values[found[1]], text)
