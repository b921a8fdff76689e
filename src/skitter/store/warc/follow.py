"""Follows the WARC files of a crawl as they grow, and gives each fetch once its records are whole.

The nodes are processes of their own and may die; what they have stored is in the files. A file grows by whole records
(but for the last one, for a moment), is cut to its last whole record after a crash, and is renamed when it is sealed.
So a place in it stays good, but in one case: a node whose disk is full takes back what it had written only in part.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from skitter.errors import MachineError
from skitter.store.warc.file import OPEN
from skitter.store.warc.places import all_files
from skitter.store.warc.reader import Reader, Record
from skitter.store.warc.repair import damaged

_RENDERED = b"\r\nrendered: "
"""In the metadata of a page that was run in a browser."""

REMEMBERED = 4096
"""The last exchanges of a file that is open, so that we know how far to go back: more than one write holds."""


class Whole(NamedTuple):
    """What is known of one fetch: its answer, if there was one, and what was made of it, unless a crash took that.

    Of a page that was run in a browser, also how it stood there.
    """

    answer: Record | None
    metadata: Record | None
    snapshot: Record | None = None

    @property
    def last(self) -> Record:
        """Its last record."""
        last = self.snapshot or self.metadata or self.answer
        assert last is not None
        return last

    @property
    def end(self) -> int:
        """Where its last record ends."""
        return self.last.offset + self.last.length


class Told(NamedTuple):
    """A fetch, and the name of the file that has its records (without `.open`)."""

    file: str
    whole: Whole


class _Step(NamedTuple):
    offset: int
    record_id: str
    end: int


class WarcFollower:
    """Reads on from `ends`: how far each file was read before. They move with what is given."""

    def __init__(self, folder: Path, ends: Mapping[str, int]) -> None:
        self._folder = folder
        self.ends = dict(ends)
        self._finished: set[str] = set()
        self._steps: dict[str, deque[_Step]] = {}

    def fresh(self) -> Iterator[Told]:
        """Yields the fetches that have come since the last call, file by file. MachineError if a file is damaged."""
        for path in all_files(self._folder):
            name = path.name.removesuffix(OPEN)
            if name in self._finished:
                continue
            try:
                yield from self._fresh_in(path, name, path.name == name)
            except FileNotFoundError:
                continue  # it was renamed, or removed as empty, just now: the next look finds it if it is there
            except OSError as error:
                raise MachineError(f"A WARC file can't be read ({error})", str(path), "Make it readable.") from error

    def behind(self) -> int:
        """Returns how many bytes of the files that are here were not given yet."""
        left = 0
        for path in all_files(self._folder):
            name = path.name.removesuffix(OPEN)
            if name not in self._finished:
                left += max(0, _size(path) - self.ends.get(name, 0))
        return left

    def _fresh_in(self, path: Path, name: str, is_sealed: bool) -> Iterator[Told]:
        if not self._has_grown(path, name, is_sealed):
            return
        reader = Reader(path, self.ends.get(name, 0), verify=False)
        try:
            for whole in wholes(reader, is_sealed=is_sealed):
                self.ends[name] = whole.end
                self._remember(name, whole)
                yield Told(name, whole)
        except ValueError as error:
            raise damaged(path, reader.end, str(error)) from None
        broken = reader.broken
        if broken is not None and not broken.torn and self._step_back(path, name):
            yield from self._fresh_in(path, name, is_sealed)
        elif is_sealed and broken is not None:
            raise damaged(path, broken.offset, broken.why)
        elif is_sealed:
            self._finish(name)

    def _has_grown(self, path: Path, name: str, is_sealed: bool) -> bool:
        size = path.stat().st_size
        if size < self.ends.get(name, 0) and name in self._steps:
            self._step_back(path, name)
        has_grown = size > self.ends.get(name, 0)
        if is_sealed and not has_grown:  # if it is shorter than it was, a power cut took what was given already
            self._finish(name)
        return has_grown

    def _finish(self, name: str) -> None:
        self._finished.add(name)
        self._steps.pop(name, None)

    def _remember(self, name: str, whole: Whole) -> None:
        steps = self._steps.setdefault(name, deque(maxlen=REMEMBERED))
        steps.append(_Step(whole.last.offset, whole.last.fields["warc-record-id"], whole.end))

    def _step_back(self, path: Path, name: str) -> bool:
        """Goes back to the last exchange that is still where we read it, and returns whether that was another place.

        What was cut off was not settled: it is fetched again.
        """
        steps = self._steps.get(name, deque())
        while steps:
            found = next(iter(Reader(path, steps[-1].offset, verify=False)), None)
            if found is not None and found.fields["warc-record-id"] == steps[-1].record_id:
                break
            steps.pop()
        before, self.ends[name] = self.ends.get(name, 0), steps[-1].end if steps else 0
        return self.ends[name] != before


def wholes(records: Iterable[Record], *, is_sealed: bool) -> Iterator[Whole]:
    """Yields the fetches that are whole.

    A crash can leave an answer without its metadata: it is given alone, once it is certain that none follows. So is
    what was made of a page in a browser without the page as it stood there.
    """
    answer: Record | None = None
    waiting: Whole | None = None  # for the snapshot that is to follow
    for record in records:
        if waiting is not None:
            whole, waiting = waiting, None
            yield whole._replace(snapshot=record) if _is_snapshot_of(whole, record) else whole
        is_told = answer is not None and answer.fields["warc-record-id"] == record.fields.get("warc-concurrent-to")
        if answer is not None and not is_told:
            yield Whole(answer, None)
        if record.kind == "metadata":
            whole = Whole(answer if is_told else None, record)
            if _RENDERED in record.block:
                waiting = whole
            else:
                yield whole
        answer = record if record.kind in ("response", "revisit") else None
    if waiting is not None and is_sealed:
        yield waiting
    if answer is not None and is_sealed:
        yield Whole(answer, None)


def _is_snapshot_of(whole: Whole, record: Record) -> bool:
    is_one = record.kind == "resource" and whole.answer is not None
    return is_one and record.fields.get("warc-refers-to") == whole.answer.fields["warc-record-id"]  # type: ignore[union-attr]


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
