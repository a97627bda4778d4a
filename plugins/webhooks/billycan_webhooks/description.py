"""How OpenAPI describes a delivery; core adds what each event holds."""

from typing import Any

_HEADERS: dict[str, tuple[str, dict[str, Any]]] = {
    "webhook-id": ("The event's id, the same for each attempt and replay: what was handled once is done.", {}),
    "webhook-timestamp": ("When this attempt was made, in Unix seconds.", {"pattern": "^[0-9]+$"}),
    "webhook-signature": (
        "One or more `v1,<base64>` with spaces between: HMAC-SHA256 over `id.timestamp.body`, keyed by what follows "
        "`whsec_` in the endpoint's secret, decoded from base64. One that matches is enough.",
        {"pattern": "^v1,[A-Za-z0-9+/]+=*( v1,[A-Za-z0-9+/]+=*)*$"},
    ),
    "billycan-environment": ("Whether it happened in production or in the sandbox.", {"enum": ["live", "sandbox"]}),
}

DELIVERY: dict[str, Any] = {
    "description": (
        "Sent to every endpoint that subscribes to it, signed by Standard Webhooks: verify the signature over the body "
        "as it came, and refuse old timestamps. It comes at least once, and not always in order; `webhook-id` tells a "
        "repeat."
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
        "2XX": {"description": "Taken. Answer within 10 seconds, before doing anything that takes long."},
        "410": {"description": "Gone: the endpoint is disabled, and its deliveries are held."},
        "default": {
            "description": "Failed, as redirects, timeouts and broken connections are: up to 3 retries over 24 hours."
        },
    },
}
