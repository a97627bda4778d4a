"""Three PostgreSQL hosts with Patroni, an etcd and an HAProxy, each on a loopback address of its own.

The files are deploy/patroni.yml and deploy/haproxy.cfg, with other addresses. A host that is killed starts again only
when the test says so.
"""

import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sa

from billycan.testing import throwaway

ROOT = Path(__file__).parents[3]
NAMES = ("database1", "database2", "database3")
PROXY = shutil.which("haproxy", path="/usr/sbin:/usr/bin")


def missing():
    """Return what this machine lacks for it, in words; empty if nothing."""
    needed = {"PostgreSQL": throwaway.find(), "haproxy": PROXY}
    needed |= {name: shutil.which(name) for name in ("patroni", "etcd", "setpriv")}
    return ", ".join(name for name, path in needed.items() if path is None)


class Cluster:
    """A primary, two replicas, and what leads to the primary; `proxied` and `listed` are URLs of it."""

    def __init__(self, *, synchronous=True):
        self.folder = Path(tempfile.mkdtemp(prefix="billycan-failover-", dir="/tmp"))
        self._account = throwaway._unprivileged_account()
        if self._account:
            shutil.chown(self.folder, self._account.pw_uid, self._account.pw_gid)
        self._net, self._running, self._synchronous = f"127.83.{os.getpid() % 200 + 20}", {}, synchronous
        try:
            self._start_etcd()
            for name in NAMES:
                self.start(name)
            self.until(lambda: self.primary() is not None)
            self._start_proxy()
            self.until(self.is_whole)
            self._create()
        except BaseException:
            self.close()
            raise

    def _create(self):
        self.proxied = sa.URL.create("postgresql+psycopg", "postgres", "x", f"{self._net}.10", 5432, "billycan")
        hosts = [f"{self.address(name)}:5432" for name in NAMES]
        query = {"host": hosts, "target_session_attrs": "primary"}
        self.listed = sa.URL.create("postgresql+psycopg", "postgres", "x", database="billycan", query=query)
        engine = sa.create_engine(self.proxied.set(database="postgres"), isolation_level="AUTOCOMMIT")
        with engine.connect() as db:
            db.exec_driver_sql("CREATE DATABASE billycan")
        engine.dispose()

    def address(self, name):
        return f"{self._net}.1{NAMES.index(name) + 1}"

    def _run(self, name, command):
        """Start a program as an ordinary user."""
        user = self._account
        as_user = ["setpriv", f"--reuid={user.pw_uid}", f"--regid={user.pw_gid}", "--clear-groups"] if user else []
        environ = {k: v for k, v in os.environ.items() if not k.startswith(("PG", "PATRONI", "PYTHON"))}
        with (self.folder / f"{name}.log").open("ab") as log:
            self._running[name] = subprocess.Popen(
                [*as_user, *map(str, command)],
                env=environ | {"LC_ALL": "C.UTF-8", "HOME": str(self.folder)},
                cwd="/",
                stdout=log,
                stderr=log,
            )

    def _start_etcd(self):
        client, peer = f"http://{self._net}.11:2379", f"http://{self._net}.11:2380"
        own = ("--data-dir", self.folder / "etcd", "--listen-client-urls", client, "--advertise-client-urls", client)
        others = ("--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer)
        self._run("etcd", ["etcd", *own, *others, "--initial-cluster", f"default={peer}", "--unsafe-no-fsync"])

    def start(self, name):
        """Start a host's Patroni, which starts its PostgreSQL."""
        self._run(name, ["patroni", self._write("patroni.yml", f"{name}.yml", name)])

    def _start_proxy(self):
        self._run("haproxy", [PROXY, "-f", self._write("haproxy.cfg", "haproxy.cfg")])

    def _write(self, of, to, name=""):
        """Write a file of deploy/ as it is for these addresses, and for this host; return its path."""
        text, net = (ROOT / "deploy" / of).read_text("utf-8"), self._net
        changes = {r"127\.0\.0\.1:5432": f"{net}.10:5432", r"10\.0\.0\.0/24": "127.0.0.0/8"}
        if name:
            changes[r"10\.0\.0\.11:2379,.*"] = f"{net}.11:2379"
            changes[r"(listen|connect_address): 10\.0\.0\.11"] = rf"\1: {self.address(name)}"
            changes |= {"name: database1": f"name: {name}", "scram-sha-256": "trust", "local all all peer": ""}
            changes[r"/var/lib/postgresql/15/billycan"] = str(self.folder / name)
            changes[r"/usr/lib/postgresql/15/bin"] = str(throwaway.find())
            changes[r"    - \n"] = ""
            changes[r"parameters:\n"] = "parameters:\n        unix_socket_directories: ''\n"
            if not self._synchronous:
                changes["synchronous_mode: true"] = "synchronous_mode: false"
        changes[r"10\.0\.0\."] = f"{net}."
        for written, here in changes.items():
            text = re.sub(written, here, text)
        path = self.folder / to
        path.write_text(text, "utf-8")
        return path

    def ask(self, name, path):
        """Ask a host's Patroni; return the status and what it says, or 0 and an empty dictionary."""
        connection = http.client.HTTPConnection(self.address(name), 8008, timeout=2)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.status, json.loads(answer.read() or b"{}")
        except (OSError, http.client.HTTPException, ValueError):
            return 0, {}
        finally:
            connection.close()

    def primary(self):
        """Return the name of the host whose PostgreSQL is the primary; None if there is none."""
        return next((name for name in NAMES if self.ask(name, "/primary")[0] == 200), None)

    def is_whole(self):
        """Tell whether the primary's Patroni knows of two replicas that follow it, one of them a synchronous one."""
        primary = self.primary()
        members = primary and self.ask(primary, "/cluster")[1].get("members", ())
        roles = ["leader", "replica", "sync_standby" if self._synchronous else "replica"]
        return bool(
            members
            and sorted(each["role"] for each in members) == roles
            and len({each.get("timeline") for each in members}) == 1
            and all(each.get("lag", 0) == 0 for each in members)
        )

    def _processes(self, name):
        """Return the process numbers of a host's PostgreSQL, its first one first; none if it is not running."""
        try:
            first = int((self.folder / name / "postmaster.pid").read_text("utf-8").split()[0])
            children = Path(f"/proc/{first}/task/{first}/children").read_text("utf-8").split()
        except (OSError, IndexError):
            return []
        return [first, *map(int, children)]

    def kill(self, name, *, patroni=False):
        """Kill a host's PostgreSQL at once, and with `patroni` everything, as where a host loses its power."""
        if patroni:
            self._running[name].kill()
            self._running[name].wait()
        _signal(self._processes(name), signal.SIGKILL)

    def hold_back(self, name):
        """Let a primary go on and send its replicas nothing more."""
        sends = [pid for pid in self._processes(name) if b"walsender" in Path(f"/proc/{pid}/cmdline").read_bytes()]
        _signal(sends, signal.SIGSTOP)

    def until(self, is_so, seconds=300):
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > end or self._running["etcd"].poll() is not None:
                raise RuntimeError(f"it did not come about:\n{self.said()}")
            time.sleep(0.1)

    def said(self):
        """Return the ends of the logs."""
        return "\n".join(
            f"--- {log.stem}\n{log.read_text('utf-8', 'replace')[-2000:]}" for log in sorted(self.folder.glob("*.log"))
        )

    def close(self):
        for process in reversed(self._running.values()):
            process.kill()
            process.wait()
        for name in NAMES:
            _signal(self._processes(name), signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)


def _signal(processes, number):
    for process in processes:
        with suppress(ProcessLookupError):
            os.kill(process, number)
