"""WARC files move to the bucket: whole, with their indexes, once, and never lost on the way."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pyarrow.dataset as ds
import pytest
from pyarrow.fs import S3FileSystem

from skitter.errors import MachineError
from skitter.settings import StoreSettings
from skitter.store.archive import Archive
from skitter.store.shipping.archive import ShippedArchive
from skitter.store.shipping.sent import read_sent, waiting
from skitter.store.shipping.shipper import PART, Shipper
from tests.store.conftest import a_capture, judge
from tests.store.shipping.conftest import Bucket

pytestmark = pytest.mark.slow
Run = Callable[[Any], Any]


async def filled(archive: Archive, *, pages: int = 5, size: int = 1000) -> None:
    """Stores pages that do not compress, and seals them."""
    for number in range(pages):
        await archive.append(a_capture(f"https://a.example/{number}", os.urandom(size)))
    await archive.roll()


async def indexed(bucket: Bucket, shipper: Shipper) -> None:
    """Sends until nothing is left here: an index is made a moment after its file."""
    while bucket.warc_here():
        await shipper.round()


def test_a_file_moves_with_its_indexes_and_is_whole(bucket: Bucket, run: Run, tmp_path: Path) -> None:
    async def story() -> None:
        async with bucket.archive() as archive:
            await filled(archive)
            (here,) = bucket.warc_here()
            content = here.read_bytes()
            shipper = bucket.shipper(archive)
            await indexed(bucket, shipper)
        key = here.relative_to(bucket.folder).as_posix()
        assert await bucket.content(key) == content
        there = await bucket.there()
        assert sorted(name.split("/")[0] for name in there) == ["cdxj", *["parquet"] * 4, "warc"]
        for name in there:
            if not name.startswith("warc/"):
                assert (bucket.folder / name).read_bytes() == await bucket.content(name)
        assert shipper.trouble is None
        assert (read_sent(bucket.folder).files, read_sent(bucket.folder).bytes) == (1, len(content))
        assert waiting(bucket.folder).files == 0
        copy = tmp_path / here.name
        copy.write_bytes(content)
        judge(copy)

    run(story())


def test_other_clients_read_the_tables_from_the_bucket(bucket: Bucket, run: Run) -> None:
    async def story() -> None:
        async with bucket.archive() as archive:
            for _ in range(2):
                await filled(archive, pages=3)
                bucket.now += 1
            await indexed(bucket, bucket.shipper(archive))

    run(story())
    s3 = bucket.s3
    files = S3FileSystem(
        access_key=s3.key, secret_key=s3.secret, endpoint_override=f"127.0.0.1:{s3.port}", scheme="http"
    )
    captures = ds.dataset(f"{bucket.address.removeprefix('s3://')}/parquet/captures", filesystem=files)
    assert captures.count_rows() == 6
    assert duckdb.sql("SELECT count(*), count(DISTINCT warc_file) FROM captures").fetchall() == [(6, 2)]


def test_parts_are_sent_while_the_file_grows(bucket: Bucket, run: Run) -> None:
    async def story() -> None:
        async with bucket.archive() as archive:
            shipper = bucket.shipper(archive)
            for number in range(3):
                await archive.append(a_capture(f"https://a.example/{number}", os.urandom(PART)))
            await shipper.round()
            await shipper.round()
            assert any("partNumber=2" in line for line in bucket.proxy.asked)
            assert await bucket.there("warc") == {}, "nobody sees half a file"
            assert shipper.waiting_bytes > 3 * PART
            await archive.roll()
            (here,) = bucket.warc_here()
            content = here.read_bytes()
            await indexed(bucket, shipper)
            assert await bucket.content(here.relative_to(bucket.folder).as_posix()) == content

    run(story())


def test_a_bucket_that_fails_while_a_file_grows_costs_a_second_try(bucket: Bucket, run: Run) -> None:
    async def story() -> None:
        async with bucket.archive() as archive:
            shipper = bucket.shipper(archive)
            await archive.append(a_capture("https://a.example/1", os.urandom(PART)))
            await archive.append(a_capture("https://a.example/2", os.urandom(PART)))
            await shipper.round()
            bucket.proxy.fault = 503
            await archive.append(a_capture("https://a.example/3", os.urandom(PART)))
            await archive.roll()
            (here,) = bucket.warc_here()
            content = here.read_bytes()
            await shipper.round()
            assert here.read_bytes() == content
            bucket.proxy.fault = 0
            await indexed(bucket, shipper)
            assert await bucket.content(here.relative_to(bucket.folder).as_posix()) == content

    run(story())


def test_a_file_without_an_index_stays_here_and_holds_nothing_up(bucket: Bucket, run: Run) -> None:
    """As one that is damaged, which has none until it is mended."""

    async def story() -> None:
        async with bucket.archive() as archive:
            await filled(archive)
            bucket.now += 1
            await filled(archive)
        first, second = bucket.warc_here()
        for index in (bucket.folder / "cdxj").glob(f"{first.name.partition('.')[0]}*"):
            index.unlink()
        told: list[str] = []
        shipper = bucket.shipper(buffer_seconds=60, told=told)
        await shipper.round()
        assert len(await bucket.there("warc")) == 2
        assert bucket.warc_here() == [first]
        assert told == [second.name], "safe is what has its indexes there too"
        bucket.now += 1000
        await shipper.round()
        assert shipper.trouble is None

    run(story())


def test_what_is_there_already_is_not_sent_again(bucket: Bucket, run: Run) -> None:
    """As after a kill between the last byte there and the removal here."""

    async def story() -> None:
        async with bucket.archive() as archive:
            await filled(archive)
        (here,) = bucket.warc_here()
        content, key = here.read_bytes(), here.relative_to(bucket.folder).as_posix()
        await bucket.blobs().put(key, content)
        bucket.proxy.asked.clear()
        await indexed(bucket, bucket.shipper())
        assert not [line for line in bucket.proxy.asked if line.startswith(("PUT", "POST")) and "/warc/" in line]
        assert await bucket.content(key) == content

    run(story())


def test_half_a_file_there_is_replaced(bucket: Bucket, run: Run) -> None:
    async def story() -> None:
        async with bucket.archive() as archive:
            await filled(archive)
        (here,) = bucket.warc_here()
        content, key = here.read_bytes(), here.relative_to(bucket.folder).as_posix()
        await bucket.blobs().put(key, content[:100])
        await indexed(bucket, bucket.shipper())
        assert await bucket.content(key) == content

    run(story())


def test_files_of_a_node_that_is_no_more_are_sent_by_its_heir_and_those_of_others_are_not(
    bucket: Bucket, run: Run
) -> None:
    async def story() -> None:
        for node in ("n7", "n1"):
            async with Archive(
                bucket.folder, StoreSettings(), node=node, facts={}, clock=lambda: bucket.now
            ) as archive:
                await filled(archive)
        shipper = bucket.shipper()
        await shipper.round()
        assert [path.name.split("-")[2] for path in bucket.warc_here()] == ["n1"]

    run(story())


def test_a_bucket_that_is_away_too_long_stops_the_crawl_and_lets_it_go_on(bucket: Bucket, run: Run) -> None:
    async def story() -> None:
        async with bucket.archive() as archive:
            shipper = bucket.shipper(archive, buffer_seconds=60)
            await filled(archive)
            bucket.s3.kill()
            try:
                await shipper.round()
                assert shipper.trouble is None, "it is buffered first"
                bucket.now += 61
                await shipper.round()
                assert isinstance(shipper.trouble, MachineError)
                assert "goes on by itself" in str(shipper.trouble)
                assert bucket.address in str(shipper.trouble)
            finally:
                bucket.s3.start()
            await indexed(bucket, shipper)
            await shipper.round()
            assert shipper.trouble is None
            assert len(await bucket.there("warc")) == 1

    run(story())


def test_so_does_one_that_lets_too_much_wait(bucket: Bucket, run: Run) -> None:
    async def story() -> None:
        async with bucket.archive() as archive:
            shipper = bucket.shipper(archive, buffer_bytes=1024**2)
            bucket.proxy.fault = 503
            await filled(archive, pages=3, size=300_000)
            await shipper.round()
            assert shipper.trouble is None
            await filled(archive, pages=1, size=300_000)
            await shipper.round()
            assert shipper.trouble is not None
            assert "slow down" in str(shipper.trouble)
            bucket.proxy.fault = 0
            await indexed(bucket, shipper)
            await shipper.round()
            assert shipper.trouble is None

    run(story())


def test_the_end_waits_a_while_for_the_last_files_and_leaves_the_rest(bucket: Bucket, run: Run) -> None:
    async def story() -> None:
        async with bucket.archive() as archive:
            await filled(archive)
        bucket.proxy.fault = -1
        assert await bucket.shipper().finish(0.1) == 1
        assert len(bucket.warc_here()) == 1
        bucket.proxy.fault = 0
        assert await bucket.shipper().finish(30) == 0
        assert bucket.warc_here() == []

    run(story())


def test_files_are_tagged_for_a_colder_class(bucket: Bucket, run: Run) -> None:
    async def story() -> None:
        async with bucket.archive() as archive:
            await filled(archive)
        await indexed(bucket, bucket.shipper(archive_after=30))
        (key,) = await bucket.there("warc")
        prefix = bucket.address.partition(bucket.s3.bucket)[2].strip("/")
        assert bucket.s3.tags(f"{prefix}/{key}") == {"Skitter-Archive-After": "30"}

    run(story())


def test_a_body_that_is_in_the_bucket_is_not_stored_again(bucket: Bucket, run: Run) -> None:
    async def story() -> None:
        async with bucket.archive() as archive:
            body = os.urandom(5000)
            first = await archive.append(a_capture("https://a.example/1", body))
            await archive.roll()
            await indexed(bucket, bucket.shipper(archive))
            assert bucket.warc_here() == []
            again = await archive.append(a_capture("https://b.example/2", body))
            counts = archive.statistics()
            assert (counts.responses, counts.revisits) == (1, 1)
            assert again.digest == first.digest
            assert again.length < 2000

    run(story())


def test_what_is_sent_and_what_waits_is_counted(bucket: Bucket, run: Run) -> None:
    async def story() -> None:
        async with bucket.archive() as archive:
            shipper = bucket.shipper(archive)
            shipped = ShippedArchive(archive, shipper, 1.0)
            await filled(archive)
            (here,) = bucket.warc_here()
            size = here.stat().st_size
            await shipper.look()
            counts = shipped.statistics()
            assert (counts.sent_bytes, counts.unsent_bytes, counts.captures) == (0, size, 5)
            await indexed(bucket, shipper)
            counts = shipped.statistics()
            assert (counts.sent_bytes, counts.unsent_bytes) == (size, 0)

    run(story())
