"""Ten hosts of one deployment on one machine: each has a network namespace, an address and a folder of its own.

Three have web processes and two a worker; the others have nginx, PgBouncer, PostgreSQL, its replica and Redis. A bridge
joins them. Whatever is killed starts again a second later, as systemd has it; nothing else is done for anybody.
"""

import os
import pwd
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

import sqlalchemy as sa

from billycan.app import App
from billycan.hosting import gunicorn_conf
from billycan.starting import migrate, policies, settings
from billycan.testing import throwaway

ROOT = Path(__file__).parents[3]
NGINX = shutil.which("nginx", path="/usr/sbin:/usr/bin")
WEB, WORKERS = ("web1", "web2", "web3"), ("worker1", "worker2")
NAMES = ("nginx", "pgbouncer", "postgresql", "replica", "redis", *WEB, *WORKERS)
PLUGINS = "contacts,documents,hosted,invoices,redis_limits,webhooks"
RESTART_SECONDS = 1.0
ROLE, ACCOUNT = "billycan_web", "postgres"  # PostgreSQL's role, and the system's account
POSTGRES = """
listen_addresses = '*'
unix_socket_directories = ''
max_connections = 60
shared_buffers = 64MB
jit = off
max_standby_streaming_delay = 1s
wal_retrieve_retry_interval = 1s
wal_receiver_timeout = 5s
wal_sender_timeout = 5s
"""
POOLER = """
[databases]
billycan = host={postgresql}
replica = host={replica} dbname=billycan
[pgbouncer]
listen_addr = *
listen_port = 6432
unix_socket_dir =
auth_type = trust
auth_file = {folder}/users
pool_mode = transaction
default_pool_size = 20
max_client_conn = 500
query_wait_timeout = 5
server_connect_timeout = 2
server_login_retry = 1
"""


def missing():
    """Return what this machine lacks for it, in words; empty if nothing."""
    if os.geteuid() != 0:
        return "root, to make network namespaces"
    if throwaway.find() is None or ACCOUNT not in {account.pw_name for account in pwd.getpwall()}:
        return "PostgreSQL, and its account"
    needed = {"nginx": NGINX, "pgbouncer": throwaway.Pooler.program()}
    needed |= {name: shutil.which(name) for name in ("redis-server", "ip", "setpriv")}
    if lacking := [name for name, path in needed.items() if path is None]:
        return ", ".join(lacking)
    name = f"bc{os.getpid()}"
    if subprocess.run(["ip", "netns", "add", name], check=False, capture_output=True).returncode:
        return "the right to make network namespaces"
    _ip("netns", "del", name)
    return ""


def _ip(*words):
    subprocess.run(["ip", *words], check=True)


class Machine:
    """One host, with one service."""

    def __init__(self, folder, prefix, name, address, bridge):
        self.name, self.address, self.folder = name, address, folder / name
        self.space, self._link, self._process = f"{prefix}-{name}", f"{prefix}{name[:2]}{name[-3:]}", None
        self.folder.mkdir(mode=0o755)
        _ip("netns", "add", self.space)
        _ip("link", "add", self._link, "type", "veth", "peer", "name", "eth0", "netns", self.space)
        _ip("link", "set", self._link, "master", bridge, "up")
        for words in (("addr", "add", f"{address}/24", "dev", "eth0"), ("link", "set", "eth0", "up")):
            _ip("-n", self.space, *words)
        _ip("-n", self.space, "link", "set", "lo", "up")

    def run(self, command, account=""):
        """Run a command here to its end."""
        subprocess.run(self._within(command, account), check=True, stdout=subprocess.DEVNULL, cwd="/")

    def serve(self, command, account="", **environ):
        """Have this command be what the host serves, and start it."""
        own = {k: v for k, v in os.environ.items() if not k.startswith(("BILLYCAN_", "PG"))}
        self._how = self._within([*map(str, command)], account), own | {"LC_ALL": "C"} | environ
        self.start()

    def _within(self, command, account):
        user = ["setpriv", f"--reuid={account}", f"--regid={account}", "--clear-groups"] if account else []
        return ["ip", "netns", "exec", self.space, *user, *command]

    def start(self):
        command, environ = self._how
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(command, env=environ, stdout=log, stderr=log, cwd="/")

    def signal(self, number):
        """Send a signal to all of the host's processes."""
        said = subprocess.run(["ip", "netns", "pids", self.space], check=False, capture_output=True, text=True)
        for pid in said.stdout.split():
            with suppress(ProcessLookupError):
                os.kill(int(pid), number)

    def kill(self):
        """End everything at once and start it again, as systemd does."""
        self.signal(signal.SIGKILL)
        self._process.wait()
        time.sleep(RESTART_SECONDS)
        self.start()

    def plug(self, *, is_in):
        """Connect the host to the others, or cut it off; nobody is told."""
        _ip("link", "set", self._link, "up" if is_in else "down")

    def close(self):
        if self._process:
            self.signal(signal.SIGKILL)
            self._process.wait()
        _ip("link", "del", self._link)
        _ip("netns", "del", self.space)


class Machines:
    """All hosts, and the app as an operator has it, which asks PostgreSQL itself."""

    def __init__(self):
        self.folder = Path(tempfile.mkdtemp(prefix="billycan-hosts-"))
        self.folder.chmod(0o755)
        number = os.getpid() % 200 + 20
        self._prefix, self.machines, self.app = f"bc{number}", {}, None
        self.gateway = f"10.83.{number}.1"
        _ip("link", "add", self._prefix, "type", "bridge")
        try:
            _ip("addr", "add", f"{self.gateway}/24", "dev", self._prefix)
            _ip("link", "set", self._prefix, "up")
            for i, name in enumerate(NAMES, 10):
                address = f"10.83.{number}.{i}"
                self.machines[name] = Machine(self.folder, self._prefix, name, address, self._prefix)
            self._start_database()
            self._start_web()
            self._start_replica()  # others begin meanwhile
        except BaseException:
            self.close()
            raise

    def __getitem__(self, name):
        return self.machines[name]

    def _start_database(self):
        programs, primary, replica = throwaway.find(), self["postgresql"], self["replica"]
        for name in ("postgresql", "replica", "pgbouncer"):
            shutil.chown(self[name].folder, ACCOUNT, ACCOUNT)
        data = primary.folder / "data"
        options = ("--username=postgres", "--auth=trust", "--encoding=UTF8", "--locale=C.UTF-8", "--no-sync")
        primary.run([programs / "initdb", "-D", data, *options], ACCOUNT)
        with (data / "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(POSTGRES)
        with (data / "pg_hba.conf").open("a", encoding="utf-8") as file:
            file.write("host all all samenet trust\nhost replication all samenet trust\n")
        primary.serve([programs / "postgres", "-D", data], ACCOUNT)
        url = f"postgresql+psycopg://postgres@{primary.address}/postgres"
        engine = sa.create_engine(url, isolation_level="AUTOCOMMIT", poolclass=sa.NullPool)
        self.until(lambda: _answers(engine))
        with engine.connect() as db:
            db.exec_driver_sql("CREATE DATABASE billycan")
        self._migrate(primary, replica)

    def _start_replica(self):
        programs, replica = throwaway.find(), self["replica"]
        data = replica.folder / "data"
        copy = ["-h", self["postgresql"].address, "-U", "postgres", "-D", data, "-R", "--checkpoint=fast", "--no-sync"]
        replica.run([programs / "pg_basebackup", *copy], ACCOUNT)
        replica.serve([programs / "postgres", "-D", data], ACCOUNT)

    def _migrate(self, primary, replica):
        urls = [f"postgresql+psycopg://postgres@{each.address}/billycan" for each in (primary, replica)]
        self.environ = {"BILLYCAN_SECRET": "a secret for tests that is long enough", "BILLYCAN_PLUGINS": PLUGINS}
        self.environ |= {f"BILLYCAN_{name}": "100000" for name in ("PER_MINUTE", "PER_SECOND")}
        self.environ |= {f"BILLYCAN_BUSINESS_{name}": "100000" for name in ("PER_MINUTE", "PER_SECOND")}
        own = {"BILLYCAN_DATABASE": urls[0], "BILLYCAN_DATABASE_REPLICA": urls[1]}
        own |= {"BILLYCAN_SHARED_FOLDER": str(self.folder / "shared")}
        self.app = App(settings.load_settings(self.environ | own))
        migrate.upgrade_all(self.app.db, self.app.manifests)
        with self.app.db.writing() as db:
            policies.create_policies(db, ROLE, "")

    def _start_web(self):
        pooler, redis = self["pgbouncer"], self["redis"]
        (pooler.folder / "users").write_text(f'"postgres" ""\n"{ROLE}" ""\n', "utf-8")
        places = {name: self[name].address for name in ("postgresql", "replica")}
        (pooler.folder / "ini").write_text(POOLER.format(**places, folder=pooler.folder), "utf-8")
        pooler.serve([throwaway.Pooler.program(), "-q", pooler.folder / "ini"], ACCOUNT)
        how = ("--bind", redis.address, "--protected-mode", "no", "--save", "", "--appendonly", "no")
        redis.serve([shutil.which("redis-server"), *how, "--dir", redis.folder])
        redis = f"redis://{redis.address}:6379"
        database, replica = (
            f"postgresql+psycopg://{ROLE}@{pooler.address}:6432/{name}" for name in ("billycan", "replica")
        )
        environ = {"BILLYCAN_DATABASE": database, "BILLYCAN_DATABASE_REPLICA": replica, "BILLYCAN_POOLED": "true"}
        environ |= {"BILLYCAN_TRUSTED_PROXIES": self["nginx"].address, "BILLYCAN_REDIS_LIMITS__URL": f"{redis}/0"}
        environ |= {"BILLYCAN_WEBHOOKS__QUEUE": f"{redis}/1", "BILLYCAN_WEBHOOKS__ALLOW_PRIVATE": "true"}
        environ |= {"BILLYCAN_WEBHOOKS__LEASE_SECONDS": "6", "BILLYCAN_WEBHOOKS__TIMEOUT_SECONDS": "1"}
        environ |= {"BILLYCAN_WEBHOOKS__RETRY_OFFSETS": "1,3,9,20,30,40,50,60"}
        for name in (*WEB, *WORKERS):
            machine, own = self[name], {**self.environ, **environ}
            own["BILLYCAN_SHARED_FOLDER"] = str(machine.folder / "shared")
            command = [sys.executable, "-m", "billycan.tools.cli", "worker"]
            if name in WEB:
                options = ["-c", gunicorn_conf.__file__, "-b", f"{machine.address}:8000", "-w", "1", "--threads", "8"]
                command = [sys.executable, "-m", "gunicorn", *options, "billycan.hosting.workers:application()"]
            machine.serve(command, **own)
        proxy, text = self["nginx"], (ROOT / "deploy" / "nginx.conf").read_text("utf-8")
        for written, here in {
            r"server 127\.0\.0\.1:8000;": " ".join(f"server {self[name].address}:8000;" for name in WEB),
            r"listen \[::\]:.*": "",
            r"listen 443 ssl": "listen 8000",
            r"listen 80;": "listen 8001;",
            r"ssl_.*": "",
            r"/var/log/nginx": str(proxy.folder),
        }.items():
            text, times = re.subn(written, here, text)
            assert times, written
        (proxy.folder / "conf").write_text(
            f"user root; pid {proxy.folder}/pid; events {{}}\nhttp {{\n{text}\n}}\n", "utf-8"
        )
        proxy.serve([NGINX, "-p", proxy.folder, "-c", proxy.folder / "conf", "-g", "daemon off;"])

    def until(self, is_so, seconds=120):
        end = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > end:
                raise RuntimeError(f"it did not come about:\n{self.said()}")
            time.sleep(0.1)

    def said(self):
        """Return the ends of the hosts' logs."""
        logs = {name: machine.folder / "log" for name, machine in self.machines.items()}
        found = {name: log.read_text("utf-8", "replace")[-1500:] for name, log in logs.items() if log.exists()}
        return "\n".join(f"--- {name}\n{text}" for name, text in found.items())

    def close(self):
        if self.app:
            self.app.close()
        for machine in self.machines.values():
            machine.close()
        _ip("link", "del", self._prefix)
        shutil.rmtree(self.folder, ignore_errors=True)


def _answers(engine):
    try:
        with engine.connect():
            return True
    except sa.exc.OperationalError:
        return False
