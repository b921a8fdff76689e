"""Scripts that pages asked for, kept for those to come: the delay of a host makes bundles dear."""

from __future__ import annotations

import re
from collections import OrderedDict

from skitter.messages import Fetched, header_values
from skitter.ports import Given

USUAL, LONGEST = 600.0, 86400.0
"""Seconds that a script is kept if its server says nothing, and at the most."""
_NOT_KEPT = re.compile(r"\bno-(?:store|cache)\b", re.IGNORECASE)
_MAX_AGE = re.compile(r"\bmax-age\s*=\s*\"?(\d{1,10})", re.IGNORECASE)


class Scripts:
    """Answers by URL, those that were wanted last; at most `size` bytes of them."""

    def __init__(self, size: int) -> None:
        self._most = size
        self._size = 0
        self._kept: OrderedDict[str, tuple[Given, float]] = OrderedDict()
        self.hits = 0

    def get(self, url: str, now: float) -> Given | None:
        """Returns what is kept of a URL, if it still holds."""
        kept = self._kept.get(url)
        if kept is None:
            return None
        if now >= kept[1]:
            self._drop(url)
            return None
        self._kept.move_to_end(url)
        self.hits += 1
        return kept[0]

    def keep(self, url: str, given: Given, fetched: Fetched) -> None:
        """Keeps an answer for as long as its headers let us."""
        seconds = kept_for(fetched)
        if given.status != 200 or not seconds or len(given.body) > self._most:
            return
        self._drop(url)
        self._kept[url] = given, fetched.ended + seconds
        self._size += len(given.body)
        while self._size > self._most:
            self._drop(next(iter(self._kept)))

    def _drop(self, url: str) -> None:
        if (kept := self._kept.pop(url, None)) is not None:
            self._size -= len(kept[0].body)


def kept_for(fetched: Fetched) -> float:
    """Returns the seconds for which a script may be used again."""
    control = ", ".join(header_values(fetched.headers, "cache-control"))
    if _NOT_KEPT.search(control):
        return 0.0
    found = _MAX_AGE.search(control)
    return min(LONGEST, float(found[1])) if found is not None else USUAL
