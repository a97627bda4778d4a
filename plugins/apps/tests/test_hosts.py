"""Real servers on one PostgreSQL, each a host of its own: what ends is refused by all, and what dies loses nobody."""

import http.client
import json
import os
import subprocess
import sys
import threading
import time
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlencode

import pytest
import sqlalchemy as sa

from billycan.hosting import gunicorn_conf
from billycan.testing import Client, throwaway
from billycan_apps.tables import refresh_tokens
from billycan_apps.testing import OAuthApp

pytestmark = pytest.mark.long

PLUGINS = ("apps", "contacts", "users", "dashboard")
HERE = Path(__file__).parent


def send(port, method, path, form=None, **headers):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    if form is not None:
        headers["Content-Type"] = "application/x-www-form-urlencoded"
    try:
        connection.request(method, path, urlencode(form) if form is not None else None, headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def patiently(*request, seconds=60, **headers):
    """The answer to a request that is sent again for as long as there is none."""
    end = time.monotonic() + seconds
    while True:
        try:
            return send(*request, **headers)
        except (OSError, http.client.HTTPException):
            assert time.monotonic() < end
            time.sleep(0.05)


@pytest.fixture
def host(app, tmp_path):
    """Start a server with a folder of its own, as another host has it: the port it serves."""

    @contextmanager
    def run(name, *, dies=False):
        held = throwaway.hold_port()
        port = held.getsockname()[1]
        environ = {
            **{k: v for k, v in os.environ.items() if not k.startswith("BILLYCAN_")},
            "BILLYCAN_DATABASE": app.db.url.render_as_string(hide_password=False),
            "BILLYCAN_SECRET": app.settings.secret,
            "BILLYCAN_PLUGINS": ",".join(PLUGINS),
            "BILLYCAN_PER_MINUTE": "100000",
            "BILLYCAN_PER_SECOND": "100000",
            "BILLYCAN_BUSINESS_PER_MINUTE": "100000",
            "BILLYCAN_BUSINESS_PER_SECOND": "100000",
            "BILLYCAN_SHARED_FOLDER": str(tmp_path / name),
            "DIED": str(tmp_path / "died"),
        }
        what = "dying:application()" if dies else "billycan.hosting.workers:application()"
        options = ["-c", gunicorn_conf.__file__, "-b", f"127.0.0.1:{port}", "-w", "1", "--threads", "20"]
        options += ["--log-level", "critical", "--pythonpath", str(HERE)]
        with subprocess.Popen([sys.executable, "-m", "gunicorn", *options, what], env=environ) as server:
            try:
                assert patiently(port, "GET", "/-/ready")[0] == 200
                yield port
            finally:
                server.terminate()
        held.close()

    return run


@pytest.fixture
def app(make_app, engine, clock):
    if engine == "sqlite":
        pytest.skip("hosts share no SQLite")
    clock.time = datetime.now(UTC)  # by which the servers go
    return make_app(*PLUGINS, fresh=True, walled=False)


@pytest.fixture
def oauth(app):
    return OAuthApp(Client(app))


def test_what_is_revoked_on_one_host_is_refused_within_a_second_on_another(oauth, host):
    token = oauth.tokens()["access_token"]
    bearer = {"Authorization": f"Bearer {token}"}
    with host("one") as one, host("other") as other:
        assert [send(port, "GET", "/v1/me", **bearer)[0] for port in (one, other)] == [200, 200]
        assert send(one, "POST", "/oauth/revoke", {"token": token, **oauth.credentials()})[0] == 200
        ended = time.monotonic()
        assert send(one, "GET", "/v1/me", **bearer)[0] == 401
        begun, status = ended, 200
        while status == 200:
            begun = time.monotonic()
            assert begun < ended + 30
            status = send(other, "GET", "/v1/me", **bearer)[0]
            assert status == 401 or begun - ended < 1.0
        assert send(other, "GET", "/v1/me", **bearer)[0] == 401


def test_a_server_that_is_killed_between_commit_and_answer_loses_no_connection(oauth, app, host):
    form = {"grant_type": "refresh_token", "refresh_token": oauth.tokens()["refresh_token"], **oauth.credentials()}
    given, barrier = [], threading.Barrier(20)
    with host("one", dies=True) as one, host("other") as other:

        def refresh(port):
            barrier.wait()
            given.append(patiently(port, "POST", "/oauth/token", form))

        threads = [threading.Thread(target=refresh, args=(port,)) for port in [one, other] * 10]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [status for status, _ in given] == [200] * 20
        assert len({pair["refresh_token"] for _, pair in given}) == 1
        last = given[-1][1]["access_token"]
        assert send(other, "GET", "/v1/me", Authorization=f"Bearer {last}")[0] == 200
    with app.db.reading(oauth.client.tenant_id) as db:
        mine = sa.select(refresh_tokens.c.used_at).where(refresh_tokens.c.tenant_id == oauth.client.tenant_id)
        assert sorted(used is None for used in db.execute(mine).scalars()) == [False, True]
