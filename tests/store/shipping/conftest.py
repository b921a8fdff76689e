"""An archive on disk, a real S3 server behind a proxy that misbehaves on command, and a shipper between them."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from skitter.config.buckets import parse_address
from skitter.ports import Blob
from skitter.settings import BucketSettings, StoreSettings
from skitter.store.archive import Archive
from skitter.store.blobs.blobs import ObstoreBlobs
from skitter.store.blobs.opening import open_blobs
from skitter.store.bodies.heads import Heads
from skitter.store.bodies.memory import Bodies
from skitter.store.shipping.shipper import Shipper
from tests.servers.proxy import Proxy, proxied
from tests.servers.s3 import S3Server
from tests.store.conftest import BEGAN

_prefixes = itertools.count()


class Bucket:
    """A prefix of the server, by way of the proxy."""

    def __init__(self, s3: S3Server, proxy: Proxy, folder: Path) -> None:
        self.s3 = s3
        self.proxy = proxy
        self.folder = folder
        self.address = f"s3://{s3.bucket}/shipping/{next(_prefixes)}"
        self.now = BEGAN

    def blobs(self, **environment: str) -> ObstoreBlobs:
        through = {**self.s3.environment, "AWS_ENDPOINT_URL": self.proxy.endpoint, **environment}
        return open_blobs(parse_address(self.address), through)

    @asynccontextmanager
    async def archive(self) -> AsyncIterator[Archive]:
        bodies = partial(Bodies, self.folder, Heads(self.folder / "bodies", "n0"))
        parts: dict[str, Any] = {"facts": {}, "clock": lambda: self.now, "bodies": bodies}
        async with Archive(self.folder, StoreSettings(), node="n0", **parts) as archive:
            yield archive

    def shipper(self, archive: Archive | None = None, told: list[str] | None = None, **settings: Any) -> Shipper:
        async def on_safe(name: str) -> None:
            if told is not None:
                told.append(name)

        return Shipper(
            self.folder,
            self.blobs(),
            BucketSettings(address=self.address, **settings),
            node="n0",
            heir_of=("n7",),
            copies_merged=True,
            growing=archive.growing if archive is not None else lambda: None,
            clock=lambda: self.now,
            on_safe=on_safe,
        )

    async def there(self, folder: str = "") -> dict[str, Blob]:
        blobs = open_blobs(parse_address(self.address), self.s3.environment)
        return {blob.key: blob async for blob in blobs.list(folder)}

    async def content(self, key: str) -> bytes | None:
        return await open_blobs(parse_address(self.address), self.s3.environment).get(key)

    def warc_here(self) -> list[Path]:
        return sorted(path for path in (self.folder / "warc").rglob("*") if path.is_file())


@pytest.fixture
def bucket(s3: S3Server, tmp_path: Path) -> Iterator[Bucket]:
    with proxied(s3.port) as proxy:
        yield Bucket(s3, proxy, tmp_path / "crawl")


@pytest.fixture
def run() -> Iterator[Callable[[Any], Any]]:
    with asyncio.Runner() as runner:
        yield runner.run
