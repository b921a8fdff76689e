"""The twin of `ports.Blobs`: blobs in a table that survives every life, and a service that can be away.

A blob takes a moment to be put. A life that dies meanwhile leaves it or not: it passes a place before the blob is
there, and one after.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping

from skitter.errors import BlobsError
from skitter.ports import Blob
from skitter.sim.life import Life
from skitter.sim.loop import SimLoop

TAKES = 0.03


class MemoryBucket:
    """What all lives have put, and when the service is away."""

    def __init__(self, loop: SimLoop, *, takes: float = TAKES) -> None:
        self.loop = loop
        self.takes = takes
        self.held: dict[str, tuple[bytes, float]] = {}  # content and when, by key
        self.tags: dict[str, Mapping[str, str]] = {}
        self.away: list[tuple[float, float]] = []  # from, until: nothing is answered then

    def is_away(self) -> bool:
        """Whether nothing is answered now."""
        now = self.loop.time()
        return any(since <= now < until for since, until in self.away)


class MemoryBlobs:
    """One life's way to the bucket, see `ports.Blobs`."""

    def __init__(self, bucket: MemoryBucket, life: Life) -> None:
        self._bucket = bucket
        self._life = life

    async def put(self, key: str, content: bytes) -> None:
        """See `ports.Blobs`."""
        await self._wait()
        self.keep(key, content)

    async def create(self, key: str, content: bytes) -> bool:
        """See `ports.Blobs`."""
        await self._wait()
        if key in self._bucket.held:
            return self._bucket.held[key][0] == content
        self.keep(key, content)
        return True

    def begin(self, key: str, tags: Mapping[str, str] | None = None) -> MemoryGrowing:
        """See `ports.Blobs`."""
        return MemoryGrowing(self, key, tags or {})

    async def get(self, key: str) -> bytes | None:
        """See `ports.Blobs`."""
        await self._wait()
        found = self._bucket.held.get(key)
        return None if found is None else found[0]

    async def get_range(self, key: str, start: int, length: int) -> bytes | None:
        """See `ports.Blobs`."""
        content = await self.get(key)
        return None if content is None else content[start : start + length]

    async def find(self, key: str) -> Blob | None:
        """See `ports.Blobs`."""
        await self._wait()
        found = self._bucket.held.get(key)
        return None if found is None else Blob(key, len(found[0]), found[1])

    async def list(self, folder: str) -> AsyncIterator[Blob]:
        """See `ports.Blobs`."""
        await self._wait()
        for key, (content, changed) in sorted(self._bucket.held.items()):
            if not folder or key.startswith(f"{folder.rstrip('/')}/"):
                yield Blob(key, len(content), changed)

    async def delete(self, key: str) -> None:
        """See `ports.Blobs`."""
        await self._wait()
        self._life.at("blobs.delete")
        self._bucket.held.pop(key, None)
        self._life.at("blobs.deleted")

    def keep(self, key: str, content: bytes, tags: Mapping[str, str] | None = None) -> None:
        """Makes a blob be there, at this moment."""
        self._life.at("blobs.put")
        self._bucket.held[key] = (content, self._bucket.loop.time())
        self._bucket.tags[key] = tags or {}
        self._life.at("blobs.there")

    async def _wait(self) -> None:
        self._life.check()
        await asyncio.sleep(self._bucket.takes)
        self._life.check()
        self.refuse_if_away()

    def refuse_if_away(self) -> None:
        """Raises if nothing is answered now."""
        if self._bucket.is_away():
            raise BlobsError("away", "it can't be reached", "the bucket", "It is tried again.")


class MemoryGrowing:
    """See `ports.GrowingBlob`."""

    def __init__(self, blobs: MemoryBlobs, key: str, tags: Mapping[str, str]) -> None:
        self._blobs = blobs
        self._key = key
        self._tags = tags
        self._content = bytearray()

    async def append(self, content: bytes) -> None:
        """See `ports.GrowingBlob`."""
        self._blobs.refuse_if_away()
        self._content += content

    async def complete(self) -> None:
        """See `ports.GrowingBlob`."""
        await self._blobs.find(self._key)  # it takes as long
        self._blobs.keep(self._key, bytes(self._content), self._tags)

    async def abandon(self) -> None:
        """See `ports.GrowingBlob`."""
        self._content.clear()
