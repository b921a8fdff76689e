"""Copies of other hosts' pages, told at once: what the last pages of all hosts of a node said, in memory.

Only what is the same to the last word is told here, and it changes nothing but what is said of the page: which of two
hosts is the original is for the nightly look to say, and so is what is nearly the same. What is forgotten, or another
node's, is not told: it fails open.
"""

from __future__ import annotations

from msgspec import structs
from xxhash import xxh3_64_digest

from skitter.judge import near
from skitter.judge.verdict import with_copy
from skitter.messages import PAGE_ERRANDS, Lease, Reason
from skitter.reading.meaning import Reading
from skitter.url.keys import host_of

MOST = 32_768
"""Pages that are remembered, the last ones: 200 bytes each."""


class Elsewhere:
    """What the pages of a node say, whatever their host."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._pages: dict[bytes, str] = {}

    def judged(self, lease: Lease, reading: Reading) -> Reading:
        """Returns what was read; of a page that says what one of another host says, with that."""
        said, verdict = reading.said, reading.verdict
        if said is None or not near.is_told_by_words(said) or reading.need or lease.errand not in PAGE_ERRANDS:
            return reading
        if verdict.duplicate_of is not None or Reason.SOFT_404 in verdict.reasons:
            return reading
        mark = xxh3_64_digest(said.sample, said.simhash ^ said.words)  # of all that its signature is made of
        first = self._pages.get(mark)
        if first is None:
            self._remember(mark, lease.href)
        if first is None or host_of(first) == lease.host:
            return reading
        return structs.replace(reading, verdict=with_copy(reading.verdict, first))

    def _remember(self, mark: bytes, href: str) -> None:
        if len(self._pages) >= self._most:
            del self._pages[next(iter(self._pages))]
        self._pages[mark] = href
