"""Copies merged index files to the bucket, and removes there what they were made of.

The order is the one of a merge on disk: the merged file first, then what is in it is removed. Between the two its rows
are there twice, for as long as it takes to delete some objects. What a kill leaves of that is put right at the next
start, by a listing of all indexes.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path
from time import monotonic

from skitter.ports import Blobs
from skitter.store.index.names import is_merged

EVERY = 60.0
"""Seconds between two looks for merged files: they are made every ten minutes at the most."""

FOLDERS = ("parquet", "cdxj")


class MergedCopies:
    """The merged index files of one crawl."""

    def __init__(self, directory: Path, blobs: Blobs) -> None:
        self._directory = directory
        self._blobs = blobs
        self._sizes: dict[str, int] | None = None  # of merged files in the bucket
        self._next = 0.0

    async def send(self) -> None:
        """Copies what is not there yet. BlobsError, OSError if something can't be."""
        if monotonic() < self._next:
            return
        if self._sizes is None:
            await self._put_right()
        for key, path in await asyncio.to_thread(self._files):
            await self._copy(key, path)
        self._next = monotonic() + EVERY

    async def _copy(self, key: str, path: Path) -> None:
        assert self._sizes is not None
        try:
            content = await asyncio.to_thread(path.read_bytes)
            sources = await asyncio.to_thread(sources_of, path)
        except FileNotFoundError:
            return  # it was merged with others just now
        if self._sizes.get(key) == len(content):
            return
        await self._blobs.put(key, content)
        for name in sources:
            await self._blobs.delete(f"{key.rpartition('/')[0]}/{name}{path.suffix}")
        for other in await asyncio.to_thread(self._superseded, key, path):
            await self._blobs.delete(other)
            self._sizes.pop(other, None)
        self._sizes[key] = len(content)

    async def _put_right(self) -> None:
        """Learns what the bucket has, and removes what is in a merged file that it has too."""
        there = [blob for folder in FOLDERS async for blob in self._blobs.list(folder)]
        self._sizes = {blob.key: blob.size for blob in there if is_merged(Path(blob.key).stem)}
        doubled = await asyncio.to_thread(self._doubled, [blob.key for blob in there])
        for key in doubled:
            await self._blobs.delete(key)

    def _files(self) -> list[tuple[str, Path]]:
        return [(path.relative_to(self._directory).as_posix(), path) for path in self._paths()]

    def _paths(self) -> Iterator[Path]:
        for folder in FOLDERS:
            for path in sorted((self._directory / folder).rglob("*-merged-*")):
                if is_merged(path.stem) and path.suffix in (".parquet", ".cdxj"):
                    yield path

    def _superseded(self, key: str, path: Path) -> list[str]:
        """Returns the older merged files of that day in the bucket that are no more here: this one has their rows."""
        assert self._sizes is not None
        day, folder = path.stem.rpartition("-")[0], key.rpartition("/")[0]
        older = [other for other in self._sizes if other.startswith(f"{folder}/{day}-") and other < key]
        return [other for other in older if not (self._directory / other).exists()]

    def _doubled(self, keys: list[str]) -> list[str]:
        assert self._sizes is not None
        inside = {
            f"{key.rpartition('/')[0]}/{name}{path.suffix}"
            for key, path in self._files()
            if self._sizes.get(key) == path.stat().st_size
            for name in sources_of(path)
        }
        return [key for key in keys if key in inside]


def sources_of(path: Path) -> frozenset[str]:
    """Returns what a merged file is made of."""
    if path.suffix == ".cdxj":
        from skitter.store.index.holding import sources_of_lines

        return sources_of_lines(path)
    from skitter.store.compact.tables import Tables  # here: pyarrow takes long to import

    return Tables(path.relative_to(path.parents[4]).parts[0]).sources(path)
