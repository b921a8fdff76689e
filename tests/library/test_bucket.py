"""Pages of a crawl whose archive is in a bucket: read from there, and not crawled from Python."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

import skitter
from skitter.config.buckets import parse_address
from skitter.errors import OperatorError
from skitter.settings import BucketSettings, StoreSettings
from skitter.store.archive import Archive
from skitter.store.blobs.opening import open_blobs
from skitter.store.shipping.claim import claim
from skitter.store.shipping.shipper import Shipper
from tests.store.conftest import a_capture


@pytest.mark.slow
def test_pages_are_read_from_the_bucket(tmp_path: Path) -> None:
    folder, address = tmp_path / "crawl", parse_address(f"file://{tmp_path}/bucket")
    blobs = open_blobs(address)

    async def story() -> None:
        folder.mkdir()
        await claim(folder, blobs, str(address))
        async with Archive(folder, StoreSettings(), node="n0", facts={}, clock=lambda: 1.0) as archive:
            await archive.append(a_capture("https://a.example/1", b"one"))
        shipper = Shipper(
            folder,
            blobs,
            BucketSettings(address=str(address)),
            node="n0",
            heir_of=(),
            copies_merged=True,
            growing=lambda: None,
            clock=lambda: 1.0,
        )
        assert await shipper.finish(30) == 0

    asyncio.run(story())
    assert not list((folder / "warc").rglob("*.gz"))
    assert [page.url for page in skitter.read(folder)] == ["https://a.example/1"]
    assert not list((folder / "bucket").glob("brought*"))


def test_a_crawl_from_python_has_a_folder(tmp_path: Path) -> None:
    with pytest.raises(OperatorError, match=r"bucket.address.*skitter.read"):
        list(skitter.crawl("http://127.0.0.1/", tmp_path / "x", settings={"bucket.address": "s3://bucket/x"}))
