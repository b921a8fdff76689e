"""How many probes a node may make."""

from __future__ import annotations

import pytest

from skitter.judge.purse import START, may_probe
from skitter.judge.soft404 import Doubt

SHARE = 0.005
CASES = {
    "some from the start": (Doubt.STRONG, 9, 0, 0, True),
    "no more of these than a small crawl makes up for": (Doubt.STRONG, 10, 0, 0, False),
    "what is queued counts": (Doubt.STRONG, 10, 500, 2000, True),
    "but not beyond what was done": (Doubt.STRONG, 100, 5000, 1_000_000, False),
    "nor in all": (Doubt.OPEN, 25, 5000, 0, False),
    "up to the share": (Doubt.OPEN, 24, 5000, 0, True),
    "a weak doubt has to wait": (Doubt.WEAK, 0, 10, 5000, False),
    "until enough was done": (Doubt.WEAK, 0, 700, 0, True),
    "and has a part only": (Doubt.WEAK, 8, 5000, 0, False),
}


@pytest.mark.parametrize(("doubt", "probes", "requests", "queued", "may"), CASES.values(), ids=CASES)
def test_what_may_be_spent(doubt: Doubt, probes: int, requests: int, queued: int, may: bool) -> None:
    assert may_probe(doubt, probes, requests, queued, SHARE) is may


def test_nodes_share_what_is_there_from_the_start() -> None:
    assert may_probe(Doubt.STRONG, 4, 0, 0, SHARE, part=0.5)
    assert not may_probe(Doubt.STRONG, 5, 0, 0, SHARE, part=0.5)


@pytest.mark.parametrize("doubt", [Doubt.WEAK, Doubt.SOME, Doubt.STRONG, Doubt.OPEN])
def test_a_crawl_to_its_end_keeps_the_share(doubt: Doubt) -> None:
    total = 3 * START
    probes = 0
    for requests in range(total):
        while may_probe(doubt, probes, requests, total - requests, SHARE):
            probes += 1
    assert probes <= SHARE * total


def test_without_a_share_there_are_none() -> None:
    assert not may_probe(Doubt.OPEN, 0, 10**9, 10**9, 0.0)
