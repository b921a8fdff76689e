"""The best and the worst, and the picture of how worth is spread."""

from __future__ import annotations

from xml.etree import ElementTree

from hypothesis import given
from hypothesis import strategies as st

from skitter.rank.picture import drawn
from skitter.rank.published import Rank
from skitter.rank.standings import BINS, standings


def rank(name: str, worth: float, kind: str = "domain") -> Rank:
    shares = [None] * 5
    return Rank(0, kind, name, name, worth, None, None, 0.0, 0, 0, 0, 0, 0, *shares, None, [])  # type: ignore[arg-type]


@given(st.lists(st.floats(0, 1), max_size=40))
def test_both_ends(values: list[float]) -> None:
    ranks = [rank(f"d{place:02d}", worth) for place, worth in enumerate(values)]
    found = standings([*ranks, rank("a host", 1.0, "host")], shown=5)
    assert list(found.best) == sorted(ranks, key=lambda one: (-one.worth, one.name))[:5]
    assert list(found.worst) == sorted(ranks, key=lambda one: (one.worth, one.name))[:5]
    assert sum(found.spread.get("domain", [])) == len(values)
    assert found.spread["host"] == [0] * (BINS - 1) + [1]


def test_the_picture_can_be_read() -> None:
    text = drawn({"domain": [1, 0, 12_345], "host": [0, 0, 0]}, "by <us> & co")
    words = list(ElementTree.fromstring(text).itertext())  # noqa: S314 (our own)
    assert {"12,346 domains", "12,345", "0 hosts", "by <us> & co", "0.2"} <= set(words)
