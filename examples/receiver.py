"""A small receiver of webhooks, which verifies each delivery with the public package `standardwebhooks`.

    pip install standardwebhooks
    python examples/receiver.py --secret whsec_… --port 3000

Give http://127.0.0.1:3000/hooks as an endpoint's url under `make serve`, or to `billycan webhooks listen --forward-to`.
"""

import argparse
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from standardwebhooks import Webhook

MOST_BYTES = 4 * 1024 * 1024


def server(secret: str, port: int) -> ThreadingHTTPServer:
    """Return a server on loopback that prints each event once."""
    webhook, seen = Webhook(secret), set()

    class Hooks(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(min(int(self.headers.get("Content-Length", 0)), MOST_BYTES))
            try:
                payload = webhook.verify(body, dict(self.headers))
            except Exception as error:  # noqa: BLE001 - any malformed delivery gets one answer
                print(f"refused: {error}", flush=True)
                self._answer(401)
                return
            self._answer(204)  # answer first, then work: the server waits ten seconds
            # The same event can come again, by a retry or a replay. A real receiver stores the ids.
            if self.headers["webhook-id"] in seen:
                print(f"again: {payload['event']} {self.headers['webhook-id']}", flush=True)
            else:
                seen.add(self.headers["webhook-id"])
                print(f"{payload['event']} {payload['data'].get('id')} at {payload['timestamp']}", flush=True)

        def _answer(self, status: int) -> None:
            self.send_response(status)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *args: object) -> None:
            """Log nothing: the printed events are enough."""

    return ThreadingHTTPServer(("127.0.0.1", port), Hooks)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--secret", default=os.environ.get("WEBHOOK_SECRET"), required="WEBHOOK_SECRET" not in os.environ
    )
    parser.add_argument("--port", type=int, default=3000)
    given = parser.parse_args()
    print(f"listening on http://127.0.0.1:{given.port}/hooks", flush=True)
    try:
        server(given.secret, given.port).serve_forever()
    except KeyboardInterrupt:
        print()
