"""The pages of a crawl, each once its records are whole: what `store/warc/follow.py` gives, as pages."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from skitter.errors import MachineError
from skitter.library.page import Page, page_of
from skitter.store.warc.follow import WarcFollower, Whole
from skitter.store.warc.heads import head_length
from skitter.store.warc.original import original_of
from skitter.store.warc.places import places_of
from skitter.store.warc.reader import Record
from skitter.store.warc.repair import damaged


class Follower:
    """Reads on from `ends`: how far each file was read before."""

    def __init__(self, folder: Path, ends: Mapping[str, int]) -> None:
        self._folder = folder
        self._following = WarcFollower(folder, ends)

    def fresh(self) -> Iterator[Page]:
        """Yields the pages that have come since the last call, file by file. MachineError if a file is damaged."""
        for name, whole in self._following.fresh():
            try:
                page = self._page(whole, name)
            except ValueError as error:
                raise self._damaged(name, whole, error) from None
            if page is not None:
                yield page

    def _damaged(self, name: str, whole: Whole, error: ValueError) -> MachineError:
        return damaged(places_of(self._folder, name)[0], whole.end, str(error))

    def _page(self, whole: Whole, name: str) -> Page | None:
        if whole.answer is None or whole.metadata is None:  # without metadata it was not settled: it comes again
            return None
        original = self._original(whole.answer) if whole.answer.kind == "revisit" else None
        return page_of(whole, name, original)

    def _original(self, revisit: Record) -> bytes | None:
        """Returns the payload that a revisit repeats: none if it is a 304, None if it is not to be had."""
        if revisit.fields.get("warc-profile", "").endswith("/server-not-modified"):
            return b""
        record = original_of(revisit, self._folder)
        return None if record is None else record.block[head_length(record.block) or len(record.block) :]
