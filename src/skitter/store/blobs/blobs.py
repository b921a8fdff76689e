"""The port `Blobs` on obstore: S3, Google Cloud Storage, Azure and folders alike."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING

import obstore
from obstore.exceptions import AlreadyExistsError, BaseError

from skitter.ports import Blob
from skitter.store.blobs.troubles import trouble_of

if TYPE_CHECKING:
    from obstore import AsyncWritableFile, ObjectMeta
    from obstore.store import ObjectStore

PART = 8 * 1024**2
"""Bytes that a growing blob is sent in; S3 wants 5 MiB at least, and 10,000 parts at most."""

AT_ONCE = 3
"""Parts of a blob on their way at a time."""


class ObstoreBlobs:
    """See `ports.Blobs`. `address` is what errors call it."""

    def __init__(self, store: ObjectStore, address: str) -> None:
        self._store = store
        self._address = address

    async def put(self, key: str, content: bytes) -> None:
        """See `ports.Blobs`."""
        with self._as_ours():
            await obstore.put_async(self._store, key, content, use_multipart=False)

    async def create(self, key: str, content: bytes) -> bool:
        """See `ports.Blobs`."""
        with self._as_ours():
            try:
                await obstore.put_async(self._store, key, content, mode="create", use_multipart=False)
            except AlreadyExistsError:
                # It may be ours: a try whose answer was lost is made again.
                return await self.get(key) == content
        return True

    def begin(self, key: str, tags: Mapping[str, str] | None = None) -> GrowingBlob:
        """See `ports.Blobs`."""
        writer = obstore.open_writer_async(
            self._store, key, buffer_size=PART, max_concurrency=AT_ONCE, tags=dict(tags) if tags else None
        )
        return GrowingBlob(writer, self._address)

    async def get(self, key: str) -> bytes | None:
        """See `ports.Blobs`."""
        with self._as_ours():
            try:
                found = await obstore.get_async(self._store, key)
                return bytes(await found.bytes_async())
            except FileNotFoundError:
                return None

    async def get_range(self, key: str, start: int, length: int) -> bytes | None:
        """See `ports.Blobs`."""
        with self._as_ours():
            try:
                return bytes(await obstore.get_range_async(self._store, key, start=start, length=length))
            except FileNotFoundError:
                return None
            except BaseError:
                # Services differ in what they say to a range that begins at the end or beyond it.
                found = await self.find(key)
                if found is None or (0 <= start < found.size and length > 0):
                    raise
                return b""

    async def find(self, key: str) -> Blob | None:
        """See `ports.Blobs`."""
        with self._as_ours():
            try:
                return _blob(await obstore.head_async(self._store, key))
            except FileNotFoundError:
                return None

    async def list(self, folder: str) -> AsyncIterator[Blob]:
        """See `ports.Blobs`."""
        with self._as_ours():
            found = [_blob(meta) async for some in obstore.list(self._store, folder or None) for meta in some]
        for blob in sorted(found, key=lambda blob: blob.key):
            yield blob

    async def delete(self, key: str) -> None:
        """See `ports.Blobs`."""
        with self._as_ours(), suppress(FileNotFoundError):
            await obstore.delete_async(self._store, key)

    @contextmanager
    def _as_ours(self) -> Iterator[None]:
        with as_trouble(self._address):
            yield

    def __repr__(self) -> str:
        return f"<Blobs at {self._address}>"


class GrowingBlob:
    """See `ports.GrowingBlob`."""

    def __init__(self, writer: AsyncWritableFile, address: str) -> None:
        self._writer = writer
        self._address = address

    async def append(self, content: bytes) -> None:
        """See `ports.GrowingBlob`."""
        with as_trouble(self._address):
            await self._writer.write(content)

    async def complete(self) -> None:
        """See `ports.GrowingBlob`."""
        with as_trouble(self._address):
            await self._writer.close()

    async def abandon(self) -> None:
        """See `ports.GrowingBlob`."""
        with suppress(BaseError, OSError):
            # The parts that were sent are dropped there; those of a process that died are the bucket's to sweep.
            await self._writer.__aexit__(KeyboardInterrupt, None, None)


@contextmanager
def as_trouble(address: str) -> Iterator[None]:
    """Turns the library's errors into ours."""
    try:
        yield
    except (BaseError, OSError) as error:
        # Without its cause: what the library tells of itself is not for logs.
        raise trouble_of(error, address) from None


def _blob(meta: ObjectMeta) -> Blob:
    return Blob(meta["path"], meta["size"], meta["last_modified"].timestamp())
