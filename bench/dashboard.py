"""The dashboard of a large crawl: what a survey of its hosts costs, and how soon each page answers.

A folder with so many hosts is made, and nothing is fetched: `python bench/dashboard.py --hosts 200000`.
"""

from __future__ import annotations

import argparse
import asyncio
import http.client
import resource
import subprocess
import sys
import tempfile
import time
from collections import defaultdict
from pathlib import Path

from report import machine
from rocksdict import WriteBatch

from skitter.api.server import ApiPlace, serving
from skitter.api.tokens import tokens_in
from skitter.api.whole import whole_app
from skitter.config.load import load
from skitter.console.crawl import FolderConsole
from skitter.folder.routesfile import read_routes
from skitter.messages import State
from skitter.shard import keys
from skitter.shard.records import HOSTS, STATES, HostRecord
from skitter.shard.rocks import RocksStores
from skitter.supervisor.begin import begin

PAGES = (
    "/",
    "/hosts",
    "/hosts?search=77",
    "/hosts?sort=health&order=asc",
    "/judgement",
    "/freshness",
    "/fleet",
    "/log",
)
TOKEN = "o" * 30


def make(folder: Path, hosts: int) -> None:
    """Makes the folder of a crawl that knows so many hosts, each with fifty URLs."""
    settings = load(flags={"scope.reach": "any", "identity.contact": "https://example.org/"}).settings
    begin(folder, ["https://example.org/"], settings, time.time())
    routes = read_routes(folder)
    by_shard: dict[int, list[str]] = defaultdict(list)
    for number in range(hosts):
        host = f"host-{number}.example"
        by_shard[routes.shard_of(host)].append(host)
    stores = RocksStores(folder, 64 * 1024**2)
    counts = [{State.QUEUED: 30, State.DONE: 15, State.SKIPPED: 5}.get(state, 0) for state in State]
    for shard, names in by_shard.items():
        store = stores.open(shard)
        batch = WriteBatch(raw_mode=True)
        for name in names:
            batch.put(keys.counts_key(name), STATES.encode(counts))
            batch.put(keys.host_key(name), HOSTS.encode(HostRecord(name, 1.0, 2.0, requests=20, pages=15)))
        store._db.write(batch)
        store.close()


def survey(folder: Path) -> str:
    """Returns what a survey of all hosts took, in a process of its own as it is made."""
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    subprocess.run([sys.executable, "-m", "skitter.console", str(folder)], check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    size = (folder / "run" / "hosts.arrow").stat().st_size / 1e6
    took = time.monotonic() - began
    return (
        f"survey: {cpu:.1f} s of CPU time ({took:.1f} s), {after.ru_maxrss / 1e3:.0f} MB at most, table {size:.0f} MB"
    )


async def answers(folder: Path) -> None:
    """Prints how soon each page answers, the first time and then the best of five."""
    tokens = folder / "tokens"
    tokens.write_text(f"operator {TOKEN} operator\n", encoding="utf-8")
    tokens.chmod(0o600)
    async with FolderConsole(folder) as console, serving(ApiPlace(0), tokens_in(tokens), whole_app(console)) as where:
        host = where.removeprefix("http://")
        for path in (*PAGES, "/hosts/host-77.example", "/url?url=https://host-77.example/"):
            first, size = await asyncio.to_thread(ask, host, path)
            others = [(await asyncio.to_thread(ask, host, path))[0] for _ in range(5)]
            print(f"{path:<36} {first * 1e3:8.0f} ms at first, {min(others) * 1e3:6.0f} ms then, {size / 1e3:6.1f} kB")
    print(f"the API's process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e3:.0f} MB at most")


def ask(host: str, path: str) -> tuple[float, int]:
    """Returns how long a page took, and its size."""
    began = time.monotonic()
    connection = http.client.HTTPConnection(host, timeout=60)
    connection.request("GET", path, headers={"Authorization": f"Bearer {TOKEN}"})
    answer = connection.getresponse()
    raw = answer.read()
    assert answer.status == 200, (path, answer.status, raw[:500])
    connection.close()
    return time.monotonic() - began, len(raw)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hosts", type=int, default=200_000)
    given = parser.parse_args()
    print(machine())
    with tempfile.TemporaryDirectory() as made:
        make(Path(made), given.hosts)
        print(f"{given.hosts:,} hosts")
        print("before the hosts were ever counted")
        asyncio.run(answers(Path(made)))
        print(survey(Path(made)))
        asyncio.run(answers(Path(made)))
