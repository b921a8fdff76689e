"""What does a bucket cost, and what do kills lose? `make bucket`, or: python -m bench.bucket cost|kills

`cost`: the same pages into a folder and into a bucket, in turn; CPU time of our own processes. `kills`: one crawl into
a bucket whose processes, nodes and S3 server are killed again and again; then the bucket is held against the log of the
web server. Real processes and a real S3 server on loopback.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from skitter.simweb.log import read_log
from tests.cli.test_bucket import Place
from tests.processes import children
from tests.servers.proxy import proxied
from tests.servers.s3 import S3Server

FAULTS = ("all killed", "a node killed", "S3 killed", "S3 says 503", "S3 cuts connections")
ROBOTS = ("/robots.txt", "/sitemap.xml")


class Web(NamedTuple):
    """A simulated web, and the words that begin a crawl of it."""

    log: Path
    command: list[str]


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("cost", "kills"))
    parser.add_argument("--hosts", type=int, default=40)
    parser.add_argument("--pages", type=int, default=25, help="of each host")
    parser.add_argument("--bytes", type=int, default=20_000, help="of each page")
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--faults", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}")
    with tempfile.TemporaryDirectory(prefix="skitter-bucket-") as scratch:
        folder = Path(scratch)
        (folder / "s3").mkdir()
        server = S3Server(folder / "s3")
        server.start()
        try:
            with _web(folder, options) as web:
                (_cost if options.what == "cost" else _kills)(folder, server, web, options)
        finally:
            server.kill()
    print(f"load {os.getloadavg()[0]:.1f}")


@contextmanager
def _web(folder: Path, options: argparse.Namespace) -> Iterator[Web]:
    size = ["--hosts", options.hosts, "--pages-per-host", options.pages, "--page-bytes", options.bytes]
    files = ["--hosts-file", folder / "hosts", "--log", folder / "log"]
    words = [sys.executable, "-m", "skitter.simweb", "--world", "plain", *map(str, [*size, *files])]
    with subprocess.Popen(words, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        seed = json.loads(process.stdout.readline())["seeds"][0]
        begin = [sys.executable, "-m", "skitter", "crawl", seed, "--hosts-file", str(folder / "hosts"), "--json"]
        scope = ["--allow-net", "127.20.0.0/16", "--scope", "any", "--workers", "2", "--set", "scope.suffixes=sim.test"]
        yield Web(folder / "log", [*begin, *scope])
        process.terminate()
        process.wait(10)


def _cost(folder: Path, server: S3Server, web: Web, options: argparse.Namespace) -> None:
    environment = {**os.environ, **server.environment}
    for turn in range(options.rounds):
        for name, out in (("folder", folder / f"out-{turn}"), ("bucket", f"s3://{server.bucket}/cost-{turn}")):
            before = resource.getrusage(resource.RUSAGE_CHILDREN)
            words = [*web.command, "--delay", "0.01", "--out", str(out), "--set", "bucket.roll_seconds=5"]
            done = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, check=True)
            after = resource.getrusage(resource.RUSAGE_CHILDREN)
            told = json.loads(done.stdout.splitlines()[-1])
            used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
            print(
                f"{name}: {told['pages']} pages, {1000 * used / told['pages']:.2f} CPU s per 1000, {told['seconds']} s"
            )
    made = folder / "out-0"
    sizes = {name: sum(p.stat().st_size for p in (made / name).rglob("*") if p.is_file()) for name in _KEPT}
    print("bytes in the folder:", ", ".join(f"{name} {size}" for name, size in sizes.items()))


_KEPT = ("warc", "parquet", "cdxj", "frontier")


def _kills(folder: Path, server: S3Server, web: Web, options: argparse.Namespace) -> None:
    dice, met = random.Random(options.seed), Counter[str]()
    quick = ["bucket.roll_seconds=1", "bucket.buffer_seconds=5", "store.sync_seconds=0.2", "bucket.closing_seconds=5"]
    command = [*web.command, "--delay", "0.2", *(word for pair in quick for word in ("--set", pair))]
    with proxied(server.port) as proxy:
        place = Place(server, proxy, folder, command)
        running = place.start()
        for _ in range(options.faults):
            time.sleep(dice.uniform(0.5, 3))
            fault = dice.choice(FAULTS)
            met[fault] += 1
            if fault == "all killed":
                _kill([running.pid, *children(running.pid)])
            elif fault == "a node killed":
                _kill(children(running.pid)[:1])
            elif fault == "S3 killed":
                server.kill()
                time.sleep(dice.uniform(0, 3))
                server.start()
            else:
                proxy.fault = 503 if fault == "S3 says 503" else -1
                time.sleep(dice.uniform(1, 8))
                proxy.fault = 0
            if running.poll() is not None:
                running = place.start()
        code = running.wait(600)
        while place.here():
            code = place.run(place.crawl).returncode
        _judge(place, web, met, code)


def _kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    deadline = time.monotonic() + 10
    while any(Path(f"/proc/{pid}/cwd").exists() for pid in pids[1:]) and time.monotonic() < deadline:
        time.sleep(0.02)


def _judge(place: Place, web: Web, met: Counter[str], code: int) -> None:
    asked = Counter(one.url for one in read_log(web.log) if one.status == 200 and one.path not in ROBOTS)
    stored = place.pages()  # every file was found valid by three readers
    missing = asked.keys() - stored.keys()
    print("faults:", ", ".join(f"{many} {fault}" for fault, many in met.items()))
    print(f"exit code {code}; pages sent: {len(asked)}, in the bucket: {len(stored)}, missing: {len(missing)}")
    print(f"sent more than once: {sum(many > 1 for many in asked.values())}; files left here: {len(place.here())}")
    assert not missing
    assert not place.here()


if __name__ == "__main__":
    main()
