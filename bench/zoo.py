"""Do a hundred good hosts fare as well beside the whole zoo as without it? `make zoo`

The good hosts are crawled twice for as long, with the same delay: alone, and with every animal of the zoo among the
seeds. The zoo is a server of its own, so that what the animals cost it does not slow the good hosts. The log of the
good hosts' server judges: requests in a fixed time from the first one on, against what the delay allows.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

from family import children
from plainweb import NETWORK, PlainWeb
from report import machine

ZOO_NETWORK = "127.21.0.0/16"
WANTED = 0.95
ENDING = 5.0
"""Seconds that a crawl is given beyond those that count: for its start."""


class Run(NamedTuple):
    """One crawl, as the good hosts' server saw it."""

    requests: int  # in the time that counts
    longest: float  # time without any request to them
    nodes: int  # processes that crawled: more than one is a node that died
    peak: int  # bytes of memory


def main() -> None:
    """Measures both and prints them; exit code 1 if the zoo costs the good hosts more than a twentieth."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--hosts", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--delay", type=float, default=1.0)
    parser.add_argument("--animals", default="all", help="names with commas between them, or `all`")
    options = parser.parse_args()
    print(machine())
    alone, beside = (_run(options, animals) for animals in ("", options.animals))
    print(machine())
    allowed = options.hosts * options.seconds / options.delay
    share = beside.requests / alone.requests
    print(f"\nbeside the zoo : alone, requests to good hosts {share:.3f} : 1 (wanted: {WANTED})\n")
    print(f"{'':8}{'requests':>10}{'of allowed':>12}{'longest pause':>15}{'nodes':>7}{'peak memory':>13}")
    for name, run in (("alone", alone), ("beside", beside)):
        memory = f"{run.peak / 1024**2:.0f} MB"
        print(f"{name:8}{run.requests:10}{run.requests / allowed:12.1%}{run.longest:13.2f} s{run.nodes:7}{memory:>13}")
    sys.exit(share < WANTED or beside.nodes != 1)


def _run(options: argparse.Namespace, animals: str) -> Run:
    with tempfile.TemporaryDirectory(prefix="skitter-zoo-") as folder:
        good, bad = Path(folder) / "good", Path(folder) / "bad"
        good.mkdir()
        bad.mkdir()
        zoo = PlainWeb(bad, 1, "--animals", animals, "--network", ZOO_NETWORK)
        with PlainWeb(good, options.hosts) as web, zoo:
            for name in ("hosts", "seeds"):  # names of the zoo's one good host are in both: the first to come counts
                lines = [line for line in (bad / name).read_text().splitlines() if ".zoo." in line]
                (Path(folder) / name).write_text((good / name).read_text() + "".join(f"{line}\n" for line in lines))
            nodes, peak = _crawl(Path(folder), options)
            starts = sorted(request.began for request in web.requests())
        counted = [at for at in starts if at < starts[0] + options.seconds]
        longest = max(later - before for before, later in pairwise(counted))
        return Run(len(counted), longest, len(nodes), peak)


def _crawl(folder: Path, options: argparse.Namespace) -> tuple[set[int], int]:
    """Crawls with one node, and returns every process that was one and the most memory that it had."""
    command = [
        *(sys.executable, "-m", "skitter", "crawl", "--seeds", folder / "seeds", "--out", folder / "out", "--quiet"),
        *("--hosts-file", folder / "hosts", "--allow-net", NETWORK, "--allow-net", ZOO_NETWORK, "--scope", "any"),
        *("--delay", str(options.delay), "--max-seconds", str(options.seconds + ENDING), "--workers", "1"),
        *("--set", "scope.suffixes=sim.test zoo.sim.test"),
    ]
    nodes: set[int] = set()
    peak = 0
    with subprocess.Popen(command) as process:
        while process.poll() is None:
            here = children(process.pid)
            nodes.update(here)
            peak = max([peak, *map(_peak, here)])
            time.sleep(0.1)
    return nodes, peak


def _peak(pid: int) -> int:
    try:
        told = Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return 0
    rows = dict(line.split(":", 1) for line in told.splitlines())
    return int(rows["VmHWM"].split()[0]) * 1024 if "VmHWM" in rows else 0


if __name__ == "__main__":
    main()
