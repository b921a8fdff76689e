"""Indexes that were merged here are merged in the bucket too: every row is there, and once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from skitter.settings import StoreSettings
from skitter.store.archive import Archive
from skitter.store.compact.compact import compact
from skitter.store.shipping.merged import MergedCopies
from tests.store.conftest import a_capture
from tests.store.shipping.conftest import Bucket

pytestmark = pytest.mark.slow
Run = Callable[[Any], Any]
FILES = 4


async def shipped(bucket: Bucket) -> None:
    """Has files and their loose indexes sent."""
    async with Archive(bucket.folder, StoreSettings(), node="n0", facts={}, clock=lambda: bucket.now) as archive:
        for number in range(FILES):
            await archive.append(a_capture(f"https://a.example/{number}", b"%d" % number))
            await archive.roll()
            bucket.now += 1
    await bucket.shipper().finish(30)


def local_indexes(folder: Path) -> set[str]:
    found = [*(folder / "parquet").rglob("*.parquet"), *(folder / "cdxj").glob("*.cdxj")]
    return {path.relative_to(folder).as_posix() for path in found}


async def indexes(bucket: Bucket) -> set[str]:
    return {*await bucket.there("parquet"), *await bucket.there("cdxj")}


def test_the_bucket_has_what_the_folder_has(bucket: Bucket, run: Run) -> None:
    async def story() -> None:
        await shipped(bucket)
        assert await indexes(bucket) == local_indexes(bucket.folder)
        assert compact(bucket.folder, bucket.now + 2 * 86400) > 0
        await MergedCopies(bucket.folder, bucket.blobs()).send()
        assert await indexes(bucket) == local_indexes(bucket.folder)
        assert len(await indexes(bucket)) == 5
        for key in await indexes(bucket):
            assert await bucket.content(key) == (bucket.folder / key).read_bytes()

    run(story())


def test_a_kill_between_the_copy_and_the_removal_is_put_right(bucket: Bucket, run: Run) -> None:
    async def story() -> None:
        await shipped(bucket)
        before = await indexes(bucket)
        loose = {key: await bucket.content(key) for key in before}
        compact(bucket.folder, bucket.now + 2 * 86400)
        await MergedCopies(bucket.folder, bucket.blobs()).send()
        for key, content in loose.items():  # as if none had been removed
            assert content is not None
            await bucket.blobs().put(key, content)
        await MergedCopies(bucket.folder, bucket.blobs()).send()
        assert await indexes(bucket) == local_indexes(bucket.folder)

    run(story())


def test_nothing_is_removed_that_no_merged_file_has(bucket: Bucket, run: Run) -> None:
    """A folder that has lost its tables must not take those in the bucket with it."""

    async def story() -> None:
        await shipped(bucket)
        before = await indexes(bucket)
        for key in before:
            (bucket.folder / key).unlink()
        await MergedCopies(bucket.folder, bucket.blobs()).send()
        assert await indexes(bucket) == before

    run(story())


def test_two_merges_of_a_day_leave_one_file(bucket: Bucket, run: Run) -> None:
    async def story() -> None:
        await shipped(bucket)
        copies = MergedCopies(bucket.folder, bucket.blobs())
        compact(bucket.folder, bucket.now + 2 * 86400)
        await copies.send()
        await shipped(bucket)
        compact(bucket.folder, bucket.now + 2 * 86400)
        copies._next = 0.0
        await copies.send()
        assert await indexes(bucket) == local_indexes(bucket.folder)
        (table,) = (bucket.folder / "parquet" / "captures").rglob("*.parquet")
        assert pq.read_metadata(table).num_rows == 2 * FILES

    run(story())
