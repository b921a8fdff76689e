"""Follows the WARC files of a crawl as they grow, and gives each page once its records are whole.

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
from skitter.library.page import Page, page_of
from skitter.store.warc.file import OPEN
from skitter.store.warc.heads import head_length
from skitter.store.warc.original import original_of
from skitter.store.warc.places import all_files
from skitter.store.warc.reader import Reader, Record
from skitter.store.warc.repair import damaged

REMEMBERED = 4096
"""The last exchanges of a file that is open, so that we know how far to go back: more than one write holds."""


class Whole(NamedTuple):
    """What is known of one fetch: its answer, if there was one, and what was made of it."""

    answer: Record | None
    metadata: Record

    @property
    def end(self) -> int:
        """Where its last record ends."""
        return self.metadata.offset + self.metadata.length


class _Step(NamedTuple):
    offset: int
    record_id: str
    end: int


class Follower:
    """Reads on from `ends`: how far each file was read before."""

    def __init__(self, folder: Path, ends: Mapping[str, int]) -> None:
        self._folder = folder
        self._ends = dict(ends)
        self._finished: set[str] = set()
        self._steps: dict[str, deque[_Step]] = {}

    def fresh(self) -> Iterator[Page]:
        """Yields the pages that have come since the last call, file by file. MachineError if a file is damaged."""
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

    def _fresh_in(self, path: Path, name: str, is_sealed: bool) -> Iterator[Page]:
        if not self._has_grown(path, name, is_sealed):
            return
        reader = Reader(path, self._ends.get(name, 0), verify=False)
        try:
            for whole in wholes(reader):
                self._ends[name] = whole.end
                self._remember(name, whole)
                if (page := self._page(whole, name)) is not None:
                    yield page
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
        if size < self._ends.get(name, 0) and name in self._steps:
            self._step_back(path, name)
        has_grown = size > self._ends.get(name, 0)
        if is_sealed and not has_grown:  # if it is shorter than it was, a power cut took what was given already
            self._finish(name)
        return has_grown

    def _finish(self, name: str) -> None:
        self._finished.add(name)
        self._steps.pop(name, None)

    def _page(self, whole: Whole, name: str) -> Page | None:
        if whole.answer is None:
            return None
        original = self._original(whole.answer) if whole.answer.kind == "revisit" else None
        return page_of(whole.answer, whole.metadata, name, original)

    def _original(self, revisit: Record) -> bytes | None:
        """Returns the payload that a revisit repeats: none if it is a 304, None if it is not to be had."""
        if revisit.fields.get("warc-profile", "").endswith("/server-not-modified"):
            return b""
        record = original_of(revisit, self._folder)
        return None if record is None else record.block[head_length(record.block) or len(record.block) :]

    def _remember(self, name: str, whole: Whole) -> None:
        steps = self._steps.setdefault(name, deque(maxlen=REMEMBERED))
        steps.append(_Step(whole.metadata.offset, whole.metadata.fields["warc-record-id"], whole.end))

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
        before, self._ends[name] = self._ends.get(name, 0), steps[-1].end if steps else 0
        return self._ends[name] != before


def wholes(records: Iterable[Record]) -> Iterator[Whole]:
    """Yields the fetches that are whole. A crash can leave an answer without its metadata: that page comes again."""
    answer: Record | None = None
    for record in records:
        if record.kind in ("response", "revisit"):
            answer = record
        elif record.kind == "metadata":
            is_told = answer is not None and answer.fields["warc-record-id"] == record.fields.get("warc-concurrent-to")
            yield Whole(answer if is_told else None, record)
