"""The archive of a demo, brought from its bucket, which ends with the demo."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from skitter.config.buckets import parse_address
from skitter.ports import Blobs
from skitter.store.blobs.opening import open_blobs


def bring_archive(address: str, environment: Mapping[str, str], folder: Path) -> None:
    """Copies the WARC files at `address` to a folder."""
    asyncio.run(_bring(open_blobs(parse_address(address), environment), folder))


async def _bring(blobs: Blobs, folder: Path) -> None:
    (folder / "warc").mkdir(parents=True, exist_ok=True)
    async for blob in blobs.list("warc"):
        place = folder / "warc" / blob.key.rpartition("/")[2]
        place.write_bytes(await blobs.get(blob.key) or b"")
