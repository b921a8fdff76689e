"""nginx out of its Debian package, unpacked into .cache and run in the foreground: nothing is installed."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from pages import ROOT

CACHE = ROOT / ".cache" / "nginx"
PACKAGES = ("nginx", "nginx-light")
"""The program was in the second one until Debian 11."""

LOG_FORMAT = r"$msec\t$http_host\t$status\t$request_uri"
"""What `read_log` reads."""

TYPES = {
    "text/html": "html htm",
    "text/plain": "txt c",
    "text/css": "css",
    "text/javascript": "js",
    "text/xml": "xml",
    "image/png": "png",
    "image/gif": "gif",
    "image/svg+xml": "svg",
}


class Site(NamedTuple):
    """One virtual host."""

    name: str
    address: str
    robots: Path


class Line(NamedTuple):
    """One request, as the access log has it."""

    at: float  # when the answer was sent
    host: str
    status: int
    path: str

    @property
    def url(self) -> str:
        """What was asked for."""
        return f"http://{self.host}{self.path}"


def binary() -> str:
    """Returns nginx: the machine's own, or the one of the package."""
    if own := shutil.which("nginx"):
        return own
    unpacked = CACHE / "usr" / "sbin" / "nginx"
    if not unpacked.exists():
        _fetch()
    return str(unpacked)


def _fetch() -> None:
    for package in PACKAGES:
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["apt-get", "download", package], cwd=folder, capture_output=True, check=False)
            for file in Path(folder).glob("*.deb"):
                subprocess.run(["dpkg-deb", "-x", file, CACHE], check=True)
        if (CACHE / "usr" / "sbin" / "nginx").exists():
            return
    sys.exit("bench: no nginx could be downloaded; `apt-get update` may help, or install nginx")


@contextlib.contextmanager
def served(folder: Path, root: Path, sites: Sequence[Site], owners: dict[str, str], port: int) -> Iterator[Path]:
    """Serves the files below `root` on all hosts, each file by its owner; yields the access log."""
    config, log = folder / "nginx.conf", folder / "access.log"
    config.write_text(_config(folder, log, root, sites, owners, port), encoding="utf-8")
    with running(folder, config, sites[-1].address, port):
        yield log


@contextlib.contextmanager
def running(folder: Path, config: Path, address: str, port: int) -> Iterator[None]:
    """Runs nginx with a configuration, from when it answers at an address."""
    process = subprocess.Popen([binary(), "-p", folder, "-c", config, "-e", folder / "error.log"])
    try:
        _wait_until_it_answers(process, address, port)
        yield
    finally:
        process.terminate()
        process.wait()


def read_log(log: Path) -> list[Line]:
    """Returns the requests in the order in which they were answered."""
    rows = (line.split("\t") for line in log.read_text(encoding="utf-8").splitlines())
    return [Line(float(at), host, int(status), path) for at, host, status, path in rows]


def free_port(address: str) -> int:
    """Returns a port that nobody uses at the moment."""
    with socket.socket() as free:
        free.bind((address, 0))
        port: int = free.getsockname()[1]
        return port


def _wait_until_it_answers(process: subprocess.Popen[bytes], address: str, port: int) -> None:
    until = time.monotonic() + 10
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection((address, port), timeout=1):
            return
        time.sleep(0.05)
    sys.exit("bench: nginx does not start")


def _config(folder: Path, log: Path, root: Path, sites: Sequence[Site], owners: dict[str, str], port: int) -> str:
    types = "\n".join(f"    {kind} {ends};" for kind, ends in TYPES.items())
    owned = "\n".join(f'    "{path}" {name};' for path, name in sorted(owners.items()))
    servers = "\n".join(_server(site, root, port) for site in sites)
    temporary = "\n".join(
        f"  {kind}_temp_path {folder / kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return f"""daemon off;
master_process off;
pid {folder / "nginx.pid"};
worker_rlimit_nofile 8192;
events {{ worker_connections 4096; }}
http {{
{temporary}
  types {{
{types}
  }}
  default_type application/octet-stream;
  log_format judge '{LOG_FORMAT}';
  access_log {log} judge;
  keepalive_requests 1000000;
  map_hash_max_size 65536;
  map_hash_bucket_size 512;
  map $uri $owner {{
    default $host;
{owned}
  }}
{servers}
}}
"""


def _server(site: Site, root: Path, port: int) -> str:
    return f"""  server {{
    listen {site.address}:{port};
    server_name {site.name};
    root {root};
    location = /robots.txt {{ alias {site.robots}; }}
    if ($owner != $host) {{ return 301 http://$owner:{port}$request_uri; }}
  }}"""
