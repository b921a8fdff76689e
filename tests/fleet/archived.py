"""What of a web is in the bucket of a fleet, as three readers of WARC files find it."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

from skitter.config.buckets import parse_address
from skitter.messages import Url
from skitter.simweb.log import Request
from skitter.store.blobs.opening import open_blobs
from skitter.url.canon import Canon
from tests.faults.verdict import Archive

BESIDE = ("/robots.txt", "/sitemap.xml")
_canon = Canon()


def brought(address: str, folder: Path) -> Archive:
    """Returns the archive in a bucket, brought to a folder."""

    async def bring() -> None:
        blobs = open_blobs(parse_address(address))
        for part in ("warc", "parquet", "cdxj"):
            async for blob in blobs.list(part):
                path = folder / blob.key
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(await blobs.get(blob.key) or b"")

    asyncio.run(bring())
    return Archive(folder)


def captures(archive: Archive) -> Counter[str]:
    """Returns how often each page is in an archive that is whole, by its key."""
    assert not archive.faults, archive.faults
    kept = [record for record in archive.records.values() if record.kind in ("response", "revisit")]
    return _pages(record.fields["warc-target-uri"] for record in kept)


def answered(requests: Iterable[Request]) -> Counter[str]:
    """Returns how often each page was given whole by the server, by its key."""
    return _pages(one.url for one in requests if one.status == 200)


def indexed(address: str) -> set[str]:
    """Returns the pages that the indexes in a bucket name, by their keys."""

    async def read() -> list[bytes]:
        blobs = open_blobs(parse_address(address))
        return [await blobs.get(blob.key) or b"" async for blob in blobs.list("cdxj")]

    lines = b"".join(asyncio.run(read())).splitlines()
    return set(_pages(json.loads(line.split(b" ", 2)[2])["url"] for line in lines if not line.startswith(b"!")))


def _pages(urls: Iterable[str]) -> Counter[str]:
    found = [_canon(url) for url in urls if not url.endswith(BESIDE)]
    return Counter(url.key for url in found if isinstance(url, Url))
