"""Takes checkpoints of shards, restores shards from them, and sweeps out what no checkpoint names.

A snapshot of a RocksDB store is a folder of links and takes milliseconds; then its files are sent while the store goes
on. Only those that the newest checkpoint does not name already are: tables never change, and most stay. The manifest
comes last and is created once, so that a checkpoint is there whole or not at all, whoever dies when.

A file may be swept only if no manifest names it and it is much older than the newest: one that is younger may belong to
a checkpoint that is being taken. For the same reason a file is sent again unless the newest manifest names it, though
it may be there: the sweeper may be about to remove it.
"""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Coroutine, Iterable
from pathlib import Path
from typing import Any

from skitter.errors import MachineError
from skitter.ports import Blob, Blobs
from skitter.shard.checkpoint import manifest as manifests
from skitter.shard.checkpoint.files import PIECE, Digests, digest_of, piece_of
from skitter.shard.checkpoint.manifest import CheckpointFile, Manifest

AT_ONCE = 8
"""Files that are on their way at a time."""

KEEP = 2
"""Checkpoints of a shard that are kept: if a file of the newest is damaged, the one before serves."""

YOUNG = 3600.0
"""Seconds that a file which no manifest names is kept before the newest manifest: longer than it takes to send one."""


class Checkpoints:
    """The checkpoints of one crawl. `scratch` is a folder on the disk that the stores are on."""

    def __init__(self, blobs: Blobs, crawl: str, scratch: Path) -> None:
        self._blobs = blobs
        self._crawl = crawl
        self._scratch = scratch
        self._digests: dict[int, Digests] = {}

    async def take(self, shard: int, snapshot: Callable[[Path], None], log_next: int) -> Manifest:
        """Returns the checkpoint of a shard whose store holds its log up to, and without, `log_next`.

        `snapshot` makes a folder of the store's files, before anything is waited for. BlobsError if something could not
        be sent: then there is no such checkpoint.
        """
        folder = self._scratch / f"{shard:04d}"
        shutil.rmtree(folder, ignore_errors=True)
        folder.parent.mkdir(parents=True, exist_ok=True)
        snapshot(folder)
        try:
            return await self._send(shard, folder, log_next)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def _send(self, shard: int, folder: Path, log_next: int) -> Manifest:
        newest = await self.newest(shard)
        named = set() if newest is None else {file.sha256 for file in newest.files}
        files = await asyncio.to_thread(self._digests.setdefault(shard, Digests()).listed, folder)
        missing = {file.sha256: file for file in files if file.sha256 not in named}
        await _all(self._put(shard, folder / file.name, file) for file in missing.values())
        manifest = Manifest(manifests.VERSION, self._crawl, shard, log_next, files)
        key = manifests.manifest_key(shard, log_next)
        if await self._blobs.create(key, manifests.encode(manifest)):
            return manifest
        return await self._read(shard, key)  # of the same place in the log: as good as ours

    async def _put(self, shard: int, path: Path, file: CheckpointFile) -> None:
        growing = self._blobs.begin(manifests.file_key(shard, file.sha256))
        try:
            for at in range(0, file.size, PIECE):
                await growing.append(await asyncio.to_thread(piece_of, path, at))
            await growing.complete()
        except BaseException:
            await growing.abandon()
            raise

    async def newest(self, shard: int) -> Manifest | None:
        """Returns the newest checkpoint of a shard, None if it has none. OperatorError if it is another crawl's."""
        keys = await self._keys(shard)
        return await self._read(shard, keys[-1].key) if keys else None

    async def _keys(self, shard: int) -> list[Blob]:
        found = self._blobs.list(manifests.manifest_folder(shard))
        return [blob async for blob in found if manifests.next_in(blob.key) is not None]

    async def _read(self, shard: int, key: str) -> Manifest:
        return manifests.decode(await self._blobs.get(key) or b"", key, crawl=self._crawl, shard=shard)

    # On a machine that has nothing

    async def restore(self, shard: int, path: Path, log_begins: int) -> Manifest | None:
        """Makes the store of a shard at `path` from its newest checkpoint that is whole; None if it has none.

        Its log is to be replayed from `next` on. MachineError if no checkpoint is left that the log, which begins at
        `log_begins`, goes on from: what lies between is lost, and the shard must not go on as if it were not.
        """
        keys = await self._keys(shard)
        trouble: MachineError | None = None
        for blob in reversed(keys):
            try:
                manifest = await self._read(shard, blob.key)
                if manifest.next < log_begins:
                    raise _too_old(blob.key, manifest.next, log_begins)
                await self._bring(manifest, path)
            except MachineError as error:
                if getattr(error, "kind", None) is not None:
                    raise  # the bucket's: an older checkpoint is no better
                trouble = trouble or error
            else:
                return manifest
        if trouble is not None:
            raise trouble
        if log_begins > 0:
            raise _too_old(manifests.manifest_folder(shard), 0, log_begins)
        return None

    async def _bring(self, manifest: Manifest, path: Path) -> None:
        hidden = path.with_name(f".{path.name}.restored")
        shutil.rmtree(hidden, ignore_errors=True)
        hidden.mkdir(parents=True)
        await _all(self._get(manifest.shard, hidden / file.name, file) for file in manifest.files)
        shutil.rmtree(path, ignore_errors=True)
        hidden.rename(path)

    async def _get(self, shard: int, path: Path, file: CheckpointFile) -> None:
        key = manifests.file_key(shard, file.sha256)
        with path.open("wb") as stream:
            while stream.tell() < file.size:
                part = await self._blobs.get_range(key, stream.tell(), PIECE)
                if not part:
                    raise _missing(key, file)
                await asyncio.to_thread(stream.write, part)
            stream.flush()
            await asyncio.to_thread(os.fsync, stream.fileno())
        if path.stat().st_size != file.size or await asyncio.to_thread(digest_of, path) != file.sha256:
            raise _missing(key, file)

    # Sweeping

    async def sweep(self, shard: int) -> int:
        """Removes checkpoints but the newest few, and files that none names; returns how many blobs."""
        keys = await self._keys(shard)
        if not keys:
            return 0
        kept = keys[-KEEP:]
        named = {file.sha256 for blob in kept for file in (await self._read(shard, blob.key)).files}
        gone = [blob.key for blob in keys[:-KEEP]]
        for key in gone:  # first: a manifest whose files are gone would be a trap
            await self._blobs.delete(key)
        oldest = keys[-1].changed - YOUNG
        async for blob in self._blobs.list(manifests.file_folder(shard)):
            if blob.key.rpartition("/")[2] not in named and blob.changed < oldest:
                await self._blobs.delete(blob.key)
                gone.append(blob.key)
        return len(gone)

    def __repr__(self) -> str:
        return f"<Checkpoints of {self._crawl} in {self._blobs}>"


async def _all(works: Iterable[Coroutine[Any, Any, None]]) -> None:
    """Does all, a few at a time; the first that fails ends the others."""
    turns = asyncio.Semaphore(AT_ONCE)

    async def one(work: Coroutine[Any, Any, None]) -> None:
        async with turns:
            await work

    tasks = [asyncio.ensure_future(one(work)) for work in works]
    try:
        await asyncio.gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        raise


def _too_old(key: str, log_next: int, begins: int) -> MachineError:
    where = f"{key} (it ends at {log_next}, the log begins at {begins})"
    remedy = "What lies between is in neither. Restore the log or the bucket from a copy of that time."
    return MachineError("the checkpoint is too old to be continued by the log", where, remedy)


def _missing(key: str, file: CheckpointFile) -> MachineError:
    what = f"{key} is to be {file.name} of {file.size} bytes"
    return MachineError("a file of a checkpoint is missing or damaged", what, "Restore it from a copy of the bucket.")
