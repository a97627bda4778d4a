"""Load billycan for ten minutes without a pause, on each database: no error, and steady memory (`make soak`).

Two processes with the shipped settings answer lists, records, searches and new records at a steady rate. Everything but
a 2xx is an error. After the first fifth, in which caches fill, no process may grow by a tenth.
"""

import argparse
import json
import sys
import tempfile
from argparse import Namespace
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1] / "bench"))
from data import LINES, Filled, Sizes, application, fill
from loaded import load_from, memory, serving
from servers import children, postgresql

SLICE_SECONDS = 10.0
MOST_GROWTH = 1.1


def soak(database: str, options: Namespace) -> bool:
    """Run the load for this long and print the result; return True if all was well."""
    with tempfile.TemporaryDirectory(prefix="billycan-soak-") as name:
        folder = Path(name)
        url = f"sqlite:///{folder}/soak.db"
        if database == "postgresql":
            url = postgresql().database("soak").render_as_string(hide_password=False)
        app = application(url, str(folder / "shared"))
        # Searches are asked of a business that stays as it is: of more rows they take more memory.
        filled = fill(app, Sizes(invoices=10_000, contacts=1_000, deep=100), 8)
        app.close()
        with serving(url, folder, 2, Namespace(worker_class="gthread", threads=8)) as web:
            answers, errors, early = 0, 0, 0.0
            slices = max(2, round(options.seconds / SLICE_SECONDS))
            for number in range(slices):
                done = load_from(web, _requests(filled), options.seconds / slices, rate=options.rate)
                answers += len(done["microseconds"])
                errors += sum(count for status, count in done["statuses"].items() if status[0] != "2")
                size = max(map(memory, children(web.process.pid)))
                early = early if number > slices // 5 else size
                print(f"\r{database}: {answers:,} answers, {errors} errors, {size:.0f} MiB ", end="", flush=True)
        grew = size / early
        well = not errors and grew <= MOST_GROWTH
        print(f"\n{'PASS' if well else 'FAIL'} {database}: {errors} errors, memory {grew:.2f} x since the first fifth")
        return well


def _requests(filled: Filled) -> list[list[str]]:
    """List the requests of each connection, in order."""
    invoice = json.dumps({"client_id": filled.client_id, "line_items": LINES})
    contact = json.dumps({"name": "Grace Hopper", "email": "grace@example.com"})
    reads = ["/v1/invoices", "/v1/invoices?status=draft&search=inv", f"/v1/invoices/{filled.invoices[0]}"]
    asked = [("books", path, "") for path in reads]
    asked += [("maker", "/v1/invoices", invoice), ("maker", "/v1/contacts", contact), ("maker", "/v1/events", "")]
    return [
        [
            f"{'POST' if body else 'GET'} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Authorization: Bearer {filled.keys[tenant][i]}\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n{body}"
            for tenant, path, body in asked
        ]
        for i in range(len(filled.keys["maker"]))
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=600, help="on each database")
    parser.add_argument("--rate", type=float, default=60, help="requests a second")
    parser.add_argument("--database", choices=("sqlite", "postgresql"), help="one of them only")
    options = parser.parse_args()
    databases = [options.database] if options.database else ["sqlite", "postgresql"]
    well = [soak(database, options) for database in databases]
    sys.exit(0 if all(well) else 1)


if __name__ == "__main__":
    main()
