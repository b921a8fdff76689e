"""The files of a crawl are brought back from its bucket: all of them, only them, and not for long."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from skitter.errors import MachineError
from skitter.store.shipping import bringing
from skitter.store.shipping.bringing import with_bucket
from skitter.store.shipping.claim import claim
from tests.store.conftest import a_capture
from tests.store.shipping.conftest import Bucket

pytestmark = pytest.mark.slow
Run = Callable[[Any], Any]
FOREIGN = ("warc/theirs.txt", "warc/2026/11/18/skitter-20261115204640-n1-00000.warc.gz.open", "warc/x/y.warc.gz")


class _Disk(NamedTuple):
    free: int


@pytest.fixture
def shipped(bucket: Bucket, run: Run, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """A crawl with one file in the bucket and one here; returns the names of both."""
    for name, value in {**bucket.s3.environment, "AWS_ENDPOINT_URL": bucket.proxy.endpoint}.items():
        monkeypatch.setenv(name, value)

    async def story() -> list[str]:
        await claim(bucket.folder, bucket.blobs(), bucket.address)
        names = []
        for number in range(2):
            async with bucket.archive() as archive:
                await archive.append(a_capture(f"https://a.example/{number}", b"%d" % number))
            names += [path.name for path in bucket.warc_here()]
            bucket.now += 1
            if number == 0:
                await bucket.shipper().finish(30)
        for key in FOREIGN:
            await bucket.blobs().put(key, b"foreign")
        return names

    return list(run(story()))


def test_all_files_are_there_and_no_other(bucket: Bucket, shipped: list[str]) -> None:
    said: list[str] = []
    with with_bucket(bucket.folder, said.append) as folder:
        brought = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix == ".gz")
        assert [path.name for path in brought] == shipped
        assert all(path.stat().st_size > 500 for path in brought)
    assert not folder.exists()
    assert len(said) == 1
    assert [path.name for path in bucket.warc_here()] == shipped[1:]


def test_a_crawl_into_a_folder_is_read_where_it_is(tmp_path: Path) -> None:
    with with_bucket(tmp_path, lambda _: None) as folder:
        assert folder == tmp_path


def test_without_room_for_them_it_is_said(bucket: Bucket, shipped: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bringing.shutil, "disk_usage", lambda _: _Disk(1000))
    with pytest.raises(MachineError, match="Make room"), with_bucket(bucket.folder, lambda _: None):
        pass
    assert not list((bucket.folder / "bucket").glob("brought*"))
