"""Writes captures to WARC files, rolls and seals them, and keeps its head when the disk fails.

One thread calls it, but for what has to do with bodies and batches: `claim`, `filled`, `learn` and `release` are for
the event loop. They touch no WARC file, and a batch for which the open file is no longer as it was is not written.

After a failure the writer is in trouble: it takes nothing until a probe shows that the disk takes bytes again. What was
written before stays good: the file is cut back to its last whole record, or left for repair if even that fails.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path

from skitter.errors import MachineError
from skitter.messages import Stored
from skitter.ports import ArchiveStatistics, Capture
from skitter.settings import StoreSettings
from skitter.store.bodies.memory import Bodies, Known
from skitter.store.disk import Disk
from skitter.store.index.indexer import Indexer
from skitter.store.statistics import count_batch
from skitter.store.warc.batch import Batch
from skitter.store.warc.dates import timestamp14, to_micros
from skitter.store.warc.file import OPEN, WarcFile, node_of, warc_name
from skitter.store.warc.marks import Marks
from skitter.store.warc.payload import Digests
from skitter.store.warc.places import make_day, open_files, places_of
from skitter.store.warc.records import warcinfo
from skitter.store.warc.repair import Recovered, seal_left_open

ROOM = 16 * 1024**2
"""Bytes that a probe must be able to write before we go on: more than a batch."""

_REMEDY = "Make room or mend the disk: what was stored before is safe, and the crawl goes on when bytes can be written."
_log = logging.getLogger(__name__)


class Writer:
    """The one writer of a node's WARC files, in `directory`/warc."""

    def __init__(
        self,
        directory: Path,
        settings: StoreSettings,
        *,
        node: str,
        facts: Mapping[str, str],
        clock: Callable[[], float],
        disk: Disk,
        bodies: Bodies,
        indexer: Indexer,
        heir_of: Collection[str] = (),
    ) -> None:
        self._folder = directory / "warc"
        self._settings = settings
        self._node = node
        self._nodes = {node, *heir_of}  # whose files are ours to mend
        self._facts = facts
        self._clock = clock
        self._disk = disk
        self._bodies = bodies
        self._marks = Marks(directory / "bodies")
        self._indexer = indexer
        self._file: WarcFile | None = None
        self._began = 0.0  # when it was opened
        self._originals: set[str] = set()  # files that hold what was stored as known since the last sync
        self._serial = 0
        self._counter: Counter[str] = Counter()
        self.trouble: MachineError | None = None

    def recover(self) -> list[Recovered]:
        """Mends and seals every file that was left open, and orders missing indexes. MachineError if it can't."""
        found = []
        for path in open_files(self._folder):
            if node_of(path.name) not in self._nodes or (self._file and path == self._file.open_path):
                continue
            recovered = seal_left_open(self._disk, path, self._marks.get(path.name.removesuffix(OPEN)))
            _log.warning("%s", recovered)
            found.append(recovered)
        self._counter["recovered"] += len(found)
        self._indexer.make_missing()
        return found

    def open(self) -> None:
        """Makes sure that there is a file to write to. MachineError if there can't be one."""
        if self.trouble:
            raise self.trouble
        try:
            self._file = self._file or self._create()
        except OSError as error:
            raise self._fail("A WARC file can't be written", error) from error

    def claim(self, keys: Iterable[bytes]) -> Known:
        """Returns what is known of the bodies with these keys; what nobody has is ours to store until `release`."""
        if self.trouble:
            raise self.trouble
        try:
            return self._bodies.claim(keys)
        except MachineError as error:
            self._note(error)
            raise

    def filled(self, captures: Iterable[tuple[Capture, Digests]], known: Known) -> Batch | None:
        """Returns a batch of as many captures as the open file takes, at least one; None if no file is open."""
        file = self._file
        return None if file is None else self._fill(file, captures, known)

    def put(self, batch: Batch) -> list[Stored]:
        """Writes a batch and returns where its captures are, none if it was made for a file that is not as it was.

        The file is rolled if it is full then.
        """
        if self.trouble:
            raise self.trouble
        file = self._file
        if file is None or not batch.follows(file.path.name, file.end):
            return []
        content = batch.content
        try:
            file.write(content)
        except OSError as error:
            raise self._fail("A WARC file can't be written", error) from error
        self._indexer.add(file.path.name, batch.entries)
        count_batch(self._counter, batch.entries, len(content))
        self._originals |= batch.originals
        if file.end >= self._settings.roll_bytes:
            self.roll()
        return batch.stored

    def learn(self, batch: Batch) -> None:
        """Keeps where the bodies of a batch are that was written. If that fails they are stored, and stay unknown."""
        try:
            self._bodies.remember(batch.places)
        except MachineError as error:
            self._note(error)

    def release(self) -> None:
        """Leaves what was claimed to others."""
        self._bodies.release()

    def sync(self) -> None:
        """Returns when all that was written is on the disk. MachineError if nobody can say so."""
        file = self._file
        if file is None or file.synced == file.end:
            return
        try:
            self._sync_originals(file)
            file.sync()
        except OSError as error:
            # The system may have dropped the pages it could not write: this file is not to be trusted with more.
            raise self._fail("A WARC file can't be brought to the disk", error, suspect=True) from error
        self._counter["syncs"] += 1
        self._marks.set(file.path.name, file.end)

    def roll(self) -> None:
        """Seals the open file, if there is one; the next capture begins another. MachineError if it can't."""
        file = self._file
        if file is None:
            return
        try:
            if file.end:
                self._sync_originals(file)
                file.seal()
            else:
                file.abandon()
                self._disk.remove(file.open_path)
        except OSError as error:
            raise self._fail("A WARC file can't be sealed", error, suspect=True) from error
        self._file = None
        if file.end:
            self._counter["sealed"] += 1
            self._indexer.finish(file.path)

    def describe(self, facts: Mapping[str, str]) -> None:
        """Begins files with `facts` from now on. MachineError if the open one can't be sealed."""
        self._facts = facts
        self.roll()

    def roll_old(self) -> None:
        """Rolls the open file if it was begun `roll_seconds` ago: a quiet crawl is to be readable too."""
        if self._file is not None and self._clock() - self._began >= self._settings.roll_seconds:
            self.roll()

    def growing(self) -> tuple[Path, int] | None:
        """Returns the open file and the end of its last whole record. Any thread may ask."""
        file = self._file
        return None if file is None else (file.open_path, file.end)

    def probe(self) -> bool:
        """Whether the disk takes bytes again. If it does, what failure left behind is mended and writing may go on."""
        try:
            self._write_scratch()
            self.recover()
        except (OSError, MachineError) as error:
            _log.info("The archive still can't be written: %s", error)
            return False
        if self.trouble:
            _log.warning("The archive can be written again.")
        self.trouble = None
        return True

    def close(self) -> None:
        """Seals what is open. MachineError if it can't: the next start does."""
        try:
            self.roll()
        finally:
            self.let_go()

    def let_go(self) -> None:
        """Gives up what is held, and leaves an open file to the next start."""
        self._bodies.close()
        self._indexer.close()

    def statistics(self, waiting: int) -> ArchiveStatistics:
        """Returns the counts so far."""
        made, failed = self._indexer.made, self._indexer.failed
        return ArchiveStatistics(**self._counter, indexes_made=made, indexes_failed=failed, waiting=waiting)

    def _fill(self, file: WarcFile, captures: Iterable[tuple[Capture, Digests]], known: Known) -> Batch:
        batch = Batch(file.path.name, file.end, self._settings.gzip_level, known.get)
        if file.end == 0:
            batch.add_raw(warcinfo(file.path.name, self._facts, to_micros(self._clock())))
        for capture, digests in captures:
            batch.add(capture, digests)
            if batch.end >= self._settings.roll_bytes:
                break
        return batch

    def _sync_originals(self, file: WarcFile) -> None:
        """Brings to the disk what `file` refers to in files of other nodes: a power cut must not take that alone."""
        for name in self._originals - {file.path.name}:
            try:
                fd = self._disk.open(places_of(self._folder, name + OPEN)[0])
            except FileNotFoundError:
                continue  # it is sealed
            try:
                self._disk.fsync(fd)
            finally:
                self._disk.close(fd)
        self._originals.clear()

    def _create(self) -> WarcFile:
        self._began = self._clock()
        began = timestamp14(to_micros(self._began))
        while True:
            path = make_day(self._disk, self._folder, warc_name(began, self._node, self._serial))
            self._serial += 1
            if path.exists():
                continue
            try:
                self._file = WarcFile(self._disk, path)
            except FileExistsError:
                continue
            return self._file

    def _fail(self, what: str, error: OSError, *, suspect: bool = False) -> MachineError:
        file = self._file
        if file and (suspect or file.is_torn):
            self._file = None
            self._indexer.drop(file.path.name)
            self._abandon(file)
        trouble = MachineError(f"{what} ({error})", str(file.open_path if file else self._folder), _REMEDY)
        self._note(trouble)
        return trouble

    def _abandon(self, file: WarcFile) -> None:
        try:
            file.abandon()
        except OSError as error:
            _log.warning("%s could not be closed (%s).", file.open_path, error)

    def _note(self, trouble: MachineError) -> None:
        self._counter["troubles"] += 1
        self.trouble = trouble
        _log.error("%s", trouble)

    def _write_scratch(self) -> None:
        path = self._folder / f".room-{self._node}"
        path.unlink(missing_ok=True)
        fd = self._disk.create(path)
        try:
            left = memoryview(bytes(ROOM))
            while left:
                taken = self._disk.write(fd, left, ROOM - len(left))
                if taken <= 0:
                    raise OSError(f"{path}: the disk takes no more bytes")
                left = left[taken:]
            self._disk.fsync(fd)
        finally:
            self._disk.close(fd)
            self._disk.remove(path)

    def __repr__(self) -> str:
        return f"<Writer {self._folder} node={self._node} file={self._file} trouble={self.trouble}>"
