"""The OpenAPI description of a delivery; core adds the payload of each event."""

from typing import Any

_HEADERS: dict[str, tuple[str, dict[str, Any]]] = {
    "webhook-id": ("The event's id, the same for each attempt and replay: skip those that you have handled.", {}),
    "webhook-timestamp": ("When this attempt was made, in Unix seconds.", {"pattern": "^[0-9]+$"}),
    "webhook-signature": (
        "One or more signatures `v1,<base64>`, separated by spaces: the HMAC-SHA256 of `id.timestamp.body`, keyed by "
        "what follows `whsec_` in the endpoint's secret, decoded from base64. One match is enough.",
        {"pattern": "^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$"},
    ),
    "billycan-environment": (
        "Whether the event happened in production or in the sandbox.",
        {"enum": ["live", "sandbox"]},
    ),
}

DELIVERY: dict[str, Any] = {
    "description": (
        "Sent to every endpoint that subscribes to it, signed as Standard Webhooks prescribes. Verify the signature "
        "over the body exactly as it arrived, and reject old timestamps. Deliveries can repeat and can arrive out of "
        "order; repeats have the same `webhook-id`."
    ),
    "parameters": [
        {
            "name": name,
            "in": "header",
            "required": True,
            "description": description,
            "schema": {"type": "string", **schema},
        }
        for name, (description, schema) in _HEADERS.items()
    ],
    "responses": {
        "2XX": {"description": "Received. Respond within 10 seconds, before any slow work."},
        "410": {"description": "Gone: the endpoint is disabled, and its deliveries are held."},
        "default": {
            "description": "Failed, like redirects, timeouts and broken connections: up to 3 retries over 24 hours."
        },
    },
}
