"""Of several forms of a page, the one that most pages link to is the page. Pure; the kernel counts the links too.

Which URLs are forms of one page is what the judge said of each capture (`duplicate_of`). Memory is bounded: `MOST`
copies, those that were captured first.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import pyarrow as pa  # type: ignore[import-untyped]

from skitter.rank.survey.form import Form
from skitter.rank.survey.marks import LinkMark

MOST = 1_000_000
STEPS = 8
"""From a copy to what it is a copy of, which may be one itself: so far, and no further."""


class Inlinks(Protocol):
    """Counts the pages that link to each of some URLs."""

    def links(self, batch: pa.RecordBatch) -> None:
        """Takes links, as `Survey` does. Those of a page come together: one that links twice is counted once."""
        ...

    def counts(self, urls: Sequence[str]) -> list[int]:
        """Returns how many pages link to each of these."""
        ...


class PlainInlinks:
    """Counts in Python: what the kernel is held against."""

    def __init__(self, urls: Sequence[str]) -> None:
        self._counts = dict.fromkeys(urls, 0)
        self._last: dict[str, str] = {}

    def links(self, batch: pa.RecordBatch) -> None:
        """See `Inlinks`."""
        sources = batch["source"].to_pylist()
        for source, target, mark in zip(sources, batch["target"].to_pylist(), batch["mark"].to_pylist(), strict=True):
            url = target.partition("#")[0]
            if mark == LinkMark.VOUCHES and url in self._counts:
                self._counts[url] += self._last.get(url) != source
                self._last[url] = source

    def counts(self, urls: Sequence[str]) -> list[int]:
        """See `Inlinks`."""
        return [self._counts.get(url, 0) for url in urls]


class Forms:
    """Gathers the URLs that are forms of one page."""

    def __init__(self) -> None:
        self._known: dict[str, tuple[int, str | None]] = {}  # when it was captured, and what it was a copy of then

    def take(self, batch: pa.RecordBatch) -> None:
        """Takes captured pages, the oldest tables first: `url`, `duplicate_of`, `at`. A page counts as it last was."""
        if not self._known and batch["duplicate_of"].null_count == batch.num_rows:
            return
        for url, other, at in zip(*(batch[name].to_pylist() for name in ("url", "duplicate_of", "at")), strict=True):
            known = self._known.get(url)
            is_told = known is not None or (other is not None and len(self._known) < MOST)
            if is_told and (known is None or known[0] <= at):
                self._known[url] = at, other

    def clusters(self) -> Mapping[str, Sequence[str]]:
        """Returns the forms of each page that has several, by the one that the others were compared with."""
        found: dict[str, list[str]] = {}
        for url, (_, other) in self._known.items():
            root = url if other is None else self._root(other)
            if root != url:
                found.setdefault(root, [root]).append(url)
        return found

    def _root(self, url: str) -> str:
        for _ in range(STEPS):
            _, other = self._known.get(url, (0, None))
            if other is None:
                break
            url = other
        return url


def preferred(clusters: Mapping[str, Sequence[str]], inlinks: Inlinks) -> Iterator[Form]:
    """Yields each form of each page, in the order of their URLs."""
    forms = []
    for urls in clusters.values():
        counts = dict(zip(urls, inlinks.counts(urls), strict=True))
        page = min(counts, key=lambda url: (-counts[url], len(url), url))
        forms += [Form(url, page, many, counts[page]) for url, many in counts.items()]
    yield from sorted(forms)
