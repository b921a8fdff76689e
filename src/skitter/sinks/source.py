"""What a crawl has stored, from a place on: its WARC files as they grow, in batches with the bookmark after each."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from datetime import datetime
from pathlib import Path
from typing import Protocol

import msgspec
from msgspec import Struct

from skitter.errors import OperatorError
from skitter.fetch.answer import AnswerReader
from skitter.fetch.decode import decode
from skitter.ports import Rows
from skitter.settings import FetchSettings
from skitter.sinks.tables import Fetch, fetch_of, rows_of
from skitter.store.index.entries import entry_of
from skitter.store.warc.follow import Told, WarcFollower
from skitter.store.warc.places import places_of
from skitter.store.warc.repair import damaged

VERSION = 1
MANY, MUCH = 500, 4 * 1024**2
"""Fetches in a batch, and bytes of their records with links, at the most (but for the last one)."""

MOST_ROBOTS = 512 * 1024
_NO_LIMITS = FetchSettings(max_head=2**40, max_headers=2**40, max_body=2**40)
_NO_RATIO = 2**40


class Ends(Struct, frozen=True):
    """A bookmark: how far each WARC file was given."""

    version: int
    ends: dict[str, int]


class Batch(Struct, frozen=True):
    """Some rows, and where to go on after them."""

    rows: list[Rows]
    captures: int
    newest: datetime  # of the fetches
    size: int  # bytes that they take in the archive
    bookmark: bytes


class Source(Protocol):
    """What is there to be fed, from a bookmark on."""

    def batches(self) -> Iterator[Batch]:
        """Yields what has come since the last call. MachineError if a file is damaged."""
        ...

    def behind(self) -> int:
        """Returns how many bytes of the archive were not given yet."""
        ...


class ArchiveSource:
    """The archive in `directory`, as rows of `tables`, from `since` on. OperatorError for a bookmark that is none."""

    def __init__(
        self,
        directory: Path,
        bookmark: bytes | None,
        tables: Collection[str],
        since: datetime | None = None,
        *,
        many: int = MANY,
    ) -> None:
        self._warc = directory / "warc"
        self._tables = tables
        self._since = since
        self._many = many
        self._following = WarcFollower(self._warc, ends_in(bookmark))

    def batches(self) -> Iterator[Batch]:
        """See `Source`."""
        fetches: list[Fetch] = []
        size, before = 0, dict(self._following.ends)
        for told in self._following.fresh():
            fetches.append(self._fetch(told))
            size += told.whole.last.length
            if len(fetches) >= self._many or size >= MUCH:
                yield self._batch(fetches, before)
                fetches, size, before = [], 0, dict(self._following.ends)
        if fetches:
            yield self._batch(fetches, before)

    def behind(self) -> int:
        """See `Source`."""
        return self._following.behind()

    def _batch(self, fetches: list[Fetch], before: dict[str, int]) -> Batch:
        ends = self._following.ends
        passed = sum(end - before.get(name, 0) for name, end in ends.items())
        wanted = [fetch for fetch in fetches if self._since is None or fetch.at >= self._since]
        rows = list(rows_of(wanted, self._tables))
        newest = max(fetch.at for fetch in fetches)
        return Batch(rows, len(fetches), newest, max(0, passed), msgspec.json.encode(Ends(VERSION, ends)))

    def _fetch(self, told: Told) -> Fetch:
        try:
            entry = entry_of(told.whole.answer, told.whole.metadata)
        except ValueError as error:
            raise damaged(places_of(self._warc, told.file)[0], told.whole.last.offset, str(error)) from None
        answer = told.whole.answer
        return fetch_of(entry, told.file, str if answer is None else lambda: _text(answer.block))


def ends_in(bookmark: bytes | None) -> dict[str, int]:
    """Returns how far each file was given. OperatorError if the bookmark can't be read."""
    if not bookmark:
        return {}
    try:
        kept = msgspec.json.decode(bookmark, type=Ends)
    except msgspec.DecodeError as error:
        raise OperatorError("bookmark", bookmark[:40], f"can't be read ({error})") from None
    if kept.version != VERSION:
        raise OperatorError("bookmark", kept.version, f"was written by another version of Skitter (ours is {VERSION})")
    return kept.ends


def _text(block: bytes) -> str:
    """Returns the text of an answer's body, as much as we would read of a robots.txt."""
    read = AnswerReader(_NO_LIMITS)
    read.feed(block)
    if read.head is None:
        return ""
    body = decode(read.content(read.payload()), read.head.codings, MOST_ROBOTS, _NO_RATIO).body
    return body.decode("utf-8", "replace")
