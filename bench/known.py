"""A frontier that knows many URLs already: made once, copied for each run.

All of them are queued on hosts that are paused, so that a crawl fetches the same pages as with an empty frontier while
its store is that of a large crawl.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
import zlib
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from msgspec import structs
from pages import ROOT
from tree import Tree

from frontiers import opened_frontier
from skitter.clock import steady_clock
from skitter.folder.routesfile import read_routes
from skitter.messages import Discovered
from skitter.settings import DnsSettings, ScopeSettings, Settings
from skitter.shard import keys, records
from skitter.supervisor import begin as crawl
from skitter.url.keys import fingerprint

CACHE = ROOT / ".cache" / "bench" / "known"
HOSTS = 1000
"""Few, so that bringing them into memory costs next to nothing."""

BATCH = 5000


def copied(tree: Tree, urls: int, out: Path) -> None:
    """Puts a crawl of the tree that knows so many URLs into `out`."""
    made = CACHE / f"{urls}-{tree.shape.port}-{_format():08x}"
    if not made.exists():
        began = time.monotonic()
        _make(made.with_name(f"{made.name}.part"), tree, urls)
        made.with_name(f"{made.name}.part").rename(made)
        print(f"bench: made a frontier of {urls} URLs, once, in {time.monotonic() - began:.0f} s", file=sys.stderr)
    shutil.copytree(made, out, copy_function=_link_or_copy)


def _format() -> int:
    """Returns a number that changes with the format of the frontier."""
    return zlib.crc32(b"".join(Path(str(module.__file__)).read_bytes() for module in (keys, records)))


def _link_or_copy(source: str, target: str) -> None:
    # RocksDB never changes a table that it has written.
    (os.link if source.endswith(".sst") else shutil.copy2)(source, target)


def _make(directory: Path, tree: Tree, urls: int) -> None:
    shutil.rmtree(directory, ignore_errors=True)
    directory.mkdir(parents=True)
    dns = DnsSettings(allow_nets=("127.0.0.0/8",))
    settings = structs.replace(Settings(), dns=dns, scope=ScopeSettings(reach="any"))
    crawl.begin(directory, [tree.seed], settings, time.time())
    routes = read_routes(directory)
    frontier = opened_frontier(directory, settings, range(routes.shards), steady_clock(), routes=routes)
    left = _urls(tree.shape.port, urls)
    while batch := list(islice(left, BATCH)):
        frontier.discover(batch)
        frontier.committer.commit()
    for number in range(HOSTS):
        frontier.operator.pause(_host(number, tree.shape.port))
    frontier.close()


def _host(number: int, port: int) -> str:
    return f"127.200.{number // 250}.{number % 250 + 1}:{port}"


def _urls(port: int, urls: int) -> Iterator[Discovered]:
    for number in range(urls):
        host = _host(number % HOSTS, port)
        href = f"http://{host}/section-{number % 7}/page-{number // HOSTS}-with-a-name-of-usual-length.html"
        yield Discovered(href, host, fingerprint(href), 2, 0.2 + 0.6 * (number % 97) / 97, f"http://{host}/")
