"""The command `billycan-client`: a copy of a business's records in a database, kept up to date."""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from contextlib import nullcontext

from .connection import Connection
from .errors import BillycanError
from .listening import Listener
from .mirror import RESOURCES, Mirror

_START = "sqlite:///"
_MOST_SECONDS = 60  # between two checks, in case a webhook is late


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command with these arguments, or those of the process; return its exit status."""
    given = _build_parser().parse_args(arguments)
    key = os.environ.get("BILLYCAN_KEY")
    if not key:
        return _tell_failure("set BILLYCAN_KEY to an API key with the scope `read`")
    if not given.copy.startswith((_START, "postgresql://")):
        return _tell_failure(f"{given.copy}: write a file as {_START}copy.db, and a database as postgresql://host/name")
    try:
        listening = nullcontext() if given.webhooks is None else Listener(given.webhooks, _secret())
        with Connection(given.url, key) as api, listening as listener:
            names = given.resources.split(",") if given.resources else None
            mirror = Mirror(api, given.copy.removeprefix(_START), names, tell=_print_text)
            while True:
                mirror.sync()
                if listener:
                    listener.wait(given.every or _MOST_SECONDS)
                elif given.every:
                    time.sleep(given.every)
                else:
                    return 0
    except (BillycanError, OSError, ValueError) as error:
        return _tell_failure(str(error))
    except KeyboardInterrupt:
        return 130


def _secret() -> str:
    secret = os.environ.get("BILLYCAN_WEBHOOK_SECRET", "")
    if not secret.startswith("whsec_"):
        raise ValueError("set BILLYCAN_WEBHOOK_SECRET to the secret of the endpoint, which begins with whsec_")
    return secret


def _build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="billycan-client", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="mirror")
    mirror = commands.add_parser("mirror", help="copy records into SQLite or PostgreSQL, and then what changed")
    mirror.add_argument("copy", help=f"where to: a file such as {_START}copy.db, or postgresql://host/name")
    mirror.add_argument("--url", default="http://127.0.0.1:8000", help="the deployment (default: %(default)s)")
    mirror.add_argument("--resources", help=f"which records (default: {','.join(RESOURCES)})")
    mirror.add_argument("--every", type=float, metavar="SECONDS", help="do it again and again, so many seconds apart")
    help = "listen on this port of 127.0.0.1 for webhooks, and do it again at each (and every 60 seconds)"
    mirror.add_argument("--webhooks", type=int, metavar="PORT", help=help)
    return parser


def _tell_failure(message: str) -> int:
    _print_text(f"billycan-client: {message}")
    return 1


def _print_text(text: str) -> None:
    sys.stderr.write(f"{text}\n")
