"""Explanations of failed deliveries in plain words, each with the cure."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct


class Reason(Struct, frozen=True):
    """An explanation of a failure, and what the receiver's developer can do about it."""

    what: str
    todo: str


SHORT = {
    "status": "Error response",
    "timeout": "Timed out",
    "connect": "No connection",
    "dns": "Host not found",
    "tls": "TLS failed",
    "protocol": "Broken response",
    "blocked": "Address not allowed",
    "signing_key": "Could not be signed",
    "interrupted": "Interrupted",
    "held_too_long": "Held for too long",
    "event_expired": "Event no longer kept",
}

PHASES = {
    "dns": "DNS",
    "connect": "Connect",
    "tls": "TLS",
    "first_byte": "First byte",
    "body": "Body",
}

_DURING = {
    "dns": "while the host was looked up",
    "connect": "while connecting",
    "tls": "during the TLS handshake",
    "first_byte": "while waiting for the response",
    "body": "while reading the response",
}

_FAILED = {
    "connect": (
        "Nothing accepted the connection",
        "Check that the receiver runs and listens on the host and port of the URL, and that no firewall is in the way.",
    ),
    "dns": (
        "The host name in the URL has no address",
        "Check the URL for a typing mistake, and the DNS records of the host: a new record may take some minutes.",
    ),
    "tls": (
        "No safe connection could be made",
        "Renew the certificate, or have the server send its whole chain, for the very host name in the URL. A"
        " self-signed certificate is never accepted.",
    ),
    "protocol": (
        "The connection was closed, or broke, before a whole response came",
        "Look at the receiver's log for a crash, and at a proxy in front of it. It must answer in HTTP/1.1.",
    ),
    "blocked": (
        "The URL leads to an address that deliveries may not go to",
        "Use a public address: private, loopback and internal ones are refused. On your own machine, use"
        " “billycan webhooks listen”.",
    ),
    "signing_key": (
        "The endpoint's secret could not be read, so nothing was sent",
        "Rotate the endpoint's secret, or ask whoever runs this deployment about its BILLYCAN_SECRET.",
    ),
    "interrupted": (
        "The sender stopped during the attempt, so nobody knows whether it arrived",
        "Nothing: it is sent again. Your receiver should skip a webhook-id that it has seen.",
    ),
    "held_too_long": ("The endpoint was paused for too long", "Fetch what you missed from /v1/events."),
    "event_expired": ("Its event is no longer kept", "Fetch the record itself: its event cannot be sent any more."),
}

_STATUS = {
    400: "Your receiver could not read the request. It must take JSON, and leave members alone that it does not know.",
    401: "Your receiver refused the request: most likely its check of the signature fails. Compare signatures below. It"
    " must not ask for a login.",
    404: "Nothing answers at this path: check the path in the URL, and that the receiver is deployed.",
    405: "The receiver takes no POST at this path: check the path, and the receiver's routes.",
    408: "The receiver gave up reading the request: look at the time limits of a proxy in front of it.",
    410: "410 means gone: the endpoint was disabled, and its deliveries are held. Enable it once the receiver is back,"
    " then send what is held.",
    413: "The receiver, or a proxy in front of it, limits how large a body may be: allow at least 1 MiB.",
    415: "The receiver refuses the content type: it must take application/json.",
    422: "The receiver refused the content. Skip events that you do not know with 200, instead of refusing them.",
    429: "The receiver limits how often it may be called: exempt these requests, which are at most two at a time.",
    502: "A proxy in front of the receiver could not reach it: check that the receiver itself runs.",
    503: "The receiver, or a proxy in front of it, says that it is not available now.",
    504: "A proxy in front of the receiver waited for it in vain: answer first, and do the work afterwards.",
}


def of_attempt(attempt: Mapping[str, Any], timeout_seconds: float) -> Reason | None:
    """Explain why an attempt failed; return None if it succeeded or is still running."""
    error = attempt["error"]
    if error is None:
        return None
    if error == "status":
        return _of_response(attempt["response"])
    if error == "timeout":
        began = [name for name in PHASES if attempt["phases"][name] is not None]
        during = _DURING[began[-1]] if began else "in time"
        return Reason(
            f"It took longer than {timeout_seconds:g} seconds: time ran out {during}",
            "Answer with 2xx as soon as the request is read and checked, and do the work afterwards, in the background."
            if not began or began[-1] in ("first_byte", "body")
            else "Check that no firewall swallows the connection, and that the host's DNS and server answer at once.",
        )
    what, todo = _FAILED.get(error, (error, ""))
    return Reason(f"{what}: {attempt['detail']}" if attempt["detail"] else what, todo)


def _of_response(response: Mapping[str, Any]) -> Reason:
    status = response["status"]
    if 300 <= status < 400:
        to = response["headers"].get("location")
        leads = f" It leads to {to[:200]}." if to else ""
        return Reason(f"It answered {status}, a redirect, and none is followed", f"Use the final URL instead.{leads}")
    if todo := _STATUS.get(401 if status == 403 else status):
        return Reason(f"It answered {status}", todo)
    if status >= 500:
        return Reason(f"It answered {status}", "The receiver itself failed: its log, at the time below, says why.")
    return Reason(f"It answered {status}", "Only an answer from 200 to 299 counts as received.")


def of_delivery(delivery: Mapping[str, Any]) -> Reason:
    """Explain the state of a delivery, and what happens next."""
    status, error = delivery["status"], delivery["last_error"]
    if status == "delivered":
        return Reason("Delivered", "")
    if status == "pending" and error is None:
        return Reason("Being sent", "The worker sends it within a second. If it stays like this, no worker is running.")
    if status == "pending":
        return Reason("It will be tried again", "Fix the receiver and wait, or replay it now.")
    if status == "held":
        return Reason(
            "Held, because the endpoint is paused", "Enable the endpoint, then send what is held from its page."
        )
    if status == "cancelled":
        what, todo = _FAILED.get(error or "", ("Cancelled, because the endpoint was deleted", "Add an endpoint again."))
        return Reason(what, todo)
    return Reason("Failed: no further attempt is made", "Fix the receiver, then replay it.")
