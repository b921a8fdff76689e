"""Moves one node's WARC files to the bucket, while they grow, and copies their indexes.

The folder on this machine is all the memory there is: what lies there is to be sent, and what is gone from it is safe.
So a kill at any moment costs nothing but a second try. A file is safe when it is complete in the bucket and its indexes
are; only then it is removed here. A key is the path below the crawl's folder, and a sealed file never changes: to send
one twice is harmless.

Parts of a file are sent while it grows. Nobody sees them before the whole is there, and if anything goes wrong the
file is sent anew once it is sealed.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Collection
from contextlib import suppress
from pathlib import Path

from skitter.errors import BlobsError, MachineError
from skitter.ports import Blobs, GrowingBlob
from skitter.settings import BucketSettings
from skitter.store.bodies.heads import Heads
from skitter.store.index.holding import indexed_files
from skitter.store.index.names import day_in
from skitter.store.index.paths import index_paths
from skitter.store.shipping.merged import MergedCopies
from skitter.store.shipping.sent import read_sent, write_sent
from skitter.store.warc.file import OPEN, SUFFIX, node_of
from skitter.store.warc.places import sealed_files

PART = 8 * 1024**2
"""So much more of a growing file is sent at a time."""

EVERY = 1.0
LONGEST_WAIT = 30.0
"""After a failure the bucket is left alone for EVERY, twice that, … seconds."""

AFTER = "skitter-archive-after"
_log = logging.getLogger(__name__)


async def _tell_nobody(_: str) -> None:
    """Nobody wants to know."""


class _Growing:
    """A file that is sent while it grows."""

    def __init__(self, name: str, blob: GrowingBlob) -> None:
        self.name = name
        self.blob = blob
        self.sent = 0


class Shipper:
    """Sends what `nodes` have written, the first of which is ours. `growing` tells of the file that is being written.

    `on_safe` is told the name of each file that is, and waited for, before it is removed here: more than once after a
    kill.
    `copies_merged`: whether the indexes that were merged are ours to send too; one node of a crawl does.
    """

    def __init__(
        self,
        directory: Path,
        blobs: Blobs,
        settings: BucketSettings,
        *,
        node: str,
        heir_of: Collection[str],
        copies_merged: bool,
        growing: Callable[[], tuple[Path, int] | None],
        clock: Callable[[], float],
        share: int = 1,
        on_safe: Callable[[str], Awaitable[None]] = _tell_nobody,
    ) -> None:
        self._directory = directory
        self._blobs = blobs
        self._settings = settings
        self._node = node
        self._nodes = {node, *heir_of}
        self._heads = Heads(directory / "bodies", node)
        self._merged = MergedCopies(directory, blobs) if copies_merged else None
        self._growing_now = growing
        self._clock = clock
        self._most = settings.buffer_bytes // share
        self._on_safe = on_safe
        self._upload: _Growing | None = None
        self._there: set[str] = set()  # WARC files that are in the bucket and wait for their indexes
        self._since: dict[str, float] = {}  # sealed files that wait, and since when we know
        self._failures = 0  # in a row
        self._why = ""  # what the bucket said last, if it failed
        self._sent = read_sent(directory, node)  # in all runs
        self.sent_bytes = 0
        self.waiting_bytes = 0
        self.trouble: MachineError | None = None

    async def keep_shipping(self) -> None:
        """Sends whatever there is to send, until it is cancelled."""
        while True:
            await self.round()
            await asyncio.sleep(min(LONGEST_WAIT, EVERY * 2**self._failures) if self._failures else EVERY)

    async def keep_looking(self) -> None:
        """Looks how much waits, until it is cancelled: a bucket that hangs must not keep us from seeing it."""
        while True:
            await self.look()
            await asyncio.sleep(EVERY)

    async def look(self) -> None:
        """Finds out whether more may be fetched: `trouble` says why not."""
        self.trouble = await asyncio.to_thread(self._look)

    async def finish(self, seconds: float) -> int:
        """Returns how many files are left to send, after `seconds` at the most."""
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                while await asyncio.to_thread(self._sealed):
                    await self.round()
                    if self._failures:
                        await asyncio.sleep(EVERY)
                    elif self._there:
                        break  # they have no index, and nobody makes one any more: the next start does
        await self._give_up_growing()
        return len(await asyncio.to_thread(self._sealed))

    async def round(self) -> None:
        """Sends once what there is to send; whatever goes wrong with the bucket is noted and waited out."""
        try:
            await self._send_growing()
            for path in await asyncio.to_thread(self._sealed):
                await self._send(path)
            if self._merged is not None:
                await self._merged.send()
            self._note_success()
        except BlobsError as error:
            await self._note_failure(error)
        except OSError as error:  # of the disk here: a file that can't be read is not to be removed
            remedy = "Mend the disk. What was stored is still there."
            await self._note_failure(MachineError(f"a file can't be sent ({error})", str(self._directory), remedy))
        await self.look()

    # Files that grow

    async def _send_growing(self) -> None:
        found = self._growing_now()
        if found is None or found[1] < PART:
            return
        path, end = found
        name = path.name.removesuffix(OPEN)
        if self._upload is not None and self._upload.name != name:
            return  # that one is sealed, and comes first
        if self._upload is None:
            self._upload = _Growing(name, self._blobs.begin(self._key(path.with_name(name)), self._tags()))
        with suppress(FileNotFoundError):  # it was sealed at this moment
            await self._append(self._upload, path, end - (end - self._upload.sent) % PART)

    async def _append(self, upload: _Growing, path: Path, end: int) -> None:
        while upload.sent < end:
            part = await asyncio.to_thread(_read, path, upload.sent, min(PART, end - upload.sent))
            await upload.blob.append(part)
            upload.sent += len(part)

    async def _give_up_growing(self) -> None:
        upload, self._upload = self._upload, None
        if upload is not None:
            await upload.blob.abandon()

    # Files that are sealed

    def _sealed(self) -> list[Path]:
        return [path for path in sealed_files(self._directory / "warc") if node_of(path.name) in self._nodes]

    async def _send(self, path: Path) -> None:
        size = (await asyncio.to_thread(path.stat)).st_size
        if path.name not in self._there:
            await self._send_file(path, size)
            self._there.add(path.name)
        if not await self._send_indexes(path):
            return
        await self._on_safe(path.name)
        await asyncio.to_thread(self._heads.note_safe, path.name, size)
        await asyncio.to_thread(path.unlink)
        self._there.discard(path.name)
        self._sent, self.sent_bytes = self._sent.plus(size), self.sent_bytes + size
        await asyncio.to_thread(write_sent, self._directory, self._node, self._sent)

    async def _send_file(self, path: Path, size: int) -> None:
        upload = self._upload
        if upload is not None and (upload.name != path.name or upload.sent > size):
            # Another file than the one that grows was left, or this one was cut back when it was mended.
            upload = None
        if upload is None:
            found = await self._blobs.find(self._key(path))
            if found is not None and found.size == size:
                return  # a kill came before it was removed here
            upload = _Growing(path.name, self._blobs.begin(self._key(path), self._tags()))
        await self._complete(upload, path, size)

    async def _complete(self, upload: _Growing, path: Path, size: int) -> None:
        if self._upload is not None and self._upload.name == path.name and self._upload is not upload:
            await self._give_up_growing()
        try:
            await self._append(upload, path, size)
            await upload.blob.complete()
        except BaseException:
            await upload.blob.abandon()
            raise
        finally:
            if upload is self._upload:
                self._upload = None

    async def _send_indexes(self, path: Path) -> bool:
        """Copies the indexes of a file, the CDXJ last as here; False if they are not made yet."""
        stem = path.name.removesuffix(SUFFIX)
        if stem not in await asyncio.to_thread(indexed_files, self._directory, day_in(stem) or ""):
            return False
        for index in index_paths(self._directory, path.name).values():
            try:
                content = await asyncio.to_thread(index.read_bytes)
            except FileNotFoundError:
                continue  # it is in a merged file by now, which is sent as such
            await self._blobs.put(self._key(index), content)
        return True

    # How it goes

    def _look(self) -> MachineError | None:
        """Returns why nothing more is to be fetched, if that is so."""
        # One that is there and only has no index, since it is damaged, is not kept back by the bucket.
        now, sealed = self._clock(), [path for path in self._sealed() if path.name not in self._there]
        self._since = {path.name: self._since.get(path.name, now) for path in sealed}
        growing = self._growing_now()
        self.waiting_bytes = sum(map(_size, sealed)) + (0 if growing is None else growing[1])
        longest = max((now - since for since in self._since.values()), default=0.0)
        limit = 1.0 if self.trouble is None else 0.8  # with a step between, it does not go on and off
        is_full = self.waiting_bytes > self._most * limit and bool(sealed)
        if not is_full and longest <= self._settings.buffer_seconds:
            return None
        what = f"{len(sealed)} WARC files ({self.waiting_bytes} bytes) wait to be sent, for {longest:.0f} s"
        why = f"; {self._why}" if self._why else "; it is slow"
        remedy = "Nothing more is fetched until they are there; it goes on by itself."
        return MachineError(f"{what}{why}", self._settings.address, remedy)

    def _note_success(self) -> None:
        if self._failures:
            _log.warning("%s takes files again.", self._settings.address)
        self._failures, self._why = 0, ""

    async def _note_failure(self, error: MachineError) -> None:
        await self._give_up_growing()
        if error.what != self._why:
            _log.warning("%s: %s. Files are kept here, and sent later.", self._settings.address, error.what)
        self._failures, self._why = min(self._failures + 1, 10), error.what

    def _key(self, path: Path) -> str:
        return path.relative_to(self._directory).as_posix()

    def _tags(self) -> dict[str, str] | None:
        return {AFTER: str(self._settings.archive_after)} if self._settings.archive_after else None

    def __repr__(self) -> str:
        return f"<Shipper {self._directory} to {self._settings.address} waiting={self.waiting_bytes}>"


def _read(path: Path, at: int, length: int) -> bytes:
    with path.open("rb") as file:
        file.seek(at)
        part = file.read(length)
    if len(part) != length:
        raise OSError(f"{path} ends at {at + len(part)}, before what was written")
    return part


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
