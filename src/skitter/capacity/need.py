"""What is wanted of a crawl, and what it is to run on. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from skitter.settings import DAY


class Need(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is wanted, sizes in bytes and times in seconds."""

    pages: float = 1e6  # fetched in a day
    page_bytes: float = 100e3  # as they come, compressed, and as they are kept
    unpacked: float = 4.0  # times that, once unpacked
    hosts: float = 1e4  # that have pages for us on any day
    urls: float = 1e7  # known, fetched or not
    delay: float = 1.0  # between two requests to a host
    peak: float = 2.5  # times what is usual
    keep_days: float = 30.0
    known: float = 0.3  # share of bodies that are there already: a revisit record is all that is kept
    rendered: float = 0.0  # share of pages that need a browser
    latency: float = 1.0  # of an answer
    robots_bytes: float = 5e3
    name_bytes: float = 200.0  # of a name and its addresses
    error: float = 0.01  # of the filter before the store: how often a new URL is looked up in vain

    @property
    def rate(self) -> float:
        """Returns the pages in a second."""
        return self.pages / DAY


class Machine(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What a node is given."""

    cores: float = 8.0
    busy: float = 0.6  # share of them that is used at the peak
    in_flight: float = 500.0  # requests that it has under way at most: `node.in_flight`
    memory: float = 1.5e9  # of a process of ours, one a core: docs/memory.md
    shards: float = 4096.0


class Bound(NamedTuple):
    """What a number must be."""

    least: float
    most: float
    is_open: bool = False  # the least itself is not allowed


ABOVE_NOUGHT = Bound(0.0, float("inf"), is_open=True)
FROM_NOUGHT = Bound(0.0, float("inf"))
SHARE = Bound(0.0, 1.0)
BOUNDS: Mapping[str, Bound] = {
    "unpacked": Bound(1.0, 1000.0),
    "peak": Bound(1.0, 1000.0),
    "delay": FROM_NOUGHT,
    "keep_days": FROM_NOUGHT,
    "latency": FROM_NOUGHT,
    "known": SHARE,
    "rendered": SHARE,
    "error": Bound(0.0, 0.5, is_open=True),
    "busy": Bound(0.0, 1.0, is_open=True),
}
"""Those of all others: more than nought."""


def faults(given: Struct) -> Iterator[tuple[str, float, str]]:
    """Yields the name, the value and what would be right of each number that can't be."""
    for name in given.__struct_fields__:
        value, bound = getattr(given, name), BOUNDS.get(name, ABOVE_NOUGHT)
        is_too_low = value <= bound.least if bound.is_open else value < bound.least
        if is_too_low or not value <= bound.most or value == float("inf"):
            yield name, value, _words(bound)


def _words(bound: Bound) -> str:
    least = f"more than {bound.least:g}" if bound.is_open else f"{bound.least:g} or more"
    return f"must be {least}" + ("" if bound.most == float("inf") else f", and {bound.most:g} at most")
