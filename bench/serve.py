"""nginx in front of a tree, and what its access log says of a crawl."""

from __future__ import annotations

import contextlib
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import nginx
from authority import certified, trust
from tree import Tree, address

FULL = "ssl_session_cache off; ssl_session_tickets off;"
"""For nginx: nobody can take up a session again."""

ROBOTS = "User-agent: *\\nDisallow: /forbidden/\\n"


class Asked(NamedTuple):
    """What a crawler asked for."""

    pages: int  # of the tree, each counted once
    missed: int
    again: int  # requests for a page that had been answered
    robots: int
    others: int  # requests for anything else
    seconds: float  # from the first answer to the last


@contextlib.contextmanager
def served(tree: Tree, folder: Path, *, gzip: bool = False) -> Iterator[Path]:
    """Serves the tree on all its addresses; yields the access log, which is complete afterwards."""
    config = folder / "nginx.conf"
    config.write_text(_config(tree, folder, gzip=gzip), encoding="utf-8")
    with nginx.running(folder, config, address(0), tree.shape.port):
        yield folder / "access.log"


def require_free(port: int) -> None:
    """Ends the program if someone else listens at the port."""
    with socket.socket() as free:
        free.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            free.bind(("", port))
        except OSError:
            sys.exit(f"bench: port {port} is in use; --port chooses another")


def judge(tree: Tree, log: Path) -> Asked:
    """Returns what the log says of one crawl of the tree."""
    start = len(f"{tree.shape.scheme}://")
    wanted = {url[start:] for url in tree.urls}
    lines = nginx.read_log(log)
    pages = [line for line in lines if line.path not in ("/robots.txt", "/sitemap.xml")]  # of both, only asking tells
    if broken := sum(line.status >= 500 for line in lines):
        print(f" {broken} answers of the server were errors: these figures are worth nothing", end="", file=sys.stderr)
    asked = Counter(f"{line.host}{line.path}" for line in pages if line.status == 200)
    got = wanted & asked.keys()
    return Asked(
        pages=len(got),
        missed=len(wanted) - len(got),
        again=sum(asked[page] - 1 for page in got),
        robots=len(lines) - len(pages),
        others=len(pages) - sum(asked[page] for page in got),
        seconds=pages[-1].at - pages[0].at if pages else 0.0,
    )


def trusting(tree: Tree) -> dict[str, str]:
    """Returns the environment in which a contender trusts the servers of a tree."""
    return trust(_addresses(tree)) if tree.shape.scheme == "https" else {}


def _addresses(tree: Tree) -> list[str]:
    return [address(host) for host in range(tree.shape.hosts)]


def _config(tree: Tree, folder: Path, *, gzip: bool) -> str:
    # One socket for all addresses: ten thousand hosts need no ten thousand of them. Strangers are turned away.
    listen = f"listen {tree.shape.port} backlog=4096"
    secure = ""
    if tree.shape.scheme == "https":
        listen += " ssl"
        shown = certified(_addresses(tree)) / "$server_addr.pem"
        # Every new connection is a full handshake.
        secure = f"ssl_certificate {shown}; ssl_certificate_key {shown}; ssl_protocols TLSv1.2 TLSv1.3; {FULL}"
    temporary = " ".join(
        f"{kind}_temp_path {folder / kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return f"""daemon off;
master_process off;
pid {folder / "nginx.pid"};
worker_rlimit_nofile 20000;
events {{ worker_connections 16384; }}
http {{
  {temporary}
  types {{ text/html html; }}
  default_type text/plain;
  log_format judge '$msec\\t$server_addr:$server_port\\t$status\\t$request_uri';
  access_log {folder / "access.log"} judge;
  sendfile on;
  tcp_nopush on;
  keepalive_requests 1000000;
  gzip_static {"on" if gzip else "off"};
  server {{
    {listen};
    {secure}
    allow 127.0.0.0/8;
    deny all;
    root {tree.root}/$server_addr;
    location = /robots.txt {{ return 200 "{ROBOTS}"; }}
    location = /tree.json {{ return 404; }}
  }}
}}
"""
