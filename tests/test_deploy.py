"""docs/deploy.md and docs/backup.md about PostgreSQL, carried out as printed, on a cluster set up as Debian does."""

import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from billycan.testing import throwaway

pytestmark = [pytest.mark.long, pytest.mark.either]
ROOT = Path(__file__).parents[1]
BIN = Path(sys.executable).parent
DEPLOY, BACKUP = ((ROOT / "docs" / f"{name}.md").read_text("utf-8") for name in ("deploy", "backup"))
# Debian lets in an account of the system by its own name over the socket, and passwords over TCP.
HBA = "local all all peer\nlocal replication all peer\nhost all all 127.0.0.1/32 scram-sha-256\n"
# The server's account is whoever runs the test; what only root may do on a real machine is left out.
SUDO = """
sudo() {
    if [ "$1" = -E ]; then shift 3; "$@"; else shift 2; runuser -u postgres -- "$@"; fi
}
chgrp() { :; }
"""


def printed(section: str, kind: str = "sh", page: str = DEPLOY) -> list[str]:
    text = re.split(r"\n## ", page.partition(f"\n## {section}\n")[2])[0]
    blocks = re.findall(r"^```(\w*)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    return [block for each, block in blocks if each == kind]


class Host:
    """A machine as the page makes it: its commands run in a folder, against a cluster of its own."""

    def __init__(self, folder: Path, cluster: throwaway.Postgres) -> None:
        self.folder, self.query = folder, cluster.url.query
        (folder / "etc").mkdir()
        self.backups = folder / "backups"
        (folder / "deploy").symlink_to(ROOT / "deploy")
        (folder / ".venv").mkdir()
        (folder / ".venv" / "bin").symlink_to(BIN)
        kept = {name: text for name, text in os.environ.items() if not name.startswith(("BILLYCAN_", "PG"))}
        self.environ = kept | {"PGHOST": str(self.query["host"]), "PGPORT": str(self.query["port"])}

    def run(self, block: str, said: str = "", fails: bool = False) -> str:
        block = block.replace("/etc/billycan", f"{self.folder}/etc").replace("-g billycan ", "")
        block = block.replace("127.0.0.1/", f"127.0.0.1:{self.query['port']}/").replace("-o billycan ", "")
        # Where PostgreSQL's account, and where the server's writes.
        block = block.replace("/var/backups/postgresql", f"{self.query['host']}/backups")
        block = block.replace("/var/backups", str(self.backups))
        block = block.replace("/var/lib/postgresql/15/main", f"{self.query['host']}/data")
        block = block.replace("/var/lib/postgresql/15/before", f"{self.query['host']}/before")
        block = block.replace(
            "pg_ctlcluster 15 main", f"{throwaway.find()}/pg_ctl -D {self.query['host']}/data -w -s -l /dev/null"
        )
        done = subprocess.run(
            ["sh", "-euc", SUDO + block],
            cwd=self.folder,
            env=self.environ,
            input=said,
            capture_output=True,
            text=True,
            check=False,
            start_new_session=True,  # without a terminal to ask for passwords at
        )
        assert (done.returncode != 0) == fails, done.stdout + done.stderr
        return done.stdout + done.stderr


@pytest.fixture
def host(tmp_path):
    if os.geteuid() != 0 or not shutil.which("runuser"):
        pytest.skip("The page was NOT TESTED: it takes root")
    held = throwaway.hold_port()
    cluster = throwaway.start(listen_addresses="127.0.0.1", port=str(held.getsockname()[1]))
    if cluster is None:
        pytest.skip("The page was NOT TESTED without PostgreSQL")
    data = Path(str(cluster.url.query["host"])) / "data"
    (data / "pg_hba.conf").write_text(HBA, "utf-8")
    tmp_path.chmod(0o755)
    made = Host(tmp_path, cluster)
    os.kill(int((data / "postmaster.pid").read_text("utf-8").split()[0]), signal.SIGHUP)  # it reads the file anew
    yield made
    cluster.stop()
    held.close()


def test_the_page_is_right_from_the_first_database_to_a_restored_backup(host):
    (create,) = printed("The database")
    host.run(create, "password\npassword\n")
    (files,) = printed("Settings")
    host.run(files)
    (toml,) = printed("Settings", "toml")
    (environment,) = printed("Settings", "")
    set_file = host.folder / "etc" / "billycan.toml"
    written = set_file.read_text("utf-8")

    def configure(user: str) -> None:
        own = toml.replace("//billycan:", f"//{user}:").replace("127.0.0.1/", f"127.0.0.1:{host.query['port']}/")
        set_file.write_text(own + written, "utf-8")

    configure("billycan")
    (host.folder / "etc" / "environment").write_text(
        environment.replace("/etc/billycan", f"{host.folder}/etc"), "utf-8"
    )
    (start,) = printed("Start")
    environ, *lines = start.splitlines()
    migrate = next(line for line in lines if line.endswith("billycan migrate"))
    doctor = next(line for line in lines if line.endswith("billycan doctor"))
    host.run(f"{environ}\n{migrate}")
    assert "isolated by each query\n" in host.run(f"{environ}\n{doctor} || :")

    harden, as_owner = printed("Row-level security")
    said = host.run(f"{environ}\n{harden}", "web-password\nweb-password\n")
    assert f"BILLYCAN_DATABASE=postgresql+psycopg://billycan_web@127.0.0.1:{host.query['port']}/billycan\n" in said
    assert "Searches read every row" not in said
    toml = toml.replace(":password@", ":web-password@")
    configure("billycan_web")
    assert "nothing to do" in host.run(f"{environ}\n{as_owner}")
    seen = host.run(f"{environ}\n{doctor} || :")
    assert "row-level security for the role billycan_web" in seen and "reads every row" not in seen

    (business, *_) = printed("The first business")
    create_business = business.partition("sudo -E -u billycan .venv/bin/billycan keys")[0]
    host.run(f"{environ}\n{create_business}")

    back_up, let_create = printed("Back up", page=BACKUP)
    host.run(let_create)
    assert "FAIL" not in host.run(back_up)
    host.run(f"{environ}\n{create_business}")  # after the backup
    (restore,) = printed("Restore", page=BACKUP)
    found = host.run(f"{environ}\n{restore.rstrip()} || :")
    assert "reads every row" not in found and "row-level security for the role billycan_web" in found
    count = "sudo -u postgres psql -Atc 'SELECT count(*) FROM core_tenants' "
    assert host.run(f"{count} billycan").split()[0] == "2", "a business and its sandbox"
    assert host.run(f"{count} billycan_before").split()[0] == "4"
    go_back_in_time(host, environ, create_business, count)


def go_back_in_time(host, environ, create_business, count):
    """Go back to a moment between two businesses."""
    archiving, target = printed("To any point in time", "", BACKUP)
    keep, put_back, repeat = printed("To any point in time", page=BACKUP)
    data = Path(str(host.query["host"])) / "data"
    with (data / "postgresql.conf").open("a", encoding="utf-8") as file:
        file.write(archiving.replace("/var/backups/postgresql", f"{host.query['host']}/backups"))
    host.run(keep)
    host.run(f"{environ}\n{create_business}")
    moment = host.run("sleep 1; sudo -u postgres psql -Atc 'SELECT now()'; sleep 1").splitlines()[0]
    host.run(f"{environ}\n{create_business}")
    host.run("sudo -u postgres psql -c 'SELECT pg_switch_wal()'")
    assert host.run(f"{count} billycan").split()[0] == "6"
    host.run(put_back)
    with (data / "postgresql.auto.conf").open("a", encoding="utf-8") as file:
        file.write(
            target.replace("/var/backups/postgresql", f"{host.query['host']}/backups").replace(
                "2026-11-27 10:15:00+11", moment
            )
        )
    found = host.run(f"{environ}\n{repeat.rstrip()} || :")
    assert "isolated by each query, and by row-level security" in found
    assert host.run(f"{count} billycan").split()[0] == "4", "the last one is gone, and the one before is there"
    ready = "SELECT pg_is_in_recovery()"
    assert host.run(f"sudo -u postgres psql -Atc '{ready}'").split()[0] == "f"
