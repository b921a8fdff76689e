"""How many probes a node may make: a small share of its requests. Pure.

A host shows how it says that there is nothing early in a crawl, when few requests were made. So what is queued counts
too, as far as it does not more than double what was done; and some are allowed from the start, no more than a crawl of
a few thousand requests makes up for.
"""

from __future__ import annotations

from skitter.judge.soft404 import Doubt

START = 2000
"""Requests that a crawl is trusted to make."""
WEAK = 0.3
"""The part of all probes up to which weak doubts may have some, and none of those from the start."""


def may_probe(doubt: Doubt, probes: int, requests: int, queued: int, share: float, part: float = 1.0) -> bool:
    """Says whether one more probe is in order, after so many; `part` is what the node does of the whole crawl."""
    if doubt is Doubt.WEAK:
        return probes + 1 <= WEAK * share * (requests + min(queued, requests))
    start = START * part
    return probes + 1 <= share * max(start, requests + min(queued, max(start, requests)))
