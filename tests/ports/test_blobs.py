"""The contract of blobs, for a folder, for a real S3 server and for the twin in memory."""

from __future__ import annotations

import asyncio
import contextlib
import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from skitter.config.buckets import Address, parse_address
from skitter.errors import BlobsError
from skitter.ports import Blob, Blobs
from skitter.sim.blobs import MemoryBlobs, MemoryBucket
from skitter.sim.loop import SimLoop
from skitter.store.blobs.opening import open_blobs
from tests.servers.s3 import S3Server

There: TypeAlias = tuple[Callable[[Any], Any], Blobs]
_prefixes = itertools.count()

pytestmark = pytest.mark.slow  # the S3 server takes its time to start


@pytest.fixture(params=["folder", "s3", "memory"])
def there(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[There]:
    if request.param == "memory":
        with contextlib.closing(SimLoop()) as loop:
            yield loop.run_until_complete, MemoryBlobs(MemoryBucket(loop), loop.begin("one"))
            assert loop.troubles == []
        return
    with asyncio.Runner() as runner:
        if request.param == "folder":
            yield runner.run, open_blobs(parse_address(f"file://{tmp_path}/blobs"))
        else:
            server: S3Server = request.getfixturevalue("s3")
            address = Address("s3", server.bucket, f"contract/{next(_prefixes)}")
            yield runner.run, open_blobs(address, server.environment)


async def listed(blobs: Blobs, folder: str) -> list[Blob]:
    return [blob async for blob in blobs.list(folder)]


def test_what_was_put_is_there(there: There) -> None:
    run, blobs = there

    async def story() -> None:
        assert await blobs.get("a/b.txt") is None
        assert await blobs.find("a/b.txt") is None
        await blobs.put("a/b.txt", b"one")
        assert await blobs.get("a/b.txt") == b"one"
        await blobs.put("a/b.txt", b"other")
        assert await blobs.get("a/b.txt") == b"other"
        found = await blobs.find("a/b.txt")
        assert found is not None
        assert (found.key, found.size) == ("a/b.txt", 5)
        await blobs.put("empty", b"")
        assert await blobs.get("empty") == b""

    run(story())


def test_what_was_created_once_is_not_created_again(there: There) -> None:
    run, blobs = there

    async def story() -> None:
        assert await blobs.create("manifest", b"first")
        assert not await blobs.create("manifest", b"second")
        assert await blobs.create("manifest", b"first")  # a try whose answer was lost is no other's work
        assert await blobs.get("manifest") == b"first"

    run(story())


def test_a_part_of_a_blob_is_what_there_is_of_it(there: There) -> None:
    run, blobs = there

    async def story() -> None:
        await blobs.put("digits", b"0123456789")
        wanted = {(0, 3): b"012", (8, 5): b"89", (9, 1): b"9", (10, 4): b"", (20, 4): b""}
        for (start, length), part in wanted.items():
            assert await blobs.get_range("digits", start, length) == part
        assert await blobs.get_range("none", 0, 4) is None

    run(story())


def test_a_listing_is_in_order_and_of_one_folder(there: There) -> None:
    run, blobs = there

    async def story() -> None:
        for key in ("warc/2026/b", "warc/2026/a", "warc2/c", "cdxj/d"):
            await blobs.put(key, key.encode())
        assert [(one.key, one.size) for one in await listed(blobs, "warc")] == [
            ("warc/2026/a", 11),
            ("warc/2026/b", 11),
        ]
        assert [one.key for one in await listed(blobs, "")] == ["cdxj/d", "warc/2026/a", "warc/2026/b", "warc2/c"]
        assert await listed(blobs, "none") == []

    run(story())


def test_what_was_deleted_is_gone_and_may_be_deleted_again(there: There) -> None:
    run, blobs = there

    async def story() -> None:
        await blobs.put("a", b"1")
        await blobs.delete("a")
        await blobs.delete("a")
        assert await blobs.get("a") is None

    run(story())


def test_a_growing_blob_is_seen_when_it_is_complete_and_not_before(there: There) -> None:
    run, blobs = there
    parts = [bytes([number]) * (6 * 1024**2) for number in range(3)]  # more than one part of S3

    async def story() -> None:
        growing = blobs.begin("warc/a.warc.gz", {"skitter": "warc"})
        for part in parts:
            await growing.append(part)
            assert await blobs.find("warc/a.warc.gz") is None
        await growing.complete()
        assert await blobs.get("warc/a.warc.gz") == b"".join(parts)

    run(story())


def test_a_growing_blob_that_was_given_up_was_never_there(there: There) -> None:
    run, blobs = there

    async def story() -> None:
        await blobs.put("a", b"before")
        for size in (10, 20 * 1024**2):
            growing = blobs.begin("a")
            await growing.append(bytes(size))
            await growing.abandon()
        assert await blobs.get("a") == b"before"
        assert [one.key for one in await listed(blobs, "")] == ["a"]

    run(story())


def test_the_twin_is_away_as_a_service_is() -> None:
    with contextlib.closing(SimLoop()) as loop:
        bucket = MemoryBucket(loop)
        blobs = MemoryBlobs(bucket, loop.begin("one"))

        async def story() -> None:
            bucket.away.append((loop.time(), loop.time() + 5))
            with pytest.raises(BlobsError) as caught:
                await blobs.put("a", b"1")
            assert caught.value.kind == "away"
            await asyncio.sleep(5)
            await blobs.put("a", b"1")
            assert await blobs.get("a") == b"1"

        loop.run_until_complete(story())
