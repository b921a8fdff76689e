"""How soon does a crawl begin, and how soon does a large one go on? `make resume`

A new crawl of one host: from the start of the process to the first request at the server. Then a crawl with a million
queued URLs over 50,000 hosts, built straight through the frontier, is taken up: the same, and the memory of all its
processes. The server says when the first request came.
"""

from __future__ import annotations

import argparse
import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from family import children, proportional
from msgspec import structs
from report import machine

from frontiers import opened_frontier
from skitter.clock import steady_clock
from skitter.folder.routesfile import read_routes
from skitter.messages import Discovered
from skitter.settings import DnsSettings, ScopeSettings, Settings
from skitter.supervisor import begin as crawl
from skitter.url.keys import fingerprint

NODES = 2
NETWORK = "127.64.0.0/10"
BATCH = 5000
POLL = 0.1
EVERY = 10
PATIENCE = 60.0


class Start(NamedTuple):
    """What came of one start of a crawl."""

    first: float  # seconds until the first request
    sizes: list[tuple[int, float]]  # the most memory, by seconds since then
    asked: int  # requests in all


class Server:
    """`anyhost.py` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._log = folder / "asked"
        script = Path(__file__).with_name("anyhost.py")
        with self._log.open("wb") as log:
            self._process = subprocess.Popen([sys.executable, script], stdout=log)
        while not (lines := self._lines()):
            time.sleep(0.02)
        self.port = int(lines[0])

    def _lines(self) -> list[str]:
        return self._log.read_text(encoding="ascii").split("\n")[:-1]

    def asked(self) -> list[float]:
        """Returns when each request so far came."""
        return [float(line) for line in self._lines()[1:]]

    def close(self) -> None:
        """Ends it."""
        self._process.terminate()
        self._process.wait()


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--watch", type=float, default=200.0, help="seconds for which the memory is watched")
    options = parser.parse_args()
    print(machine())
    with (
        tempfile.TemporaryDirectory(prefix="skitter-resume-") as scratch,
        contextlib.closing(Server(Path(scratch))) as server,
    ):
        folder = Path(scratch)
        starts = sorted(_start(server, folder / f"new-{turn}") for turn in range(options.rounds))
        print(f"start to first request: {_listed(starts)} s (wanted: under 1.5)")
        began = time.monotonic()
        _build(folder / "large", server.port, options.urls, options.hosts)
        print(f"a frontier of {options.urls} URLs over {options.hosts} hosts built in {time.monotonic() - began:.0f} s")
        watches = [options.watch, *[0.0] * (options.rounds - 1)]
        resumed = [_until_first_request(server, ["--out", str(folder / "large")], watch) for watch in watches]
    print(f"resume to first request: {_listed(sorted(one.first for one in resumed))} s (wanted: under 5)")
    print("memory of all processes, MB, by seconds:", " ".join(f"{at}:{size:.0f}" for at, size in resumed[0].sizes))
    most = max(size for _, size in resumed[0].sizes)
    print(f"the most: {most:.0f} MB, after {resumed[0].asked} requests (wanted: under 700)")
    print(machine())


def _listed(figures: list[float]) -> str:
    return " ".join(f"{figure:.2f}" for figure in figures)


def _build(directory: Path, port: int, urls: int, hosts: int) -> None:
    """Makes the folder of a crawl with so many URLs queued, in shards as of two nodes that were stopped."""
    dns = DnsSettings(allow_nets=(NETWORK,))
    settings = structs.replace(Settings(), dns=dns, scope=ScopeSettings(reach="any"))
    crawl.begin(_made(directory), [f"http://127.64.0.1:{port}/"], settings, time.time())
    routes = read_routes(directory)
    for node in range(NODES):
        owned = range(node, settings.frontier.shards, NODES)
        frontier = opened_frontier(directory, settings, owned, steady_clock(), routes=routes)
        batch: list[Discovered] = []
        for one in _urls(port, urls, hosts):
            if routes.shard_of(one.host) in owned:
                batch.append(one)
            if len(batch) >= BATCH:
                frontier.discover(batch)
                frontier.committer.commit()
                batch.clear()
        frontier.discover(batch)
        frontier.close()


def _made(directory: Path) -> Path:
    directory.mkdir()
    return directory


def _urls(port: int, urls: int, hosts: int) -> Iterator[Discovered]:
    """Yields the URLs, the hosts in turn; each host is an address of its own."""
    for number in range(urls):
        turn = number % hosts
        host = f"127.{64 + turn // 62_500}.{turn // 250 % 250}.{turn % 250 + 1}:{port}"
        href = f"http://{host}/section-{number % 7}/page-{number // hosts}-with-a-name-of-usual-length.html"
        yield Discovered(href, host, fingerprint(href), 2, 0.2 + 0.6 * (number % 97) / 97, f"http://{host}/")


def _start(server: Server, out: Path) -> float:
    arguments = [f"http://127.64.0.1:{server.port}/", "--out", str(out), "--allow-net", NETWORK]
    return _until_first_request(server, arguments, 0).first


def _until_first_request(server: Server, arguments: list[str], watch: float) -> Start:
    """Starts a crawl, looks at it for `watch` seconds after its first request, and ends it."""
    before = len(server.asked())
    began = time.monotonic()
    command = [sys.executable, "-m", "skitter", "crawl", *arguments, "--workers", str(NODES), "--quiet"]
    process = subprocess.Popen(command)
    while len(server.asked()) == before and time.monotonic() < began + PATIENCE:
        time.sleep(POLL)
    sizes = list(_watched(process.pid, watch))
    process.terminate()
    process.wait()
    asked = server.asked()[before:]
    return Start(asked[0] - began if asked else float("inf"), sizes, len(asked))


def _watched(pid: int, watch: float) -> Iterator[tuple[int, float]]:
    """Yields the most memory of each EVERY seconds, and of what is left of `watch`."""
    began = time.monotonic()
    for at in range(0, int(watch) + 1, EVERY):
        most = _memory(pid)
        while time.monotonic() < began + min(at + EVERY, watch):
            time.sleep(POLL)
            most = max(most, _memory(pid))
        yield at, most


def _memory(pid: int) -> float:
    """Returns the megabytes of a process and its children; what they share is counted once."""
    return sum(map(proportional, [pid, *children(pid)])) / 1024


if __name__ == "__main__":
    main()
