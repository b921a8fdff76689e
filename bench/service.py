"""A service for an hour: `--forever` on a web that lives, killed now and then, its files read by others all the while.

    python -m bench.service --minutes 60 [--seed 1] [--keep DIR]

Every few seconds DuckDB counts the captures, every few minutes pywb replays some of them from the folder as it is, by
the crawl's own indexes; in between the crawl is killed: all of it, one node, or stopped in order. At the end the log of
the server and `skitter audit` judge politeness, and the tables are held against the WARC files. Exit code 1 if anything
was wrong.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
from bench.changing import sites
from bench.wayback import Stored, give_index, pages_of, replayed, replaying, set_up
from msgspec import structs

from skitter.simweb.judge import Findings, judge
from skitter.simweb.log import read_log
from skitter.simweb.settings import PLAIN
from skitter.simweb.world import World
from skitter.store.index.names import is_merged
from skitter.store.warc.places import sealed_files
from skitter.store.warc.reader import Reader

CONFIG = """
[schedule]
every = 60.0
host_class = "news"
classes = ["test news"]
trim_after = 86400.0
rank_every = 600.0
[store]
roll_bytes = 400000
roll_seconds = {roll}
[politeness]
delay = {delay}
[frontier]
shards = 16
"""
ASKED_EVERY = 4.0
"""Seconds between two questions to DuckDB."""
KINDS = ("whole", "node", "in order")
REPLAYED = 40
TOLERANCE = 0.05
"""Seconds by which two requests may come closer than the delay: between our clock and the server's kernel are two
processes that others hold up."""


class Service:
    """A crawl that is started again whenever it has ended."""

    def __init__(self, root: Path, arguments: list[str], minutes: float) -> None:
        self.root, self.out = root, root / "out"
        self._arguments = [sys.executable, "-m", "skitter", *arguments, "--out", str(self.out), "--forever"]
        config = root / "settings.toml"
        config.write_text(CONFIG.format(roll=min(30.0, minutes * 6), delay=1.0))
        self._arguments += ["--config", str(config), "--workers", "2", "--quiet"]
        self.process: subprocess.Popen[bytes] | None = None
        self.ends = Counter[str]()
        self.merged = set[str]()  # all index files that were made of others

    def start(self) -> None:
        """Starts the same command again."""
        with (self.root / "log").open("ab") as log:
            self.process = subprocess.Popen(self._arguments, stdout=log, stderr=log, start_new_session=True)

    def children(self) -> list[int]:
        """Returns the nodes and what else the supervisor has started."""
        assert self.process is not None
        place = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children")
        return [int(child) for child in place.read_text().split()] if place.exists() else []

    def memory(self) -> int:
        """Returns the bytes that its processes hold."""
        assert self.process is not None
        whole = 0
        for pid in (self.process.pid, *self.children()):
            place = Path(f"/proc/{pid}/statm")
            whole += int(place.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") if place.exists() else 0
        return whole

    async def end(self, kind: str, dice: random.Random) -> None:
        """Ends it in one of several ways; but for a single node, it is started again."""
        assert self.process is not None
        self.ends[kind] += 1
        nodes = self.children()
        if kind == "node" and nodes:
            os.kill(dice.choice(nodes), signal.SIGKILL)
            return
        if kind == "in order":
            self.process.terminate()
        else:
            os.killpg(self.process.pid, signal.SIGKILL)
        await asyncio.to_thread(self.process.wait)

    def size(self, part: str) -> int:
        """Returns the bytes of files in a part of the folder."""
        return sum(path.stat().st_size for path in _files(self.out / part))


def _files(folder: Path) -> list[Path]:
    found = []
    for base, _, names in os.walk(folder):
        found += [path for name in names if (path := Path(base) / name).exists()]
    return found


def captures(out: Path) -> int:
    """Returns how many captures DuckDB sees. It asks once: a table that it has listed must be there."""
    query = f"select count(*) from read_parquet('{out}/parquet/captures/**/*.parquet', union_by_name = true)"  # noqa: S608
    try:
        found: int = duckdb.sql(query).fetchall()[0][0]
    except duckdb.IOException as error:
        if "No files found" in str(error):
            return 0
        raise
    return found


class Asking:
    """DuckDB, asked again and again: there must never be fewer captures than there were."""

    def __init__(self, out: Path, wrong: list[str]) -> None:
        self._out, self._wrong = out, wrong
        self.most = self.asked = 0

    async def ask(self) -> None:
        """Asks until it is cancelled."""
        began = time.monotonic()
        while True:
            await asyncio.sleep(ASKED_EVERY)
            self.asked += 1
            try:
                seen = await asyncio.to_thread(captures, self._out)
            except duckdb.Error as error:
                self._wrong.append(f"after {time.monotonic() - began:.0f} s DuckDB: {error}")
                continue
            if seen < self.most:
                self._wrong.append(f"after {time.monotonic() - began:.0f} s {seen} captures, there were {self.most}")
            self.most = max(self.most, seen)


def replay(root: Path, out: Path, dice: random.Random) -> tuple[int, list[str]]:
    """Returns how many captures pywb was asked for, and which came back otherwise than they were stored."""
    root.mkdir()
    give_index(root, out)
    indexed = "".join(path.read_text() for path in sorted((out / "cdxj").glob("*.cdxj")))
    pages: list[Stored] = []
    for file in sealed_files(out / "warc"):
        if file.name in indexed:  # one that was sealed this moment is not in the index yet
            pages += pages_of(file)
    asked = dice.sample(pages, min(REPLAYED, len(pages)))
    with replaying(root) as address:
        return len(asked), [f"{page.at} {page.url}" for page in asked if replayed(address, page) != page.body]


async def serve(options: argparse.Namespace, root: Path) -> list[str]:
    """Runs it; returns what was wrong."""
    dice, wrong = random.Random(options.seed), list[str]()
    with _web(options, root) as arguments:
        service = Service(root, arguments, options.minutes)
        service.start()
        asking = Asking(service.out, wrong)
        task = asyncio.create_task(asking.ask())
        await _watched(service, options, dice, wrong, asking)
        task.cancel()
        await asyncio.wait([task])
        await asyncio.sleep(10)  # it may have been started this moment, and not hear of signals yet
        await service.end("in order", dice)
        assert service.process is not None
        if service.process.returncode not in (0, 3):
            wrong.append(f"the last run ended with {service.process.returncode}")
        print(f"ends: {dict(service.ends)}; index files were merged into {len(service.merged)}")
        if not service.merged:
            wrong.append("nothing was merged, so that nothing is known of readers while it is")
    world = World(PLAIN, plays=sites(options.hosts, options.pages, options.seed, 0.0))
    return wrong + _judged(root, service, world)


@contextlib.contextmanager
def _web(options: argparse.Namespace, root: Path) -> Iterator[list[str]]:
    """Gives the arguments that crawl the web. It is a process of its own: its log is to tell when requests came."""
    size = ["--hosts", str(options.hosts), "--pages", str(options.pages), "--seed", str(options.seed)]
    files = ["--log", str(root / "web.log"), "--hosts-file", str(root / "hosts")]
    command = [sys.executable, "-m", "bench.changing", *size, *files]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield process.stdout.readline().split()[1:]
        finally:
            process.terminate()


async def _watched(
    service: Service, options: argparse.Namespace, dice: random.Random, wrong: list[str], asking: Asking
) -> None:
    began = time.monotonic()
    left = lambda: options.minutes * 60 - (time.monotonic() - began)  # noqa: E731
    next_kill, next_replay, asked = options.minutes * 4, options.minutes * 8, 0
    head = f"{'min':>5}{'captures':>10}{'WARC':>6}{'tables':>8}{'cdxj':>6}{'warc MB':>9}{'front MB':>9}{'RSS MB':>8}"
    print(f"{head}{'fresh':>8}{'replayed':>10}", flush=True)
    while left() > 0:
        assert service.process is not None
        await asyncio.sleep(min(30.0, options.minutes * 2, max(1.0, left())))
        age = time.monotonic() - began
        if service.process.poll() is not None:
            wrong.append(f"after {age:.0f} s it ended by itself with {service.process.returncode}")
            service.start()
        if age >= next_replay:
            next_replay += options.minutes * 8
            place = service.root / f"pywb-{age:.0f}"
            number, differ = await asyncio.to_thread(replay, place, service.out, dice)
            asked += number
            wrong += [f"after {age:.0f} s pywb: {one}" for one in differ]
        print(_line(service, age, asking.most, asked), flush=True)
        if age >= next_kill:
            next_kill += options.minutes * 4 * (0.5 + dice.random())
            kind = dice.choice(KINDS)
            await service.end(kind, dice)
            print(f"      killed: {kind}", flush=True)
            if kind != "node":
                service.start()
    print(f"{asking.most} captures, DuckDB was asked {asking.asked} times; {asked} replayed by pywb")


def _line(service: Service, age: float, seen: int, asked: int) -> str:
    out, mega = service.out, 1e6
    tables = sum(path.suffix == ".parquet" for path in _files(out / "parquet"))
    lists = len(list((out / "cdxj").glob("*.cdxj")))
    service.merged |= {path.name for path in _files(out / "parquet") + _files(out / "cdxj") if is_merged(path.stem)}
    row = f"{age / 60:>5.1f}{seen:>10}{len(sealed_files(out / 'warc')):>6}{tables:>8}{lists:>6}"
    row += f"{service.size('warc') / mega:>9.2f}{service.size('frontier') / mega:>9.2f}{service.memory() / mega:>8.0f}"
    fresh = _fresh(out)
    return f"{row}{'' if fresh is None else f'{fresh:.3f}':>8}{asked:>10}"


def _fresh(out: Path) -> float | None:
    asked = [sys.executable, "-m", "skitter", "status", str(out), "--json"]
    told = subprocess.run(asked, capture_output=True, text=True, check=False)
    found: dict[str, Any] = json.loads(told.stdout) if told.returncode == 0 else {}
    classes = (found.get("freshness") or {}).get("classes", {}).values()
    pages = sum(one["pages"] for one in classes)
    return float(sum(one["fresh"] for one in classes) / pages) if pages else None


def _shortest(found: Findings) -> float:
    return min((visits.shortest_gap for visits in found.hosts.values()), default=0.0)


def _judged(root: Path, service: Service, world: World) -> list[str]:
    """Returns what the server's log, `skitter audit` and the files say against us."""
    wrong = []
    requests = read_log(root / "web.log")
    # When a request came is told by the kernel: the server may be late to read it, on a machine that others use.
    found = judge([structs.replace(one, began=one.arrived) for one in requests], world)
    noted = judge(requests, world)
    late = max((one.waited for one in requests), default=0.0)
    print(f"shortest gap at a host: {_shortest(found):.3f} s by the kernel, {_shortest(noted):.3f} s by when they")
    print(f"were read by the server, up to {late:.3f} s after they had come")
    if early := found.too_early(1.0, TOLERANCE):
        wrong.append(f"asked too early: {early}")
    if found.most_at_once > 1:
        wrong.append(f"a host had {found.most_at_once} requests at once")
    audit = [sys.executable, "-m", "skitter", "audit", str(service.out)]
    told = subprocess.run(audit, capture_output=True, text=True, check=False)
    print(told.stdout.strip())
    if told.returncode:
        wrong.append(f"skitter audit ended with {told.returncode}")
    records = Counter(record.kind for file in sealed_files(service.out / "warc") for record in Reader(file))
    rows = captures(service.out)
    print(
        f"{sum(records.values())} records, {records['response']} responses, {records['revisit']} revisits; {rows} rows"
    )
    if rows != records["response"] + records["revisit"]:
        wrong.append("captures and records differ")
    return wrong


def main() -> None:
    """Runs it, and prints what was wrong."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--hosts", type=int, default=20)
    parser.add_argument("--pages", type=int, default=30, help="of each host, beside articles")
    parser.add_argument("--keep", type=Path, help="a new folder for all files; else they are removed")
    options = parser.parse_args()
    set_up()
    with tempfile.TemporaryDirectory(prefix="skitter-service-") as scratch:
        root = options.keep or Path(scratch)
        root.mkdir(parents=True, exist_ok=True)
        wrong = asyncio.run(serve(options, root))
    for one in wrong:
        print(f"WRONG: {one}")
    print("nothing was wrong" if not wrong else f"{len(wrong)} things were wrong")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
