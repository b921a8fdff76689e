"""What does a TLS handshake cost the client? Full and resumed, by Skitter, libcurl and rustls, against one nginx."""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import borrow
import nginx
from authority import TRUSTED, certified, trust
from report import machine
from serve import FULL
from tree import address

SERVER = address(0)
HANDSHAKER = Path(__file__).parent / "peers" / "handshaker.py"
RESUMED = "ssl_session_cache off; ssl_session_tickets on;"


class Client(NamedTuple):
    """Who connects, and the package that it needs from PyPI."""

    says: str
    package: str = ""


CLIENTS = {
    "ours": Client("**Skitter**: rustls, uvloop"),
    "openssl": Client("Skitter without rustls: Python's ssl, uvloop"),
    "ssl": Client("Python's ssl and uvloop, nothing tuned"),
    "curl": Client("libcurl, OpenSSL of its wheel", "pycurl"),
    "rustls": Client("reqwest, rustls", "pyreqwest"),
}
MODES = ("plain", "full", "resumed")
Costs = dict[str, dict[str, list[float]]]


def main() -> None:
    """Lets the clients connect by turns and prints a table: the cheapest round of each counts."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--number", type=int, default=400, help="connections in a round")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=CLIENTS, default=list(CLIENTS))
    options = parser.parse_args()
    pythons = {name: python for name in options.only if (python := _python(CLIENTS[name])) is not None}
    with tempfile.TemporaryDirectory(prefix="skitter-handshakes-") as scratch, _served(Path(scratch)) as ports:
        costs: Costs = defaultdict(lambda: defaultdict(list))
        for _ in range(options.rounds):
            for name, python in pythons.items():
                for mode, port in ports.items():
                    costs[name][mode].append(_cost(python, name, mode, port, options.number))
        reused = _reused(Path(scratch) / "access.log", ports["resumed"])
    print(f"Measured: {machine()}\n\n{_table(costs, reused)}")


def _python(client: Client) -> list[str] | None:
    if not client.package:
        return [sys.executable]
    program = borrow.python_with(client.package)
    return program and program.command


def _cost(python: list[str], name: str, mode: str, port: int, number: int) -> float:
    url = f"{'http' if mode == 'plain' else 'https'}://{SERVER}:{port}/{name}"
    command = [*python, HANDSHAKER, name, url, certified([SERVER]) / TRUSTED, str(number)]
    environment = os.environ | trust([SERVER])
    return float(subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout)


@contextlib.contextmanager
def _served(folder: Path) -> Iterator[dict[str, int]]:
    """Runs nginx; yields the port for each mode."""
    ports = {mode: nginx.free_port(SERVER) for mode in MODES}
    config = folder / "nginx.conf"
    config.write_text(_config(folder, ports), encoding="utf-8")
    with nginx.running(folder, config, SERVER, ports["plain"]):
        yield ports


def _config(folder: Path, ports: dict[str, int]) -> str:
    shown = certified([SERVER]) / f"{SERVER}.pem"
    secure = f"ssl_certificate {shown}; ssl_certificate_key {shown}; ssl_protocols TLSv1.2 TLSv1.3;"
    answer = 'location / { return 200 "hello"; }'
    temporary = " ".join(
        f"{kind}_temp_path {folder / kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    return f"""daemon off; master_process off; pid {folder / "nginx.pid"};
events {{ worker_connections 1024; }}
http {{
  {temporary}
  log_format judge '$server_port $ssl_session_reused $ssl_protocol $uri';
  access_log {folder / "access.log"} judge;
  server {{ listen {SERVER}:{ports["plain"]}; {answer} }}
  server {{ listen {SERVER}:{ports["full"]} ssl; {secure} {FULL} {answer} }}
  server {{ listen {SERVER}:{ports["resumed"]} ssl; {secure} {RESUMED} {answer} }}
}}
"""


def _reused(log: Path, port: int) -> dict[str, str]:
    """Returns for each client the share of its connections to the port that took up a session again."""
    asked, reused = Counter[str](), Counter[str]()
    for line in log.read_text(encoding="utf-8").splitlines():
        at, again, _, path = line.split(" ")
        if int(at) == port:
            asked[path[1:]] += 1
            reused[path[1:]] += again == "r"
    return {name: f"{reused[name] / asked[name]:.0%}" for name in asked}


def _table(costs: Costs, reused: dict[str, str]) -> str:
    """Returns a row for each client; what TLS adds is what is left when a connection without it is taken off."""
    head = "| CPU µs | connect and GET | a full handshake adds | a resumed one adds | resumed |"
    lines = [head, "|---|---|---|---|---|"]
    for name, modes in costs.items():
        plain, full, resumed = (min(modes[mode]) for mode in MODES)
        added = f"{full - plain:.0f} | {resumed - plain:.0f} | {reused[name]}"
        lines.append(f"| {CLIENTS[name].says} | {plain:.0f} | {added} |")
    return "\n".join(lines)


if __name__ == "__main__":
    main()
