"""A booking as an iCalendar file (RFC 5545)."""

from datetime import datetime

from .resource import Booking

MEDIA_TYPE = "text/calendar; charset=utf-8"
# A booking that will not happen is exported as cancelled, so that importing it again removes it.
_STATUSES = {"pending": "TENTATIVE", "cancelled": "CANCELLED", "declined": "CANCELLED"}


def calendar_file(booking: Booking) -> bytes:
    """Return the calendar file: one event with a lasting UID, whose SEQUENCE is the booking's version."""
    members = {
        "UID": f"{booking.id}@billycan",
        "SEQUENCE": str(booking.version),
        "DTSTAMP": _write_time(booking.updated_at),
        "CREATED": _write_time(booking.created_at),
        "LAST-MODIFIED": _write_time(booking.updated_at),
        "DTSTART": _write_time(booking.start_at),
        "DTEND": _write_time(booking.end_at),
        "SUMMARY": _escape_text(f"{booking.service.name} for {booking.client.name}"),
        "LOCATION": _escape_text(booking.location or ""),
        "DESCRIPTION": _escape_text(booking.notes or ""),
        "STATUS": _STATUSES.get(booking.status, "CONFIRMED"),
    }
    lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//billycan//bookings//EN", "BEGIN:VEVENT"]
    lines += [f"{name}:{value}" for name, value in members.items() if value]
    lines += ["END:VEVENT", "END:VCALENDAR"]
    return b"".join(_fold_line(line) for line in lines)


def _write_time(moment: datetime) -> str:
    return f"{moment:%Y%m%dT%H%M%SZ}"


def _escape_text(text: str) -> str:
    """Escape a TEXT value (section 3.3.11)."""
    for character in "\\;,":
        text = text.replace(character, f"\\{character}")
    return text.replace("\n", "\\n")


def _fold_line(line: str) -> bytes:
    """Fold a line into parts of at most 75 octets, without splitting a character (section 3.1)."""
    parts, size = [b""], 75
    for character in line:
        octets = character.encode()
        if len(parts[-1]) + len(octets) > size:
            parts.append(b" ")
        parts[-1] += octets
    return b"\r\n".join(parts) + b"\r\n"
