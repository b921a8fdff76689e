"""The archive of a crawl that becomes a fleet goes along: its files are mended, then sent to the fleet's bucket."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

from msgspec import structs

from skitter.clock import lasting_clock
from skitter.config.buckets import parse_address
from skitter.errors import MachineError
from skitter.node.build import archive_of
from skitter.settings import Settings
from skitter.store.blobs.opening import open_blobs
from skitter.store.shipping.claim import claim
from skitter.store.shipping.shipper import Shipper
from skitter.store.warc.file import OPEN, node_of
from skitter.store.warc.places import all_files

TELL_EVERY = 5.0
PATIENCE = 24 * 3600.0
"""Seconds after which a bucket that takes nothing is given up."""


def send_archive(directory: Path, settings: Settings) -> Iterator[str]:
    """Sends all WARC files with their indexes, and yields how many are left. MachineError if some can't be sent."""
    nodes = {name for path in all_files(directory / "warc") if (name := node_of(path.name.removesuffix(OPEN)))}
    address = parse_address(settings.bucket.address, "bucket.address")
    with asyncio.Runner() as runner:
        runner.run(claim(directory, open_blobs(address), str(address)))
        if not nodes:
            return
        runner.run(_mend(directory, settings, sorted(nodes)))
        shipper = Shipper(
            directory,
            open_blobs(address),
            settings.bucket,
            node=min(nodes),
            heir_of=nodes,
            copies_merged=True,
            growing=lambda: None,
            clock=lasting_clock(),
        )
        task = runner.get_loop().create_task(shipper.finish(PATIENCE))
        while not runner.run(_is_done(task)):
            trouble = f" ({shipper.trouble.what})" if shipper.trouble is not None else ""
            yield f"sending the archive to {address}: {shipper.sent_bytes:,} bytes so far{trouble}"
        if left := task.result():
            remedy = "Start the same command again when the bucket can be reached: it goes on from here."
            raise MachineError(f"{left} WARC files could not be sent", str(address), remedy)
    yield f"the archive is in {address}"


async def _mend(directory: Path, settings: Settings, nodes: list[str]) -> None:
    """Returns when every file is sealed and has its index, whatever the last run has left."""
    here = structs.replace(settings, bucket=structs.replace(settings.bucket, address=""))
    async with archive_of(directory, here, lasting_clock(), node=nodes[0], heir_of=nodes[1:]):
        pass


async def _is_done(task: asyncio.Task[int]) -> bool:
    done, _ = await asyncio.wait([task], timeout=TELL_EVERY)
    return bool(done)
