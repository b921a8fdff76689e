"""How long does a shard take to come back from S3 on an empty machine? `make restore`

A shard with a million URLs is built through the frontier, and a checkpoint of it is sent to a real S3 server on
loopback. Then the shard is restored into an empty folder, opened, and asked for a URL that it knows: the server, the
disk and the processor are the same for both, and the network is none.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from msgspec import structs

from skitter.clock import steady_clock
from skitter.config.buckets import parse_address
from skitter.messages import Discovered
from skitter.ports import Blobs
from skitter.settings import FrontierSettings, Settings
from skitter.shard.checkpoint.checkpoints import Checkpoints
from skitter.shard.checkpoint.manifest import Manifest
from skitter.shard.rocks import RocksStore, RocksStores, shard_path
from skitter.store.blobs.opening import open_blobs
from skitter.url.keys import fingerprint
from tests.frontiers import opened_frontier, opened_shard
from tests.servers.s3 import S3Server

BATCH = 5000
MEMORY = 64 * 1024**2
WANTED = 30.0


def main() -> None:
    """Measures and prints."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--urls", type=int, default=1_000_000)
    parser.add_argument("--hosts", type=int, default=50_000)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(_machine())
    with tempfile.TemporaryDirectory(prefix="skitter-restore-") as scratch:
        folder = Path(scratch)
        (folder / "s3").mkdir()
        server = S3Server(folder / "s3")
        server.start()
        try:
            _measure(folder, open_blobs(parse_address(f"s3://{server.bucket}/bench"), server.environment), options)
        finally:
            server.kill()
    print(_machine())


def _machine() -> str:
    return f"{os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}"


def _measure(folder: Path, blobs: Blobs, options: argparse.Namespace) -> None:
    began = time.monotonic()
    _build(folder / "old", options.urls, options.hosts)
    print(f"a shard of {options.urls} URLs over {options.hosts} hosts built in {time.monotonic() - began:.0f} s")
    with asyncio.Runner() as runner:
        store = RocksStores(folder / "old", MEMORY).open(0)
        checkpoints = Checkpoints(blobs, "bench", folder / "scratch")
        manifest, seconds = runner.run(_taken(checkpoints, store, 1))
        size = sum(file.size for file in manifest.files)
        print(f"first checkpoint: {len(manifest.files)} files, {size / 1e6:.0f} MB, in {seconds:.2f} s")
        _, seconds = runner.run(_taken(checkpoints, store, 2))
        print(f"another with nothing new: {seconds:.2f} s")
        store.close()
        took = sorted(_restored(runner, blobs, folder, turn) for turn in range(options.rounds))
    listed = " ".join(f"{one:.2f}" for one in took)
    print(f"restored, opened and asked: {listed} s (wanted: under {WANTED:g})")


async def _taken(checkpoints: Checkpoints, store: RocksStore, log_next: int) -> tuple[Manifest, float]:
    began = time.monotonic()
    return await checkpoints.take(0, store.snapshot, log_next), time.monotonic() - began


def _restored(runner: asyncio.Runner, blobs: Blobs, folder: Path, turn: int) -> float:
    empty = folder / f"new-{turn}"
    checkpoints = Checkpoints(blobs, "bench", empty / "scratch")
    began = time.monotonic()
    assert runner.run(checkpoints.restore(0, shard_path(empty, 0), 0)) is not None
    shard = opened_shard(empty, memory=MEMORY)
    known = next(_urls(1, 1)).fingerprint
    assert shard.url(known) is not None, "the shard knows its first URL"
    took = time.monotonic() - began
    shard.close()
    return took


def _build(directory: Path, urls: int, hosts: int) -> None:
    settings = structs.replace(Settings(), frontier=FrontierSettings(shards=1))
    directory.mkdir()
    frontier = opened_frontier(directory, settings, [0], steady_clock())
    batch: list[Discovered] = []
    for one in _urls(urls, hosts):
        batch.append(one)
        if len(batch) >= BATCH:
            frontier.discover(batch)
            frontier.committer.commit()
            batch.clear()
    frontier.discover(batch)
    frontier.close()


def _urls(urls: int, hosts: int) -> Iterator[Discovered]:
    for number in range(urls):
        host = f"h{number % hosts}.example"
        href = f"http://{host}/section-{number % 7}/page-{number // hosts}-with-a-name-of-usual-length.html"
        yield Discovered(href, host, fingerprint(href), 2, 0.2 + 0.6 * (number % 97) / 97, f"http://{host}/")


if __name__ == "__main__":
    main()
