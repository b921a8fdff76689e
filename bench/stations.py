"""Where does each microsecond of a page go? `make profile`

One real node crawls the pages of the plain case with its stations timed (`probe.py`). Asking for the time costs time
too: what it costs is measured and taken off.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
from cases import CASES, shape_of
from msgspec import structs
from report import machine
from serve import judge, require_free, served, trusting
from tree import Tree, tree_of, with_gzip

from skitter.folder import locks
from skitter.node.status import Command, NodeStart, NodeStatus
from skitter.settings import DnsSettings, PolitenessSettings, ScheduleSettings, ScopeSettings, Settings
from skitter.supervisor import begin as crawl

SAYS = {
    "lease": "the next URL of the host that is ready longest; bringing hosts in",
    "fetch": "address, request, connection, answer; not the sockets themselves",
    "decode": "content coding, charset",
    "parse": "tokens, text, title, directives",
    "canonicalise": "links resolved, canonical, keyed",
    "scope": "which links to offer, and to whom",
    "seen": "discover: new or known, and what is new queued",
    "judge": "copies, soft 404, traps, what a domain has earned",
    "store": "on the main thread: digests, records, compression, hand over, be told",
    "settle": "outcome, records, commit",
    "report": "status for the supervisor",
    "glue": "event loop, sockets, tasks, the collector",
}
THREADS = {
    "skitter-archive": "store: write",
    "skitter-index": "store: index",
    "rocksdb": "frontier: flush and merge",
}
"""Names of threads, by how they begin."""

QUIET = 3
"""Reports without any change after which the crawl is over."""


class Part(NamedTuple):
    """One line."""

    name: str
    seconds: float
    says: str
    calls: float = 0.0


def main() -> None:
    """Crawls once and prints where the time went."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--pages", type=int, help="by default as many as the case has")
    parser.add_argument("--port", type=int, default=8480, help="where nginx listens; it is written into the pages")
    parser.add_argument("--case", choices=[name for name in CASES if not CASES[name].known], default="plain")
    parser.add_argument("--again", action="store_true", help="plan the next visit to each page")
    options = parser.parse_args()
    case = CASES[options.case]
    require_free(options.port)
    tree = tree_of(shape_of(case, options.pages)._replace(port=options.port))
    if case.gzip:
        with_gzip(tree)
    for file in tree.files():
        file.read_bytes()
    with tempfile.TemporaryDirectory(prefix="skitter-profile-") as scratch:
        folder = Path(scratch)
        with served(tree, folder, gzip=case.gzip) as log:
            told = _crawled(tree, folder, again=options.again)
        asked = judge(tree, log)
    print(f"Measured: {machine()}\n\n{case.says}: {tree.says()}; {asked.missed} missed\n")
    print(_table(told, asked.pages))


def _crawled(tree: Tree, folder: Path, *, again: bool) -> dict[str, Any]:
    """Runs a node as a supervisor would, until it has nothing left to do; returns what the probe tells."""
    settings = structs.replace(
        Settings(),
        dns=DnsSettings(allow_nets=("127.0.0.0/8",)),
        politeness=PolitenessSettings(delay=0, address_rate=100_000),
        scope=ScopeSettings(reach="any"),
        schedule=ScheduleSettings(recrawl=again, check_share=0.0),
    )
    out, result = folder / "out", folder / "told.json"
    out.mkdir()
    begun = crawl.begin(out, [tree.seed], settings, time.time())
    (out / "run").mkdir(mode=locks.OURS_ALONE)
    order = NodeStart(str(out), 0, 1, settings, begun.seeds)
    probe = Path(__file__).with_name("probe.py")
    node = subprocess.Popen(
        [sys.executable, probe, result],
        env=os.environ | trusting(tree),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert node.stdin is not None
    try:
        node.stdin.write(msgspec.json.encode(order) + b"\n")
        node.stdin.flush()
        _wait_until_quiet(node)
        node.stdin.write(msgspec.json.encode(Command(stop=True)) + b"\n")
        node.stdin.close()
        list(_reports(node))
    finally:
        node.terminate()  # it has ended, unless we have not got this far
        node.wait()
    told: dict[str, Any] = json.loads(result.read_bytes())
    return told


def _reports(node: subprocess.Popen[bytes]) -> Iterator[NodeStatus]:
    assert node.stdout is not None
    for line in node.stdout:
        yield msgspec.json.decode(line, type=NodeStatus)


def _wait_until_quiet(node: subprocess.Popen[bytes]) -> None:
    before, same = -1, 0
    for status in _reports(node):
        requests = status.counted.requests
        same = same + 1 if status.idle and requests == before else 0
        before = requests
        if same >= QUIET:
            return


# What is shown


def _table(told: dict[str, Any], pages: int) -> str:
    parts = [*_stations(told, pages), *_threads(told)]
    total = sum(part.seconds for part in parts)
    head = "| station | µs a page | share | calls a page | |\n|---|---|---|---|---|"
    lines = [
        f"| {part.name} | {part.seconds / pages * 1e6:.1f} | {part.seconds / total:.1%} | "
        f"{f'{part.calls:.1f}' if part.calls else ''} | {part.says} |"
        for part in sorted(parts, key=lambda part: -part.seconds)
    ]
    clocks = sum(told["switches"].values()) * told["overhead"]
    notes = [
        f"{total / pages * 1e6:.0f} µs a page in all, {pages} pages. Of the main thread's time "
        f"{told['kernel'] / told['main']:.0%} was in the kernel.",
        f"Taken off for asking the time: {clocks / pages * 1e6:.0f} µs a page. Beside these: {told['start']:.2f} s to "
        f"start, {told['end']:.2f} s to close (last file sealed, index and tables written).",
    ]
    return "\n".join([head, *lines, "", *notes])


def _stations(told: dict[str, Any], pages: int) -> list[Part]:
    """Returns the stations of the main thread, each without what its clock cost."""
    return [
        Part(
            name,
            max(0.0, spent - told["switches"].get(name, 0) * told["overhead"]),
            SAYS.get(name, ""),
            told["calls"].get(name, 0) / pages,
        )
        for name, spent in told["spent"].items()
    ]


def _threads(told: dict[str, Any]) -> list[Part]:
    found: dict[str, float] = {}
    for name, spent in told["threads"].items():
        says = next((says for start, says in THREADS.items() if name.startswith(start)), f"thread {name}")
        found[says] = found.get(says, 0.0) + spent
    parts = [Part(says, spent, "a thread of its own") for says, spent in found.items() if spent > 0]
    gone = told["process"] - told["main"] - sum(found.values())
    return [*parts, Part("threads that have ended", max(0.0, gone), "")]


if __name__ == "__main__":
    main()
